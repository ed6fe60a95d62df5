import type { Api } from '@farebox/codegen/model'
import { describe, expect, it } from 'vitest'
import { instrumentReads, measureSize, createStepCounter } from '../../../codegen/test/counted.js'
import { build } from '../../../codegen/test/documents.js'
import { knots, createTangledDocument } from '../../../codegen/test/tangles.js'
import { compareApi } from './contracts.js'
import { isWhole, sampleCases } from '../../../internal/testing/src/rounds.js'

/** Some values of each kind that the schemas have. */
const rejected = [
  { const: 'other' },
  { type: 'object', required: ['other'] },
  { type: 'array', minItems: 50 },
]

const known = new Map<string, Promise<readonly [base: Api, head: Api]>>()

/** A document, and one in which the last schema rejects a value more. */
function buildVersions(knot: string, count: number): Promise<readonly [base: Api, head: Api]> {
  const key = `${knot} ${count}`
  const last = `S${count - 1}`
  const createChanged = () =>
    createTangledDocument(
      knot,
      count,
      (schemas) =>
        void (schemas[last] = { allOf: [{ ...schemas[last] }, { not: { anyOf: rejected } }] }),
    )
  const found =
    known.get(key) ??
    Promise.all([build(createTangledDocument(knot, count)), build(createChanged())])
  known.set(key, found)
  return found
}

/**
 * A bound on the reads of each schema: each of three operations compares what it uses, with notes,
 * bounds and options.
 */
const looks = 300

describe.each(Object.keys(knots))('densely recursive schemas, %s', (knot) => {
  it.each(sampleCases([12, 30, 60]))(
    '%i are compared in steps linear in the document, not in the paths',
    async (count) => {
      const [base, head] = await buildVersions(knot, count)
      const steps = createStepCounter(looks * measureSize(base.schemas))
      const parts = (api: typeof base) =>
        instrumentReads({ schemas: api.schemas, operations: api.operations }, steps)
      const changes = compareApi({ ...base, ...parts(base) }, { ...head, ...parts(head) }, 0)
      expect([...new Set(changes.flatMap(({ operations }) => operations))].toSorted()).toEqual([
        'first',
        'form',
        'whole',
      ])
      expect(changes.length).toBeLessThan(50 * count)
    },
  )
})

it('what many operations share is compared once, and its changes name them all', async () => {
  const [operations, schemas] = [150, 30]
  const [base, head] = await Promise.all([shared(10), shared(20)])
  const steps = createStepCounter(looks * measureSize(base.schemas))
  const parts = (api: Api) =>
    instrumentReads({ schemas: api.schemas, operations: api.operations }, steps)
  const changes = compareApi({ ...base, ...parts(base) }, { ...head, ...parts(head) }, 0)
  expect(changes.map((change) => change.operations.length)).toEqual(
    Array.from({ length: schemas }, () => operations),
  )

  function shared(maxLength: number): Promise<Api> {
    const createRef = (index: number) => ({ $ref: `#/components/schemas/S${index % schemas}` })
    const numbered = <T>(count: number, create: (index: number) => readonly [string, T]) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => create(index)))
    return build({
      openapi: '3.1.0',
      info: { title: 'Trams', version: '1' },
      paths: numbered(operations, (index) => [
        `/${index}`,
        {
          get: {
            // each begins elsewhere in the circle
            responses: {
              200: {
                description: '',
                content: { 'application/json': { schema: createRef(index) } },
              },
            },
          },
        },
      ]),
      components: {
        schemas: numbered(schemas, (index) => [
          `S${index}`,
          {
            type: 'object',
            properties: { name: { type: 'string', maxLength }, next: createRef(index + 1) },
          },
        ]),
      },
    })
  }
})

/** A document whose only response is of a schema. */
function respond(schema: object, schemas: object): Promise<Api> {
  const content = { 'application/json': { schema } }
  return build({
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: {
      '/': { get: { operationId: 'read', responses: { 200: { description: '', content } } } },
    },
    components: { schemas },
  })
}

const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }

it('objects without a name that contain themselves are compared once', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `S${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, createRef(name)]))
  const things = names.map((name) => [
    name,
    { allOf: [createRef('Thing')], type: 'object', properties },
  ])
  const read = (rules: object) =>
    respond(createRef('S0'), {
      Thing: { type: 'object', properties: { text }, ...rules },
      ...Object.fromEntries(things),
    })
  const changes = compareApi(await read({}), await read({ additionalProperties: text }))
  expect(changes.length).toBeGreaterThan(0)
  expect(changes.length).toBeLessThan(500)
})

it('a value is found for options that overlap and contain themselves', async () => {
  const option = (name: string, schema: object, type: object = text) => ({
    type: 'object',
    properties: { type, [name]: schema },
  })
  const list = { type: 'array', items: createRef('Option') }
  const read = (type: object) =>
    respond(createRef('Set'), {
      Set: {
        oneOf: [
          option('all', list),
          option('reference', createRef('Reference')),
          option('list', text),
        ],
      },
      Reference: { type: 'object', properties: { name: text, url: text } },
      Choice: { type: 'object', properties: { text, from: createRef('Set') } },
      Option: {
        oneOf: [
          option('items', list),
          option('choice', createRef('Choice')),
          ...Array.from({ length: 9 }, (_, at) => option(`member${at}`, text)),
          option('last', text, type),
        ],
      },
    })
  const changes = compareApi(await read(text), await read({ type: ['string', 'null'] }))
  const broken = changes.filter(({ verdicts }) => verdicts.zod === 'major')
  expect(broken.length).toBeGreaterThan(2)
  expect(broken.filter(({ witness }) => witness === undefined)).toEqual([])
})

describe('the search for witnesses', () => {
  it.each(Object.keys(knots))('terminates on densely recursive schemas, %s', async (knot) => {
    const [base, head] = await buildVersions(knot, isWhole ? 60 : 20)
    // a reference that is followed is looked at in a few places
    const steps = createStepCounter(looks * measureSize(base.schemas) + 20 * 20_000)
    const parts = (api: typeof base) =>
      instrumentReads({ schemas: api.schemas, operations: api.operations }, steps)
    compareApi({ ...base, ...parts(base) }, { ...head, ...parts(head) }, 20_000)
  })
})
