import { expect, it } from 'vitest'
import type * as z from 'zod'
import { build, withOperation } from '../../test/documents.js'
import { createLookup } from '../emit/schemas.js'
import { runZod } from '../../test/run-zod.js'
import { printOperationValidators } from './zod.js'

const bytes = { $ref: '#/components/schemas/Bytes' }
const components = {
  schemas: { Bytes: { type: 'string', format: 'binary' }, Text: { type: 'string' } },
}

async function emitValidators(
  operation: Readonly<Record<string, unknown>>,
  path?: string,
): Promise<string> {
  const api = await build(withOperation({ operationId: 'act', ...operation }, path, { components }))
  expect(createLookup(api)('Bytes').kind).toBe('binary')
  const text = printOperationValidators(api)[0]?.text ?? ''
  return text.slice(text.indexOf('(() => (') + 8, -4)
}

it('an operation has a validator for each of its parts, with wire names', async () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/Text' } },
    { name: 'page-size', in: 'query', schema: { type: 'number' } },
    { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
  ]
  expect(await emitValidators({ parameters }, '/things/{id}')).toBe(`{
  path: z.looseObject({ id: schemas.Text }),
  query: z.looseObject({ 'page-size': z.exactOptional(z.number()) }),
  headers: z.looseObject({ 'x-trace': z.exactOptional(z.string()) }),
  responses: {},
}`)
})

it('a parameter named like an inherited property is not read from the prototype', async () => {
  const parameters = [
    { name: 'constructor', in: 'query', schema: { type: 'string' } },
    { name: 'valueOf', in: 'query', required: true, schema: { type: 'string' } },
    { name: 'page', in: 'query', schema: { type: 'string' } },
  ]
  const { operations } = runZod(await build(withOperation({ operationId: 'act', parameters })))
  const { query } = operations['act'] as unknown as { readonly query: z.ZodType }
  const verdicts = [{ valueOf: 'a' }, { page: 'a' }, { valueOf: 'a', constructor: 1 }].map(
    (value) => query.safeParse(value).success,
  )
  expect(verdicts).toEqual([true, false, false])
})

it('a binary response has no validator; a binary body has one', async () => {
  const content = {
    'image/png': { schema: bytes },
    'image/gif': { schema: { type: 'string', format: 'binary' } },
  }
  const responses = {
    200: { description: 'Done', content },
    400: { description: 'No', content: { 'application/json': {} } },
  }
  expect(
    await emitValidators({
      requestBody: { content: { 'image/png': { schema: bytes } } },
      responses,
    }),
  ).toBe(`{
  body: { 'image/png': schemas.Bytes },
  responses: {
    '400': { 'application/json': z.unknown() },
  },
}`)
})
