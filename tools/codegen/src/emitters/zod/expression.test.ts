import { describe, expect, it } from 'vitest'
import { build, withSchemas } from '../../../test/documents.js'
import { runZod } from '../../../test/run-zod.js'
import { renderFile } from '../../emit/code.js'
import type { Json } from '../../ir/schema.js'
import { zod } from '../zod.js'

const createApi = async (schemas: Readonly<Record<string, Json>>) => build(withSchemas(schemas))

/** What a schema becomes, without the function around it. */
async function emitExpression(schema: Json): Promise<string> {
  const [file] = zod.emit(await createApi({ Text: { type: 'string' }, Subject: schema }))
  const text = [...(file?.body ?? [])].at(-1)?.text ?? ''
  const [, call = ''] = /@__PURE__ \*\/ ([^]*)\nexport type /.exec(text) ?? []
  return call.startsWith('(() => ') ? call.slice(7, -3) : call
}

async function listFaults(schema: Json, value: Json): Promise<readonly string[]> {
  const result = runZod(await createApi({ Subject: schema })).schemas['Subject']?.safeParse(value)
  return result?.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
}

const card = {
  type: 'object',
  required: ['kind', 'number'],
  properties: { kind: { const: 'card' }, number: { type: 'string' } },
}
const cash = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: ['coins', 'notes'] } },
}
const payment = { oneOf: [card, cash], discriminator: { propertyName: 'kind' } }

describe('the expression of', () => {
  it.each<readonly [string, Json, string]>([
    ['anything', true, 'z.unknown()'],
    [
      'a string',
      { type: 'string', pattern: 'a/b', maxLength: 3 },
      "z.string().regex(new RegExp('a/b', 'u')).check(checks.length(0, 3))",
    ],
    ['a day', { type: 'string', format: 'date' }, 'z.string().check(formats.date)'],
    ['a number', { type: 'number', minimum: 1, exclusiveMaximum: 2 }, 'z.number().gte(1).lt(2)'],
    ['an integer', { type: 'integer' }, 'z.number().check(checks.integer)'],
    ['a safe number', { type: 'integer', minimum: 1, maximum: 9 }, 'z.int().gte(1).lte(9)'],
    ['a number of 32 bits', { type: 'integer', format: 'int32' }, 'z.int32()'],
    ['a string that is not empty', { type: 'string', minLength: 1 }, 'z.string().min(1)'],
    ['a longer text', { type: 'string', minLength: 2 }, 'z.string().check(checks.length(2))'],
    ['listed texts', { type: 'string', enum: ['a', 'b'] }, "z.enum(['a', 'b'])"],
    ['listed values', { enum: ['a', 1, null] }, "z.literal(['a', 1, null])"],
    ['a constant', { const: 'a' }, "z.literal('a')"],
    ['listed objects', { enum: [{ a: 1 }] }, 'checks.oneOfValues([{ a: 1 }])'],
    [
      'an array',
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
      'z.array(z.string()).min(1).max(2)',
    ],
    [
      'an array without repetition',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      'checks.checked(z.array(z.string()), checks.unique)',
    ],
    [
      'an open object',
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' }, 'b-c': { type: 'null' } },
      },
      "z.looseObject({\n  a: z.string(),\n  'b-c': z.exactOptional(z.null()),\n})",
    ],
    [
      'a closed object',
      { type: 'object', properties: { a: { type: 'boolean' } }, additionalProperties: false },
      'z.strictObject({\n  a: z.exactOptional(z.boolean()),\n})',
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      'checks.record({}, z.string())',
    ],
    [
      'an object and more',
      { type: 'object', minProperties: 1 },
      'checks.checked(z.looseObject({}), checks.object({ min: 1 }))',
    ],
    ['a name', { $ref: '#/components/schemas/Text' }, 'Text'],
    [
      'a name or null',
      { anyOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }] },
      'z.nullable(Text)',
    ],
    [
      'a choice or null',
      { type: ['string', 'boolean', 'null'] },
      'z.nullable(z.union([z.string(), z.boolean()]))',
    ],
    [
      'a choice',
      { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      'z.union([z.string(), z.boolean()])',
    ],
    [
      'exactly one',
      {
        oneOf: [
          { type: 'number', minimum: 1 },
          { type: 'number', maximum: 2 },
        ],
      },
      'z.xor([z.number().gte(1), z.number().lte(2)])',
    ],
    [
      'all',
      { allOf: [{ $ref: '#/components/schemas/Text' }, { type: 'string', pattern: 'a' }] },
      "checks.all([Text, z.string().regex(new RegExp('a', 'u'))])",
    ],
    ['none', { not: { $ref: '#/components/schemas/Text' } }, 'z.unknown().check(checks.not(Text))'],
  ])('%s', async (_, schema, expected) => {
    expect(await emitExpression(schema)).toBe(expected)
  })

  it('objects with a discriminating property', async () => {
    expect(await emitExpression(payment)).toBe(
      "z.discriminatedUnion('kind', [z.looseObject({\n  kind: z.literal('card'),\n  number: z.string(),\n}), z.looseObject({\n  kind: z.enum(['coins', 'notes']),\n})])",
    )
  })
})

describe('an issue', () => {
  it.each<readonly [string, Json, Json, readonly string[]]>([
    [
      'names the tags that are known',
      payment,
      { kind: 'cheque' },
      ["kind: Invalid discriminator value. Expected 'card' | 'coins' | 'notes'"],
    ],
    [
      'names them where there is none',
      payment,
      {},
      ["kind: Invalid discriminator value. Expected 'card' | 'coins' | 'notes'"],
    ],
    [
      'is that of the object with this tag alone',
      payment,
      { kind: 'card' },
      ['number: Invalid input: expected string, received undefined'],
    ],
    [
      'says that an object is expected',
      payment,
      null,
      [': Invalid input: expected object, received null'],
    ],
    [
      'is not hidden by a null that would do',
      { anyOf: [card, { type: 'null' }] },
      { kind: 'card' },
      ['number: Invalid input: expected string, received undefined'],
    ],
  ])('%s', async (_, schema, value, expected) => {
    expect(await listFaults(schema, value)).toEqual(expected)
  })
})

it('every validator is in a call that a bundler can drop', async () => {
  const files = zod.emit(
    await createApi({
      Text: { type: 'string' },
      Tree: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
    }),
  )
  const schemas = files.find(({ path }) => path === 'schemas.ts')
  expect(schemas && renderFile(schemas, { banner: '// banner', resolve: (name) => name }))
    .toBe(`// banner

import type * as types from '#types'
import * as z from './zod.js'

export const Text = /* @__PURE__ */ z.string()
export type Text = types.Text

export const Tree: z.ZodType<types.Tree, types.Tree> = /* @__PURE__ */ (() => z.array(z.lazy(() => Tree)) as unknown as z.ZodType<types.Tree, types.Tree>)()
export type Tree = types.Tree
`)
})

it("a function that creates a validator does not share a validator's name", async () => {
  const { schemas } = runZod(
    await createApi({
      Text: { type: 'string' },
      $Text: { type: 'number' },
      $Text2: { type: 'boolean' },
    }),
  )
  const values = ['a', 1, true]
  expect(
    ['Text', '$Text', '$Text2'].map((name) =>
      values.map((value) => schemas[name]?.safeParse(value).success),
    ),
  ).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ])
})
