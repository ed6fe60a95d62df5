import { inspect } from 'node:util'
import type { Call, Operation, Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import { bearer } from './api-key.js'

const call: Call = { url: 'https://api.example/v1', method: 'GET', headers: new Headers() }
const createOperation = (security: Operation['security']): Operation => ({
  id: 'x',
  method: 'GET',
  path: '/x',
  security,
  idempotent: true,
})

function play() {
  const seen: { authorization: string | null; redirect: unknown }[] = []
  const send: Send = async ({ headers, init }) => {
    seen.push({ authorization: headers.get('authorization'), redirect: init?.redirect })
    return new Response()
  }
  return { seen, send }
}

test('sends the key, does not follow redirects, and keeps the headers of the call', async () => {
  const { seen, send } = play()
  await bearer('key')(send)(call)
  expect(seen).toEqual([{ authorization: 'Bearer key', redirect: 'manual' }])
  expect([...call.headers]).toEqual([])
})

test('a function is called for each attempt', async () => {
  const { seen, send } = play()
  let count = 0
  const sent = bearer(async () => `key${++count}`)(send)
  await sent(call)
  await sent(call)
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer key1', 'Bearer key2'])
})

test('with an origin, no other origin receives the key', async () => {
  const { seen, send } = play()
  const sent = bearer('key', { origin: 'https://api.example/api/v1' })(send)
  await sent(call)
  await sent({ ...call, url: 'https://cdn.example/file' })
  expect(seen).toEqual([
    { authorization: 'Bearer key', redirect: 'manual' },
    { authorization: null, redirect: undefined },
  ])
})

test('an operation that does not accept a key receives none', async () => {
  const { seen, send } = play()
  await bearer('key')(send)({ ...call, operation: createOperation([['siwx']]) })
  await bearer('key')(send)({ ...call, operation: createOperation([[], ['BearerAuth']]) })
  expect(seen.map(({ authorization }) => authorization)).toEqual([null, 'Bearer key'])
})

test('keeps the caller’s own header', async () => {
  const { seen, send } = play()
  await bearer('key')(send)({ ...call, headers: new Headers({ authorization: 'Basic x' }) })
  expect(seen[0]?.authorization).toBe('Basic x')
})

test('rejects a key that is invalid in a header without revealing it', async () => {
  const { seen, send } = play()
  for (const key of [
    '',
    'planted\n',
    'planted secret',
    'plantéd',
    undefined as unknown as string,
  ]) {
    const error: unknown = await bearer(key)(send)(call).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'invalid_key',
      message: 'bearer: the API key is not visible ASCII of one line',
      retryable: false,
    })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('plant')
  }
  expect(seen).toEqual([])
})

test('a key function that fails has its own error', async () => {
  const cause = new Error('vault closed')
  const sent = bearer(() => Promise.reject(cause))(play().send)
  await expect(sent(call)).rejects.toMatchObject({ code: 'key_unavailable', cause })
})
