import type { Call, Operation, Send } from '@farebox/middleware'
import { afterEach, expect, test, vi } from 'vitest'
import { privateKeySigner } from '../signers/private-key-signer.js'
import { verifySiwxHeader } from '../verify.js'
import { wallet, type SiwxOptions } from './wallet.js'

const start = Date.UTC(2026, 5, 30, 12)
const origin = 'https://api.example:4020'
const call: Call = { url: `${origin}/api/v1/models`, method: 'GET', headers: new Headers() }
const key = privateKeySigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

const operation = (security: Operation['security']): Operation => ({ id: 'x', method: 'GET', path: '/x', security, idempotent: true })

/**
 * A wallet that counts its signatures, and a server that answers 401 to what it does not accept.
 */
function play(options: Partial<SiwxOptions> = {}, server: { serverNow?: () => number; singleUse?: boolean; headerName?: string } = {}) {
  const state = { signatures: 0, headers: [] as (string | null)[], redirects: [] as unknown[] }
  const signer = { ...key, sign: async (message: string) => (state.signatures++, key.sign(message)) }
  const nonces = new Set<string>()
  const serverNow = server.serverNow ?? (() => start)
  const send: Send = async ({ headers, init }) => {
    const header = headers.get(server.headerName ?? 'SIGN-IN-WITH-X')
    state.headers.push(header)
    state.redirects.push(init?.redirect)
    const date = { date: new Date(serverNow()).toUTCString() }
    try {
      const { nonce } = await verifySiwxHeader(header ?? '', { domain: 'api.example:4020', uri: origin, now: serverNow })
      if (server.singleUse !== false && nonces.has(nonce)) return new Response('reused', { status: 401, headers: date })
      nonces.add(nonce)
      return new Response('in', { headers: date })
    } catch {
      return new Response('out', { status: 401, headers: date })
    }
  }
  return { state, send: wallet(signer, { origin, now: () => start, ...options })(send) }
}

afterEach(() => vi.restoreAllMocks())

test('a call to the service is signed in, and redirects are not followed', async () => {
  const { state, send } = play()
  expect((await send(call)).status).toBe(200)
  expect(state.redirects).toEqual(['manual'])
})

test('the call that was given keeps its own headers', async () => {
  await play().send(call)
  expect([...call.headers]).toEqual([])
})

test('every attempt is signed afresh', async () => {
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

test('only an operation that takes a wallet is signed in', async () => {
  const { state, send } = play()
  await send({ ...call, operation: operation([['BearerAuth']]) })
  await send({ ...call, operation: operation([]) })
  expect(state.signatures).toBe(0)
  expect((await send({ ...call, operation: operation([['BearerAuth'], ['siwx']]) })).status).toBe(200)
})

test('after a 401 a call is signed and sent once more, by the service’s clock', async () => {
  const { state, send } = play({}, { serverNow: () => start + 600_000 })
  expect((await send(call)).status).toBe(200)
  expect(state.signatures).toBe(2)
  expect((await send(call)).status).toBe(200)
  expect(state.signatures).toBe(3)
})

test('a second 401 is the answer', async () => {
  const { state, send } = play({ statement: 'x', domain: 'other.example' })
  expect((await send(call)).status).toBe(401)
  expect(state.signatures).toBe(2)
})

test('after a 401 a stream is not sent again', async () => {
  const { state, send } = play({ domain: 'other.example' })
  expect((await send({ ...call, method: 'POST', body: new ReadableStream() })).status).toBe(401)
  expect(state.signatures).toBe(1)
})

test('with reuse any number of calls share one signature until 80 % of its life', async () => {
  let time = start
  const { state, send } = play({ reuse: true, now: () => time }, { serverNow: () => time, singleUse: false })
  await Promise.all([send(call), send(call), send(call)])
  await send(call)
  time += 479_999
  await send(call)
  expect(state.signatures).toBe(1)
  time += 1
  await send(call)
  expect(state.signatures).toBe(2)
})

test('with reuse parallel calls share the one signature after a 401 as well', async () => {
  const { state, send } = play({ reuse: true }, { serverNow: () => start + 600_000, singleUse: false })
  const responses = await Promise.all([send(call), send(call), send(call)])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(state.signatures).toBe(2)
})

test('when the service refuses a signature that it took before, signatures are fresh from then on', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  let told = 0
  const { state, send } = play({ reuse: true, onReuseRefused: () => told++ })
  expect((await send(call)).status).toBe(200)
  expect(told).toBe(0)
  expect((await send(call)).status).toBe(200)
  expect((await send(call)).status).toBe(200)
  expect(state.headers).toHaveLength(4)
  expect(state.signatures).toBe(3)
  expect([told, warn.mock.calls]).toEqual([1, [[expect.stringContaining('`reuse` has no effect')]]])
})

test('when the service says that a nonce was reused, each call is signed afresh, even while the first is still being answered', async () => {
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
    if (nonces.has(nonce)) return Response.json({ code: 'X402_SIGN_IN_NONCE_REUSED' }, { status: 401 })
    nonces.add(nonce)
    await late
    return new Response('in')
  }
  const signedIn = wallet(signer, { origin, now: () => start, reuse: true })(send)
  const all = Promise.all([signedIn(call), signedIn(call), signedIn(call)])
  await expect.poll(() => sends).toBe(5)
  finish()
  expect((await all).map(({ status }) => status)).toEqual([200, 200, 200])
  expect([signatures, sends, warn.mock.calls.length]).toEqual([3, 5, 1])
})

test('without reuse parallel calls each have one signature, and one more after a 401', async () => {
  const { state, send } = play({}, { serverNow: () => start + 600_000 })
  const responses = await Promise.all([send(call), send(call), send(call)])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect([state.signatures, new Set(state.headers).size]).toEqual([6, 6])
})

test('clients do not share what they learnt of the clock', async () => {
  const late = play({}, { serverNow: () => start + 600_000 })
  await late.send(call)
  const other = play()
  expect((await other.send(call)).status).toBe(200)
  expect(other.state.signatures).toBe(1)
})

test('a refusal to sign is thrown, and with reuse asked anew', async () => {
  let refusals = 1
  const signer = { ...key, sign: async (message: string) => (refusals-- > 0 ? Promise.reject(new Error('no')) : key.sign(message)) }
  const send = wallet(signer, { origin, reuse: true })(async () => new Response())
  await expect(send(call)).rejects.toMatchObject({ code: 'signing_failed', retryable: false })
  expect((await send(call)).status).toBe(200)
})

test('the header may have its legacy name, and a header of the caller’s own stays', async () => {
  const legacy = play({ headerName: 'X-Sign-In-With-X' }, { headerName: 'X-Sign-In-With-X' })
  expect((await legacy.send(call)).status).toBe(200)
  const own = play()
  await own.send({ ...call, headers: new Headers({ 'sign-in-with-x': 'mine' }) })
  expect(own.state.headers).toEqual(['mine'])
})

test('a redirect is an error, unless the caller asked for redirects as answers', async () => {
  const sent = wallet(key, { origin })(async () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }))
  await expect(sent({ ...call, url: `${call.url}?secret=1` })).rejects.toMatchObject({
    code: 'redirect_refused',
    message: 'GET https://api.example:4020/api/v1/models redirects, and credentials are not sent to a redirect; use the final URL',
  })
  expect((await sent({ ...call, init: { redirect: 'manual' } })).status).toBe(302)
})

test('an origin that is none is refused at construction', () => {
  expect(() => wallet(key, { origin: 'api.example' })).toThrow('origin is not an http(s) URL')
  expect(() => wallet(key, { origin: 'data:text/plain,x' })).toThrow('origin is not an http(s) URL')
})
