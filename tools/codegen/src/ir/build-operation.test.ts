import { expect, it } from 'vitest'
import { build, diagnose, withOperation } from '../../test/documents.js'

const responses = { 200: { description: 'Done' }, 402: { description: 'To be paid' } }
const valid = {
  'x-idempotent': true,
  'x-rate-limit': 'slow',
  'x-price-usd': 0.01,
  'x-max-file-bytes': { file: 10 },
  'x-discovery': 402,
}

it('keeps the facts that generated code acts on, and all other x- fields', async () => {
  const [operation] = (await build(withOperation({ responses, ...valid, 'x-samples': [1] })))
    .operations
  expect(operation?.extensions).toEqual({ ...valid, 'x-samples': [1] })
})

it.each([
  ['x-idempotent', 'yes', 'true or false'],
  ['x-rate-limit', 1, 'the name of a class of limits'],
  ['x-price-usd', -1, 'a number of USD'],
  ['x-max-file-bytes', { file: 'large' }, 'a number of bytes for each field that takes a file'],
  [
    'x-payment-info',
    { amount: '0.01', currency: 'USDC' },
    'a payment (`amount`, `currency`, `intent`, `method`), or `offers` with these',
  ],
  ['x-discovery', 403, 'a status that the operation declares'],
])('reports %s: %j, and omits it', async (name, value, expected) => {
  const document = withOperation({ responses, ...valid, [name]: value })
  expect(await diagnose({ 'openapi.yaml': JSON.stringify(document) })).toMatchObject([
    { code: 'FB4017', severity: 'warning', expected },
  ])
})
