import { inspect } from 'node:util'
import type { Call, Operation, Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import { bearer } from './bearer.js'

const call: Call = { url: 'https://api.example/v1', method: 'GET', headers: new Headers() }
const operation = (security: Operation['security']): Operation => ({ id: 'x', method: 'GET', path: '/x', security, idempotent: true })

function play() {
  const seen: { authorization: string | null; redirect: unknown }[] = []
  const send: Send = async ({ headers, init }) => {
    seen.push({ authorization: headers.get('authorization'), redirect: init?.redirect })
    return new Response()
  }
  return { seen, send }
}

test('the key is sent, redirects are not followed, and the call keeps its own headers', async () => {
  const { seen, send } = play()
  await bearer('key')(send)(call)
  expect(seen).toEqual([{ authorization: 'Bearer key', redirect: 'manual' }])
  expect([...call.headers]).toEqual([])
})

test('a function is asked for each attempt', async () => {
  const { seen, send } = play()
  let count = 0
  const sent = bearer(async () => `key${++count}`)(send)
  await sent(call)
  await sent(call)
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer key1', 'Bearer key2'])
})

test('with an origin no other gets the key', async () => {
  const { seen, send } = play()
  const sent = bearer('key', { origin: 'https://api.example/api/v1' })(send)
  await sent(call)
  await sent({ ...call, url: 'https://cdn.example/file' })
  expect(seen).toEqual([
    { authorization: 'Bearer key', redirect: 'manual' },
    { authorization: null, redirect: undefined },
  ])
})

test('an operation that takes no key gets none', async () => {
  const { seen, send } = play()
  await bearer('key')(send)({ ...call, operation: operation([['siwx']]) })
  await bearer('key')(send)({ ...call, operation: operation([[], ['BearerAuth']]) })
  expect(seen.map(({ authorization }) => authorization)).toEqual([null, 'Bearer key'])
})

test('a header of the caller’s own stays', async () => {
  const { seen, send } = play()
  await bearer('key')(send)({ ...call, headers: new Headers({ authorization: 'Basic x' }) })
  expect(seen[0]?.authorization).toBe('Basic x')
})

test('a key that does not fit into a header is refused without being shown', async () => {
  const { seen, send } = play()
  for (const key of ['', 'planted\n', 'planted secret', 'plantéd', undefined as unknown as string]) {
    const error: unknown = await bearer(key)(send)(call).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_key', retryable: false })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('plant')
  }
  expect(seen).toEqual([])
})

test('a source of the key that fails is an error of its own', async () => {
  const cause = new Error('vault closed')
  const sent = bearer(() => Promise.reject(cause))(play().send)
  await expect(sent(call)).rejects.toMatchObject({ code: 'key_unavailable', cause })
})
