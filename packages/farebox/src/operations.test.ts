import { expect, test } from 'vitest'
import { loadCode, once } from './operations.js'

test('code that cannot be loaded is an error with advice', async () => {
  const cause = new TypeError(
    'Failed to fetch dynamically imported module: https://app.example/wallet-4f1.js',
  )
  await expect(loadCode('wallets', () => Promise.reject(cause))).rejects.toMatchObject({
    name: 'FareboxError',
    code: 'not_loaded',
    attempts: 0,
    mayHaveArrived: false,
    message:
      "The SDK's code for wallets could not be loaded. Nothing was sent. Check the connection; if the page is older than its site, reload it.",
    cause,
  })
})

test('a value is created once for all callers, and again after a failure', async () => {
  let calls = 0
  const value = once(async () => {
    if (++calls === 1) throw new Error('out of reach')
    return calls
  })
  await expect(Promise.all([value(), value()])).rejects.toThrow('out of reach')
  expect([await value(), await value()]).toEqual([2, 2])
})
