import { describe, expect, it } from 'vitest'
import { build, omitNotes, withOperation } from '../../test/documents.js'

const text = { type: 'string' }
const json = { contentMediaType: 'application/json', contentSchema: { type: 'integer' } }
const createEventSchema = (properties: object, rest: object = {}) => ({
  type: 'object',
  properties,
  ...rest,
})

/** The media type of the only response of a document. */
async function buildStream(
  schema: object | undefined,
  mediaType = 'text/event-stream',
  schemas: object = {},
) {
  const content = { [mediaType]: schema === undefined ? {} : { schema } }
  const responses = { 200: { description: '', content } }
  const api = await build(withOperation({ responses }, '/things', { components: { schemas } }))
  return api.operations[0]?.responses[0]?.contents[0]
}

const listKinds = async (schema: object | undefined, schemas: object = {}) => {
  const content = await buildStream(schema, 'text/event-stream', schemas)
  return { stream: content?.stream, schema: omitNotes(content?.schema) }
}

describe('the events of a response', () => {
  it('have data by the schema, which is JSON unless it can only be a string', async () => {
    const isJson = { stream: { kind: 'events', data: 'json', except: [] } }
    const isText = { stream: { kind: 'events', data: 'text', except: [] } }
    expect(await listKinds({ type: 'object', properties: { delta: text } })).toMatchObject(isJson)
    expect(await listKinds({ type: ['string', 'null'] })).toMatchObject(isJson)
    expect(
      await listKinds({ $ref: '#/components/schemas/A' }, { A: { type: 'integer' } }),
    ).toMatchObject(isJson)
    expect(await listKinds(undefined)).toMatchObject(isText)
    expect(await listKinds({ enum: ['a', 'b'] })).toMatchObject(isText)
    expect(
      await listKinds({ anyOf: [text, { $ref: '#/components/schemas/A' }] }, { A: { const: 'a' } }),
    ).toMatchObject(isText)
    expect(await listKinds({ allOf: [{ maxLength: 3 }, text] })).toMatchObject(isText)
  })

  it('match a schema of their fields, with data parsed if the schema says so', async () => {
    expect(await listKinds(createEventSchema({ event: text, data: text }))).toMatchObject({
      stream: { data: 'text', except: [] },
    })
    expect(await listKinds(createEventSchema({ data: { type: 'object' } }))).toMatchObject({
      stream: { data: 'json', except: [] },
    })
    expect(await listKinds(createEventSchema({ data: { ...text, ...json } }))).toMatchObject({
      stream: { data: 'json', except: [] },
      schema: { properties: [{ name: 'data', schema: { kind: 'number', integer: true } }] },
    })
    const ref = { $ref: '#/components/schemas/Event' }
    expect(
      await listKinds(ref, { Event: createEventSchema({ data: text, id: text }) }),
    ).toMatchObject({
      schema: { kind: 'ref' },
      stream: { data: 'text' },
    })
    expect(
      await listKinds(ref, {
        Event: { allOf: [{ required: ['id'] }, createEventSchema({ data: text })] },
      }),
    ).toMatchObject({
      stream: { data: 'text' },
    })
  })

  it('are decoded by name if only some have JSON', async () => {
    const [made, gone] = [
      createEventSchema({ event: { const: 'made' }, data: json }),
      createEventSchema({ event: { const: 'gone' }, data: text }),
    ]
    expect((await listKinds({ oneOf: [made, gone] })).stream).toEqual({
      kind: 'events',
      data: 'text',
      except: ['made'],
    })
    expect((await listKinds({ anyOf: [createEventSchema({ data: json }), gone] })).stream).toEqual({
      kind: 'events',
      data: 'json',
      except: ['gone'],
    })
  })

  it('inherit data from the outer schema if an option does not declare it, as in the OpenAPI 3.2 example', async () => {
    const options = [
      createEventSchema({ event: { const: 'addString' } }),
      createEventSchema({ event: { const: 'addJson' }, data: json }),
    ]
    const schema = createEventSchema(
      { event: text, data: text },
      { required: ['event', 'data'], oneOf: options },
    )
    expect(await listKinds(schema)).toMatchObject({
      stream: { data: 'text', except: ['addJson'] },
      schema: {
        kind: 'intersection',
        parts: [
          { kind: 'object', properties: [{ name: 'event' }], alsoRequired: ['data'] },
          {
            kind: 'oneOf',
            options: [
              { properties: [{ name: 'event' }, { name: 'data', schema: { kind: 'string' } }] },
              { properties: [{ name: 'event' }, { name: 'data', schema: { kind: 'number' } }] },
            ],
          },
        ],
      },
    })
  })

  it('of small unions are expanded, and those of large ones keep JSON strings, in linear time even if each union references the next twice', async () => {
    const last = createEventSchema({ event: { const: 'made' }, data: { ...text, ...json } })
    const twice = (name: string) => ({
      oneOf: [{ $ref: `#/components/schemas/${name}` }, { $ref: `#/components/schemas/${name}` }],
    })
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `E${index}`,
        index === 59 ? last : twice(`E${index + 1}`),
      ]),
    )
    expect((await listKinds(twice('E0'), schemas)).stream).toEqual({
      kind: 'events',
      data: 'text',
      except: [],
    })
    expect((await listKinds(twice('E55'), schemas)).stream).toEqual({
      kind: 'events',
      data: 'json',
      except: [],
    })
    const texts = { ...schemas, E59: text }
    expect((await listKinds(twice('E0'), texts)).stream).toEqual({
      kind: 'events',
      data: 'text',
      except: [],
    })
  })

  it('with an unknown field are data', async () => {
    const content = await listKinds(createEventSchema({ data: text, type: text }))
    expect(content).toMatchObject({
      stream: { data: 'json' },
      schema: { properties: [{ name: 'data', schema: { kind: 'object' } }, {}, {}, {}] },
    })
  })
})

describe('the items of a response', () => {
  it.each([
    'application/jsonl',
    'application/x-ndjson',
    'application/ndjson',
    'application/x-jsonlines',
    'Application/JSONL; charset=utf-8',
  ])('in %s are the elements of an array, or the schema itself', async (mediaType) => {
    expect(await buildStream({ type: 'array', items: text }, mediaType)).toMatchObject({
      stream: { kind: 'lines' },
      schema: { kind: 'string' },
    })
    const list = { List: { type: 'array', items: { type: 'integer' } } }
    expect(await buildStream({ $ref: '#/components/schemas/List' }, mediaType, list)).toMatchObject(
      { schema: { kind: 'number' } },
    )
    expect(await buildStream({ type: 'object' }, mediaType)).toMatchObject({
      stream: { kind: 'lines' },
      schema: { kind: 'object' },
    })
  })

  it('are of any type if the schema is only a string', async () => {
    expect(await buildStream(text, 'application/jsonl')).toMatchObject({
      stream: { kind: 'lines' },
      schema: { kind: 'any' },
    })
    expect(await buildStream(undefined, 'application/geo+json-seq')).toMatchObject({
      stream: { kind: 'records' },
      schema: { kind: 'any' },
    })
  })

  it('are absent if the document requests the bytes', async () => {
    const content = await buildStream({ ...text, format: 'binary' })
    expect([content?.stream, content?.schema.kind]).toEqual([undefined, 'binary'])
  })
})
