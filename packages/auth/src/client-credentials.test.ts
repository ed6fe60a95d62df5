import { compose, withMiddleware, type Call } from '@farebox/middleware'
import { describe, expect, test } from 'vitest'
import { clientCredentials, type ClientCredentialsOptions } from './client-credentials.js'
import { AuthError } from './errors.js'

const origin = 'https://api.example'
const tokenUrl = 'https://auth.example/oauth/token?tenant=tram'
const call: Call = { url: `${origin}/lines`, method: 'GET', headers: new Headers() }
const start = Date.UTC(2026, 5, 30, 12)

type TokenRequest = { readonly authorization: string | null; readonly form: Record<string, string> }

/**
 * An authorization server whose tokens are t1, t2 and so on, and an API that accepts those that are
 * not revoked. `reply` replaces the responses of the server.
 */
function play(
  options: Partial<ClientCredentialsOptions> = {},
  reply?: (at: number) => Response | Promise<Response>,
) {
  const state = { time: start, requests: [] as TokenRequest[], calls: [] as (string | null)[] }
  const revoked = new Set<string>()
  const fetch: typeof globalThis.fetch = async (url, init) => {
    expect([url, init?.method, init?.redirect]).toEqual([tokenUrl, 'POST', 'manual'])
    const headers = new Headers(init?.headers)
    expect(headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    state.requests.push({
      authorization: headers.get('authorization'),
      form: Object.fromEntries(new URLSearchParams(init?.body as string)),
    })
    const at = state.requests.length
    return (
      reply?.(at) ??
      Response.json({ access_token: `t${at}`, token_type: 'bearer', expires_in: 3600 })
    )
  }
  const oauth = clientCredentials({
    origin,
    tokenUrl,
    clientId: 'line 7:a',
    clientSecret: 'pa+ss/ä',
    fetch,
    now: () => state.time,
    ...options,
  })
  const send = compose(
    async ({ headers }) => {
      const given = headers.get('authorization')
      state.calls.push(given)
      const isValid = /^Bearer t\d+$/.test(given ?? '') && !revoked.has(given ?? '')
      return new Response(null, { status: isValid ? 200 : 401 })
    },
    [oauth.middleware],
  )
  return { oauth, send, state, revoke: (token: string) => void revoked.add(`Bearer ${token}`) }
}

const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('no error'),
    (error: unknown) => error as AuthError,
  )

describe('the token request', () => {
  test('has the grant, the scope, the further parameters and the encoded credentials', async () => {
    const { send, state } = play({ scope: 'read write', parameters: { audience: origin } })
    expect((await send(call)).status).toBe(200)
    const [{ authorization, form } = { authorization: '', form: {} }] = state.requests
    expect(form).toEqual({
      grant_type: 'client_credentials',
      scope: 'read write',
      audience: origin,
    })
    // RFC 6749, section 2.3.1: each part is encoded as in a form before it is joined
    expect(Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64').toString()).toBe(
      'line+7%3Aa:pa%2Bss%2F%C3%A4',
    )
  })

  test('has the credentials in its body if the server expects them there', async () => {
    const { oauth, state } = play({ clientAuthentication: 'body' })
    expect(await oauth.token()).toBe('t1')
    expect(state.requests).toEqual([
      {
        authorization: null,
        form: {
          grant_type: 'client_credentials',
          client_id: 'line 7:a',
          client_secret: 'pa+ss/ä',
        },
      },
    ])
  })

  test.each<readonly [string, () => Response | Promise<Response>]>([
    [
      'status 401, invalid_client: Unknown client.',
      () =>
        Response.json(
          { error: 'invalid_client', error_description: 'Unknown client.' },
          { status: 401 },
        ),
    ],
    ['status 302', () => new Response(null, { status: 302, headers: { location: '/login' } })],
    ['status 503', () => new Response('<html>', { status: 503 })],
    ['fetch failed', () => Promise.reject(new TypeError('fetch failed'))],
    ['the response has no access_token', () => new Response('ok')],
    ['the response has no access_token', () => Response.json({ access_token: 'a\nb' })],
    [
      'found token_type "mac", expected "Bearer"',
      () => Response.json({ access_token: 'a', token_type: 'mac' }),
    ],
    [
      'expires_in is not a number of seconds',
      () => Response.json({ access_token: 'a', token_type: 'Bearer', expires_in: 'soon' }),
    ],
  ])('that fails says why (%s), and the next call requests a token again', async (why, reply) => {
    const { send, state } = play({}, (at) =>
      at === 1 ? reply() : Response.json({ access_token: 't2', token_type: 'Bearer' }),
    )
    const error = await catchError(send(call))
    expect(error).toBeInstanceOf(AuthError)
    expect(error.code).toBe('token_unavailable')
    expect(error.message).toBe(
      `clientCredentials: https://auth.example/oauth/token gave no token (${why})`,
    )
    expect(state.calls).toEqual([])
    expect((await send(call)).status).toBe(200)
  })

  test('goes over plain HTTP only to this machine, and so do calls', () => {
    for (const insecure of [{ tokenUrl: 'http://auth.example/' }, { origin: 'http://api.example' }])
      expect(() => play(insecure)).toThrow('is plain HTTP; use https or allowInsecureHttp')
    play({ tokenUrl: 'http://127.0.0.1:4020/' })
  })
})

describe('a token', () => {
  test('is shared by calls at once, and used until shortly before it expires', async () => {
    const { send, state } = play()
    await Promise.all(Array.from({ length: 20 }, () => send(call)))
    state.time += 3_569_999
    await send(call)
    expect(state.requests).toHaveLength(1)
    state.time += 1
    await Promise.all([send(call), send(call)])
    expect(state.requests).toHaveLength(2)
    expect(state.calls.slice(-2)).toEqual(['Bearer t2', 'Bearer t2'])
  })

  test.each([undefined, null])(
    'with a short lifetime is used for half of it, and one without an expiry (%s) until a 401',
    async (endless) => {
      const lives = [20, endless]
      const { send, state, revoke } = play({}, (at) =>
        Response.json({ access_token: `t${at}`, token_type: 'Bearer', expires_in: lives[at - 1] }),
      )
      await send(call)
      state.time += 9_999
      await send(call)
      expect(state.requests).toHaveLength(1)
      state.time += 1
      await send(call)
      state.time += 365 * 86_400_000
      await send(call)
      expect(state.requests).toHaveLength(2)
      revoke('t2')
      expect((await send(call)).status).toBe(200)
      expect(state.requests).toHaveLength(3)
    },
  )

  test('that is revoked is replaced once for all calls that it fails', async () => {
    const { send, state, revoke } = play()
    await send(call)
    revoke('t1')
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(call)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(state.requests).toHaveLength(2)
    revoke('t2')
    revoke('t3')
    // a token that is rejected at once is the caller's to see
    expect((await send(call)).status).toBe(401)
    expect(state.requests).toHaveLength(3)
  })

  test('goes to the origin only, and replaces no other header', async () => {
    const { send, state } = play()
    await send({ ...call, url: 'https://other.example/lines' })
    await send({ ...call, headers: new Headers({ authorization: 'Bearer own' }) })
    expect([state.calls, state.requests]).toEqual([[null, 'Bearer own'], []])
  })

  test('that a generated client sends is renewed too', async () => {
    const { oauth, send, state, revoke } = play()
    const signed = async () =>
      send({ ...call, headers: new Headers({ authorization: `Bearer ${await oauth.token()}` }) })
    expect((await signed()).status).toBe(200)
    revoke('t1')
    expect((await signed()).status).toBe(200)
    expect(state.calls).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2'])
  })

  test('is not sent a second time with a body that is a stream', async () => {
    const { send, state, revoke } = play()
    await send(call)
    revoke('t1')
    expect((await send({ ...call, method: 'POST', body: new ReadableStream() })).status).toBe(401)
    expect((await send(call)).status).toBe(200)
    expect(state.requests).toHaveLength(2)
  })
})

test('an aborted caller does not wait for the token, which the next caller gets', async () => {
  let respond: (response: Response) => void = () => undefined
  const { send, state } = play({}, () => new Promise((resolve) => (respond = resolve)))
  const caller = new AbortController()
  const left = catchError(send({ ...call, signal: caller.signal }))
  const waiting = send(call)
  const reason = new Error('enough')
  caller.abort(reason)
  expect(await left).toBe(reason)
  respond(Response.json({ access_token: 't1', token_type: 'Bearer' }))
  expect((await waiting).status).toBe(200)
  expect(state.requests).toHaveLength(1)
})

test('redirects of the API are not followed with the token', async () => {
  const { oauth } = play()
  const api = async () => Response.redirect('https://other.example/', 302)
  const signedFetch = withMiddleware(api, oauth.middleware)
  expect(await catchError(signedFetch(call.url))).toMatchObject({ code: 'redirect_refused' })
})
