import { expect, it } from 'vitest'
import { diagnose, withSchemas } from '../../test/documents.js'

const base = { type: 'object', properties: { id: { type: 'integer' } } }
const name = { type: 'object', properties: { name: { type: 'string' } } }
const closed = { additionalProperties: false }
const reference = { $ref: '#/components/schemas/Base' }

async function find(schema: object): Promise<readonly string[]> {
  const text = JSON.stringify(
    withSchemas({ Base: base, Closed: { ...base, ...closed }, A: schema }),
  )
  const found = await diagnose({ 'openapi.json': text }, 'openapi.json')
  return found
    .filter(({ code }) => code === 'FB3018')
    .map(({ place, found: names }) => `${place.pointer} ${names}`)
}

it.each<[string, object, string]>([
  ['beside allOf', { ...name, ...closed, allOf: [reference] }, '["id"]'],
  ['without properties', { type: 'object', ...closed, allOf: [reference, name] }, '["id","name"]'],
  ['beside a reference', { ...name, ...closed, ...reference }, '["id"]'],
  ['in allOf', { allOf: [{ $ref: '#/components/schemas/Closed' }, name] }, '["name"]'],
  [
    'twice',
    {
      allOf: [
        { ...base, ...closed },
        { ...name, ...closed },
      ],
    },
    '["id","name"]',
  ],
  ['with a pattern', { ...closed, patternProperties: { '^n': {} }, allOf: [base, name] }, '["id"]'],
])('warns of an object that is closed %s', async (_title, schema, names) => {
  expect(await find(schema)).toEqual([`/components/schemas/A ${names}`])
})

it.each<[string, object]>([
  ['names all properties', { properties: { id: {} }, ...closed, allOf: [reference] }],
  ['takes them by a pattern', { ...closed, patternProperties: { '^i': {} }, allOf: [base] }],
  ['is closed as a whole', { ...name, allOf: [reference], unevaluatedProperties: false }],
  ['excludes the property', { allOf: [{ properties: { id: false } }], ...closed }],
])('does not warn of an object that %s', async (_title, schema) => {
  expect(await find({ type: 'object', ...schema })).toEqual([])
})

it('terminates on a pattern that takes exponential time', async () => {
  const name = `${'a'.repeat(60)}!`
  const open = { type: 'object', properties: { [name]: {} } }
  const schema = { ...closed, patternProperties: { '^(a+)+$': {} }, allOf: [open] }
  expect(await find({ type: 'object', ...schema })).toEqual([])
})
