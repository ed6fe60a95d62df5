import type { Call, Operation, Send } from '@farebox/middleware'
import { afterEach, expect, test, vi } from 'vitest'
import { privateKeySigner } from '../keys.js'
import { verifySiwxHeader } from '../verify.js'
import { signIn, type SignInOptions } from './sign-in.js'

const start = Date.UTC(2026, 5, 30, 12)
const origin = 'https://api.example:4020'
const call: Call = { url: `${origin}/api/v1/models`, method: 'GET', headers: new Headers() }
const key = privateKeySigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

const createOperation = (security: Operation['security']): Operation => ({
  id: 'x',
  method: 'GET',
  path: '/x',
  security,
  idempotent: true,
})

/**
 * A wallet that counts its signatures, and a server that responds 401 to invalid sign-ins.
 */
function play(
  options: Partial<SignInOptions> = {},
  server: { serverNow?: () => number; singleUse?: boolean; headerName?: string } = {},
) {
  const state = { signatures: 0, headers: [] as (string | null)[], redirects: [] as unknown[] }
  const signer = {
    ...key,
    sign: async (message: string) => (state.signatures++, key.sign(message)),
  }
  const nonces = new Set<string>()
  const serverNow = server.serverNow ?? (() => start)
  const send: Send = async ({ headers, init }) => {
    const header = headers.get(server.headerName ?? 'SIGN-IN-WITH-X')
    state.headers.push(header)
    state.redirects.push(init?.redirect)
    const date = { date: new Date(serverNow()).toUTCString() }
    try {
      const { nonce } = await verifySiwxHeader(header ?? '', {
        domain: 'api.example:4020',
        uri: origin,
        now: serverNow,
      })
      if (server.singleUse !== false && nonces.has(nonce))
        return new Response('reused', { status: 401, headers: date })
      nonces.add(nonce)
      return new Response('in', { headers: date })
    } catch {
      return new Response('out', { status: 401, headers: date })
    }
  }
  return { state, send: signIn(signer, { origin, now: () => start, ...options })(send) }
}

afterEach(() => vi.restoreAllMocks())

test('signs in a call to the service, and does not follow redirects', async () => {
  const { state, send } = play()
  expect((await send(call)).status).toBe(200)
  expect(state.redirects).toEqual(['manual'])
})

test('does not change the headers of the original call', async () => {
  await play().send(call)
  expect([...call.headers]).toEqual([])
})

test('every attempt has a new signature', async () => {
  const { state, send } = play()
  await send(call)
  await send(call)
  expect(state.signatures).toBe(2)
  expect(new Set(state.headers).size).toBe(2)
})

test('another origin never gets a signature', async () => {
  const { state, send } = play()
  for (const url of [
    'https://evil.example/',
    'http://api.example:4020/',
    'https://api.example/',
    'https://api.example:4020.evil.example/',
    'not an address',
  ]) {
    await send({ ...call, url })
  }
  expect(state.headers).toEqual([null, null, null, null, null])
  expect(state.signatures).toBe(0)
})

test('signs in only operations that accept a wallet', async () => {
  const { state, send } = play()
  await send({ ...call, operation: createOperation([['BearerAuth']]) })
  await send({ ...call, operation: createOperation([]) })
  expect(state.signatures).toBe(0)
  expect(
    (await send({ ...call, operation: createOperation([['BearerAuth'], ['siwx']]) })).status,
  ).toBe(200)
})

test('after a 401 a call is signed and sent once more, with the service’s time', async () => {
  const { state, send } = play({}, { serverNow: () => start + 600_000 })
  expect((await send(call)).status).toBe(200)
  expect(state.signatures).toBe(2)
  expect((await send(call)).status).toBe(200)
  expect(state.signatures).toBe(3)
})

test('a second 401 is returned', async () => {
  const { state, send } = play({ statement: 'x', domain: 'other.example' })
  expect((await send(call)).status).toBe(401)
  expect(state.signatures).toBe(2)
})

test('after a 401 a stream is not resent', async () => {
  const { state, send } = play({ domain: 'other.example' })
  expect((await send({ ...call, method: 'POST', body: new ReadableStream() })).status).toBe(401)
  expect(state.signatures).toBe(1)
})

test('with reuse, calls share one signature until 80 % of its lifetime', async () => {
  let time = start
  const { state, send } = play(
    { reuse: true, now: () => time },
    { serverNow: () => time, singleUse: false },
  )
  await Promise.all([send(call), send(call), send(call)])
  await send(call)
  time += 479_999
  await send(call)
  expect(state.signatures).toBe(1)
  time += 1
  await send(call)
  expect(state.signatures).toBe(2)
})

test('with reuse, parallel calls also share one signature after a 401', async () => {
  const { state, send } = play(
    { reuse: true },
    { serverNow: () => start + 600_000, singleUse: false },
  )
  const responses = await Promise.all([send(call), send(call), send(call)])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(state.signatures).toBe(2)
})

test('after the service rejects a signature that it accepted before, each call has a new one', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  let told = 0
  const { state, send } = play({ reuse: true, onReuseRejected: () => told++ })
  expect((await send(call)).status).toBe(200)
  expect(told).toBe(0)
  expect((await send(call)).status).toBe(200)
  expect((await send(call)).status).toBe(200)
  expect(state.headers).toHaveLength(4)
  expect(state.signatures).toBe(3)
  expect([told, warn.mock.calls]).toEqual([1, [[expect.stringContaining('`reuse` has no effect')]]])
})

test('after the service reports a reused nonce, each call has a new signature, even while the first response is pending', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  let finish = () => {}
  const late = new Promise<void>((resolve) => (finish = resolve))
  let [signatures, sends] = [0, 0]
  const signer = { ...key, sign: async (message: string) => (signatures++, key.sign(message)) }
  const nonces = new Set<string>()
  const send: Send = async ({ headers }) => {
    sends++
    const { nonce } = await verifySiwxHeader(headers.get('SIGN-IN-WITH-X') ?? '', {
      domain: 'api.example:4020',
      uri: origin,
      now: () => start,
    })
    if (nonces.has(nonce))
      return Response.json({ code: 'X402_SIGN_IN_NONCE_REUSED' }, { status: 401 })
    nonces.add(nonce)
    await late
    return new Response('in')
  }
  const headers = signIn(signer, { origin, now: () => start, reuse: true })(send)
  const all = Promise.all([headers(call), headers(call), headers(call)])
  await expect.poll(() => sends).toBe(5)
  finish()
  expect((await all).map(({ status }) => status)).toEqual([200, 200, 200])
  expect([signatures, sends, warn.mock.calls.length]).toEqual([3, 5, 1])
})

test('without reuse, each parallel call has its own signature, and another after a 401', async () => {
  const { state, send } = play({}, { serverNow: () => start + 600_000 })
  const responses = await Promise.all([send(call), send(call), send(call)])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect([state.signatures, new Set(state.headers).size]).toEqual([6, 6])
})

test('clients do not share their clock offsets', async () => {
  const late = play({}, { serverNow: () => start + 600_000 })
  await late.send(call)
  const other = play()
  expect((await other.send(call)).status).toBe(200)
  expect(other.state.signatures).toBe(1)
})

test('an error of the wallet is thrown, and with reuse the next call asks again', async () => {
  let rejections = 1
  const signer = {
    ...key,
    sign: async (message: string) =>
      rejections-- > 0 ? Promise.reject(new Error('no')) : key.sign(message),
  }
  const send = signIn(signer, { origin, reuse: true })(async () => new Response())
  await expect(send(call)).rejects.toMatchObject({ code: 'signing_failed', retryable: false })
  expect((await send(call)).status).toBe(200)
})

test('supports the legacy header name, and keeps the caller’s own header', async () => {
  const legacy = play({ headerName: 'X-Sign-In-With-X' }, { headerName: 'X-Sign-In-With-X' })
  expect((await legacy.send(call)).status).toBe(200)
  const ownHeader = play()
  await ownHeader.send({ ...call, headers: new Headers({ 'sign-in-with-x': 'mine' }) })
  expect(ownHeader.state.headers).toEqual(['mine'])
})

test('a redirect is an error, unless the caller set `redirect: manual`', async () => {
  const sent = signIn(key, { origin })(
    async () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
  )
  await expect(sent({ ...call, url: `${call.url}?secret=1` })).rejects.toMatchObject({
    code: 'redirect_refused',
    message:
      'GET https://api.example:4020/api/v1/models redirects; credentials do not follow; use the final URL',
  })
  expect((await sent({ ...call, init: { redirect: 'manual' } })).status).toBe(302)
})

test('rejects an invalid origin at construction', () => {
  expect(() => signIn(key, { origin: 'api.example' })).toThrow('origin is not an http(s) URL')
  expect(() => signIn(key, { origin: 'data:text/plain,x' })).toThrow('origin is not an http(s) URL')
})
