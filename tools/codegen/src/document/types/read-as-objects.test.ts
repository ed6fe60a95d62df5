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

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const text: Json = { type: 'string' }
const fields = (...names: readonly string[]): { readonly properties: Json } => ({
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
async function accepted(
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
    ['properties', fields('name')],
    ['additionalProperties', { additionalProperties: text }],
    ['patternProperties', { patternProperties: { '^a': text } }],
    ['minProperties', { minProperties: 0 }],
    ['propertyNames', { propertyNames: { maxLength: 3 } }],
  ])('is an object if it has %s, and anything to the letter of JSON Schema', async (_, schema) => {
    expect(await accepted(schema)).toEqual(['object'])
    expect(await accepted(schema, { semantics: 'json-schema' })).toEqual(everything)
  })

  it('is an object wherever it describes a value', async () => {
    const schemas = {
      Pet: { type: 'object', properties: { owner: fields('name') } },
      List: { type: 'array', items: { additionalProperties: fields('name') } },
    }
    const { schemas: built } = await read(schemas, {})
    const [pet, list] = built.map(({ schema }) => schema)
    expect(pet).toMatchObject({ properties: [{ schema: { kind: 'object' } }] })
    expect(list).toMatchObject({ items: { kind: 'object', additional: { kind: 'object' } } })
  })

  it('stays what its values, other keywords or nothing say', async () => {
    expect(await accepted({ ...fields('a'), enum: ['a', 1] })).toEqual(['string', 'number'])
    expect(await accepted({ ...fields('a'), const: null })).toEqual(['null'])
    expect(await accepted({ ...fields('a'), items: text })).toEqual(everything)
    expect(await accepted({ ...fields('a'), minLength: 1 })).toEqual(everything)
    expect(await accepted({ description: 'Anything.' })).toEqual(everything)
    expect(await accepted({ items: text })).toEqual(everything)
  })

  it('keeps null, where OpenAPI 3.0 says nullable, also beside a composition', async () => {
    const Base = { type: 'object' }
    const nullable = { ...fields('a'), nullable: true }
    for (const schema of [
      nullable,
      { ...nullable, allOf: [fields('b')] },
      { ...nullable, allOf: [ref('Base')] },
      { ...nullable, oneOf: [fields('b'), ref('Base')] },
      { nullable: true, anyOf: [fields('b')] },
    ]) {
      const types = await accepted(schema, { version: '3.0.3', others: { Base } })
      expect(types.filter((type) => type !== 'object')).toEqual(['null'])
    }
  })
})

describe('parts of allOf without a type', () => {
  it('are objects together', async () => {
    expect(await accepted({ allOf: [fields('a'), fields('b')] })).toEqual(['object'])
    expect(await accepted({ allOf: [{ description: 'a' }], ...fields('b') })).toEqual(['object'])
    expect(await accepted({ allOf: [{ required: [] }] })).toEqual(['object'])
  })

  it('have the type of the other parts', async () => {
    const others = { Maybe: { type: ['object', 'null'] }, Text: text, Open: fields('x') }
    const part = (name: string): Json => ({ allOf: [ref(name), fields('b')] })
    expect(await accepted(part('Maybe'), { others })).toEqual(['object', 'null'])
    expect(await accepted(part('Text'), { others })).toEqual(['string'])
    expect(await accepted(part('Open'), { others })).toEqual(['object'])
    const beside = { allOf: [ref('Maybe')], ...fields('b') }
    expect(await accepted(beside, { others })).toEqual(['object', 'null'])
  })

  it('may refer to each other in a circle', async () => {
    const others = { Other: { allOf: [ref('Pet'), fields('b')] } }
    const Pet = { ...fields('a'), properties: { other: ref('Other'), pet: ref('Pet') } }
    expect(await accepted(Pet, { others })).toEqual(['object'])
  })
})

describe('options without a type', () => {
  it('are objects if they have fields', async () => {
    expect(await accepted({ anyOf: [fields('a'), fields('b')] })).toEqual(['object'])
    expect(await accepted({ anyOf: [fields('a'), text] })).toEqual(['object', 'string'])
    expect(await accepted({ oneOf: [fields('a'), { type: 'null' }] })).toEqual(['object', 'null'])
  })

  it('only narrow a value whose type is stated around them', async () => {
    const schema = { type: ['object', 'string'], anyOf: [fields('a'), { required: ['b'] }] }
    expect(await accepted(schema)).toEqual(['object', 'string'])
  })

  it('add no type if they only require fields', async () => {
    const anyOf = [{ required: ['a'] }, { required: ['b'] }]
    const api = await read({ Pet: { ...fields('a', 'b'), anyOf } }, {})
    const isPet = runCheck(api)['isPet'] as (value: unknown) => boolean
    const values = [{ a: '1' }, { b: '1' }, {}, 'a', []]
    expect(values.map(isPet)).toEqual([true, true, false, false, false])
    expect(await accepted({ anyOf })).toEqual(everything.filter((type) => type !== 'object'))
  })

  it('may be no objects, even if fields stand beside them', async () => {
    const schema = { ...fields('a'), anyOf: [fields('b'), { type: 'null' }] }
    expect(await accepted(schema)).toEqual(['object', 'null'])
  })
})

describe('conditions without a type', () => {
  it('are read to the letter', async () => {
    const not = { not: { ...fields('a'), required: ['a'] } }
    expect(await accepted(not)).toEqual(['object'])
    expect(await accepted({ type: ['object', 'string'], ...not })).toEqual(['object'])
    const when = { if: { required: ['a'] }, then: fields('a'), else: {} }
    expect(await accepted({ type: ['object', 'string'], ...when })).toEqual(['object', 'string'])
  })
})
