import { describe, expect, it } from 'vitest'
import type { Api } from '../../ir/api.js'
import { buildApi } from '../../ir/build.js'
import type { Json } from '../../ir/schema.js'
import { load, withSchemas } from '../../../test/documents.js'
import { runCheck } from '../../../test/run-check.js'
import { runZod } from '../../../test/run-zod.js'
import type { Semantics } from '../semantics.js'

type Schemas = Readonly<Record<string, Json>>
type Reading = { readonly semantics?: Semantics; readonly version?: string }

const createRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const text: Json = { type: 'string' }
const createProperties = (...names: readonly string[]): { readonly properties: Json } => ({
  properties: Object.fromEntries(names.map((name) => [name, text])),
})

async function read(schemas: Schemas, { semantics, version = '3.1.0' }: Reading): Promise<Api> {
  const files = { 'openapi.json': JSON.stringify(withSchemas(schemas, version)) }
  const options = semantics === undefined ? {} : { semantics }
  const { document } = await load(files, options, 'openapi.json')
  const { api } = document === undefined ? {} : buildApi(document)
  if (api === undefined) throw new Error('Expected a document that can be built.')
  return api
}

const samples: Readonly<Record<string, Json>> = {
  object: {},
  array: [],
  string: 'a',
  number: 1,
  boolean: true,
  null: null,
}

/** The types of the values that the validators of `Pet` accept. Both must agree. */
async function listAcceptedTypes(
  Pet: Json,
  { others = {}, ...reading }: Reading & { readonly others?: Schemas } = {},
): Promise<readonly string[]> {
  const api = await read({ Pet, ...others }, reading)
  const zod = runZod(api).schemas['Pet']
  const isPet = runCheck(api)['isPet']
  return Object.entries(samples).flatMap(([type, value]) => {
    const accepts = zod?.safeParse(value).success ?? false
    expect(isPet?.(value)).toBe(accepts)
    return accepts ? [type] : []
  })
}

const everything = Object.keys(samples)

describe('a schema without a type', () => {
  it.each<[string, Json]>([
    ['properties', createProperties('name')],
    ['additionalProperties', { additionalProperties: text }],
    ['patternProperties', { patternProperties: { '^a': text } }],
    ['minProperties', { minProperties: 0 }],
    ['propertyNames', { propertyNames: { maxLength: 3 } }],
  ])('is an object if it has %s, and anything under strict JSON Schema', async (_, schema) => {
    expect(await listAcceptedTypes(schema)).toEqual(['object'])
    expect(await listAcceptedTypes(schema, { semantics: 'json-schema' })).toEqual(everything)
  })

  it('is an object wherever it describes a value', async () => {
    const schemas = {
      Pet: { type: 'object', properties: { owner: createProperties('name') } },
      List: { type: 'array', items: { additionalProperties: createProperties('name') } },
    }
    const { schemas: built } = await read(schemas, {})
    const [pet, list] = built.map(({ schema }) => schema)
    expect(pet).toMatchObject({ properties: [{ schema: { kind: 'object' } }] })
    expect(list).toMatchObject({ items: { kind: 'object', additional: { kind: 'object' } } })
  })

  it('keeps its meaning if it has values, other keywords or nothing', async () => {
    expect(await listAcceptedTypes({ ...createProperties('a'), enum: ['a', 1] })).toEqual([
      'string',
      'number',
    ])
    expect(await listAcceptedTypes({ ...createProperties('a'), const: null })).toEqual(['null'])
    expect(await listAcceptedTypes({ ...createProperties('a'), items: text })).toEqual(everything)
    expect(await listAcceptedTypes({ ...createProperties('a'), minLength: 1 })).toEqual(everything)
    expect(await listAcceptedTypes({ description: 'Anything.' })).toEqual(everything)
    expect(await listAcceptedTypes({ items: text })).toEqual(everything)
  })

  it('keeps null if OpenAPI 3.0 says nullable, also next to a composition', async () => {
    const Base = { type: 'object' }
    const nullable = { ...createProperties('a'), nullable: true }
    for (const schema of [
      nullable,
      { ...nullable, allOf: [createProperties('b')] },
      { ...nullable, allOf: [createRef('Base')] },
      { ...nullable, oneOf: [createProperties('b'), createRef('Base')] },
      { nullable: true, anyOf: [createProperties('b')] },
    ]) {
      const types = await listAcceptedTypes(schema, { version: '3.0.3', others: { Base } })
      expect(types.filter((type) => type !== 'object')).toEqual(['null'])
    }
  })
})

describe('parts of allOf without a type', () => {
  it('are objects together', async () => {
    expect(
      await listAcceptedTypes({ allOf: [createProperties('a'), createProperties('b')] }),
    ).toEqual(['object'])
    expect(
      await listAcceptedTypes({ allOf: [{ description: 'a' }], ...createProperties('b') }),
    ).toEqual(['object'])
    expect(await listAcceptedTypes({ allOf: [{ required: [] }] })).toEqual(['object'])
  })

  it('have the type of the other parts', async () => {
    const others = { Maybe: { type: ['object', 'null'] }, Text: text, Open: createProperties('x') }
    const part = (name: string): Json => ({ allOf: [createRef(name), createProperties('b')] })
    expect(await listAcceptedTypes(part('Maybe'), { others })).toEqual(['object', 'null'])
    expect(await listAcceptedTypes(part('Text'), { others })).toEqual(['string'])
    expect(await listAcceptedTypes(part('Open'), { others })).toEqual(['object'])
    const beside = { allOf: [createRef('Maybe')], ...createProperties('b') }
    expect(await listAcceptedTypes(beside, { others })).toEqual(['object', 'null'])
  })

  it('may refer to each other in a cycle', async () => {
    const others = { Other: { allOf: [createRef('Pet'), createProperties('b')] } }
    const Pet = {
      ...createProperties('a'),
      properties: { other: createRef('Other'), pet: createRef('Pet') },
    }
    expect(await listAcceptedTypes(Pet, { others })).toEqual(['object'])
  })
})

describe('options without a type', () => {
  it('are objects if they have fields', async () => {
    expect(
      await listAcceptedTypes({ anyOf: [createProperties('a'), createProperties('b')] }),
    ).toEqual(['object'])
    expect(await listAcceptedTypes({ anyOf: [createProperties('a'), text] })).toEqual([
      'object',
      'string',
    ])
    expect(await listAcceptedTypes({ oneOf: [createProperties('a'), { type: 'null' }] })).toEqual([
      'object',
      'null',
    ])
  })

  it('only narrow a value whose type is stated around them', async () => {
    const schema = {
      type: ['object', 'string'],
      anyOf: [createProperties('a'), { required: ['b'] }],
    }
    expect(await listAcceptedTypes(schema)).toEqual(['object', 'string'])
  })

  it('add no type if they only require fields', async () => {
    const anyOf = [{ required: ['a'] }, { required: ['b'] }]
    const api = await read({ Pet: { ...createProperties('a', 'b'), anyOf } }, {})
    const isPet = runCheck(api)['isPet'] as (value: unknown) => boolean
    const values = [{ a: '1' }, { b: '1' }, {}, 'a', []]
    expect(values.map(isPet)).toEqual([true, true, false, false, false])
    expect(await listAcceptedTypes({ anyOf })).toEqual(
      everything.filter((type) => type !== 'object'),
    )
  })

  it('may be other types, even next to properties', async () => {
    const schema = { ...createProperties('a'), anyOf: [createProperties('b'), { type: 'null' }] }
    expect(await listAcceptedTypes(schema)).toEqual(['object', 'null'])
  })
})

describe('conditions without a type', () => {
  it('are read strictly', async () => {
    const not = { not: { ...createProperties('a'), required: ['a'] } }
    expect(await listAcceptedTypes(not)).toEqual(['object'])
    expect(await listAcceptedTypes({ type: ['object', 'string'], ...not })).toEqual(['object'])
    const when = { if: { required: ['a'] }, then: createProperties('a'), else: {} }
    expect(await listAcceptedTypes({ type: ['object', 'string'], ...when })).toEqual([
      'object',
      'string',
    ])
  })
})
