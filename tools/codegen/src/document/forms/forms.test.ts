import { describe, expect, it } from 'vitest'
import { splitForms } from './forms.js'
import type { JsonObject } from '../json.js'

const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const createJsonContent = (schema: unknown) => ({ content: { 'application/json': { schema } } })

/** A document that sends and responds with one schema. */
function split(schemas: Record<string, unknown>, schema: unknown = createRef('Pet')) {
  const operation = {
    requestBody: createJsonContent(schema),
    responses: { 200: createJsonContent(schema) },
  }
  const { root, origin } = splitForms({
    paths: { '/': { post: operation } },
    components: { schemas },
  } as unknown as JsonObject)
  const document = root as unknown as {
    readonly paths: { readonly '/': { readonly post: typeof operation } }
    readonly components: { readonly schemas: Record<string, unknown> }
  }
  const { requestBody, responses } = document.paths['/'].post
  return {
    request: requestBody.content['application/json'].schema,
    response: responses[200].content['application/json'].schema,
    schemas: document.components.schemas,
    origin,
  }
}
const id = { type: 'string', readOnly: true }
const secret = { type: 'string', writeOnly: true }

describe('splitForms', () => {
  it('does not change a document without readOnly and writeOnly', () => {
    const root = { paths: {}, components: { schemas: { Pet: { type: 'object' } } } }
    expect(splitForms(root).root).toBe(root)
  })

  it('creates a request variant without read-only properties, even required ones, and keeps the original schema', () => {
    const Pet = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id, name: { type: 'string' } },
    }
    const { request, response, schemas } = split({ Pet })
    expect([request, response]).toEqual([createRef('PetRequest'), createRef('Pet')])
    expect(schemas).toEqual({
      Pet,
      PetRequest: {
        type: 'object',
        required: ['name'],
        properties: { id: false, name: { type: 'string' } },
      },
    })
  })

  it('creates a response variant without write-only properties', () => {
    const { request, response, schemas } = split({
      Pet: { required: ['secret'], properties: { secret } },
    })
    expect([request, response]).toEqual([createRef('Pet'), createRef('PetResponse')])
    expect(schemas['PetResponse']).toEqual({ required: [], properties: { secret: false } })
  })

  it('follows references, in arrays and maps, and terminates in cycles', () => {
    const { schemas } = split({
      Pet: {
        properties: {
          id,
          friends: { type: 'array', items: createRef('Pet') },
          owner: createRef('Owner'),
        },
      },
      Owner: { properties: { pets: { additionalProperties: createRef('Pet') } } },
      Other: { type: 'string' },
    })
    expect(Object.keys(schemas)).toEqual(['Pet', 'Owner', 'Other', 'PetRequest', 'OwnerRequest'])
    expect(schemas['OwnerRequest']).toEqual({
      properties: { pets: { additionalProperties: createRef('PetRequest') } },
    })
    expect(schemas['PetRequest']).toMatchObject({
      properties: { friends: { items: createRef('PetRequest') }, owner: createRef('OwnerRequest') },
    })
  })

  it('drops the requirement of another part of the same composition', () => {
    const { schemas } = split({
      Base: { properties: { id } },
      Pet: {
        allOf: [
          createRef('Base'),
          { required: ['id', 'name'], properties: { name: {} } },
          { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
        ],
      },
    })
    expect(schemas['PetRequest']).toEqual({
      allOf: [
        createRef('BaseRequest'),
        { required: ['name'], properties: { name: {} } },
        { anyOf: [{ required: [] }, { required: ['name'] }] },
      ],
    })
  })

  it('detects the keyword behind a reference, in a union, and next to a reference', () => {
    const { schemas } = split({
      Id: { type: 'string', readOnly: true },
      Text: { type: 'string' },
      Pet: {
        properties: {
          a: createRef('Id'),
          b: { allOf: [createRef('Text'), { readOnly: true }] },
          c: { ...createRef('Text'), readOnly: true },
          d: createRef('Text'),
        },
      },
    })
    expect(schemas['PetRequest']).toEqual({
      properties: { a: false, b: false, c: false, d: createRef('Text') },
    })
  })

  it('keeps properties of another object that has a read-only one of the same name', () => {
    const { schemas } = split({
      Pet: {
        required: ['id'],
        properties: { id: { type: 'string' }, inner: { required: ['id'], properties: { id } } },
      },
    })
    expect(schemas['PetRequest']).toEqual({
      required: ['id'],
      properties: { id: { type: 'string' }, inner: { required: [], properties: { id: false } } },
    })
  })

  it('keeps the tags of a union, by name or by mapping', () => {
    const Cat = { properties: { kind: {}, id } }
    const byName = split({
      Cat,
      Dog: {},
      Pet: { oneOf: [createRef('Cat'), createRef('Dog')], discriminator: { propertyName: 'kind' } },
    })
    expect(byName.schemas['PetRequest']).toEqual({
      oneOf: [createRef('CatRequest'), createRef('Dog')],
      discriminator: {
        propertyName: 'kind',
        mapping: expect.objectContaining({ Cat: '#/components/schemas/CatRequest' }) as unknown,
      },
    })
    const mapped = split({
      Cat,
      Dog: {},
      Pet: {
        oneOf: [createRef('Cat'), createRef('Dog')],
        discriminator: {
          propertyName: 'kind',
          mapping: { meow: 'Cat', wuff: '#/components/schemas/Dog' },
        },
      },
    })
    expect(mapped.schemas['PetRequest']).toMatchObject({
      discriminator: {
        mapping: { meow: '#/components/schemas/CatRequest', wuff: '#/components/schemas/Dog' },
      },
    })
  })

  it('uses another name if the document already has that one', () => {
    const { request, schemas } = split({
      Pet: { properties: { id } },
      PetRequest: { type: 'string' },
    })
    expect(request).toEqual(createRef('PetRequestForm'))
    expect(schemas['PetRequest']).toEqual({ type: 'string' })
  })

  it('converts an inline schema of a body, and ignores callbacks', () => {
    const { request, response } = split({}, { properties: { id, secret } })
    expect([request, response]).toEqual([
      { properties: { id: false, secret } },
      { properties: { id, secret: false } },
    ])
    const callbacks = {
      done: { '{$url}': { post: { requestBody: createJsonContent({ properties: { id } }) } } },
    }
    const root = { paths: { '/': { post: { callbacks } } } } as unknown as JsonObject
    expect(splitForms(root).root).toEqual(root)
  })

  it('maps a variant to the location of its schema', () => {
    const { origin } = split({ 'a/b': {}, Pet: { properties: { id } } })
    expect(origin('/components/schemas/PetRequest/properties/id')).toBe(
      '/components/schemas/Pet/properties/id',
    )
    expect(origin('/components/schemas/a~1b/type')).toBe('/components/schemas/a~1b/type')
    expect(origin('/paths')).toBe('/paths')
  })
})
