import { inspect } from 'node:util'
import fc from 'fast-check'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { character } from '../../runtime/arbitraries/scalars.js'
import { writeResponse, startEchoServer, selectLines, type Echo } from '../../test/echo.js'
import { generateClient, type Calls } from '../../test/generated-client.js'
import { buildSmallApi } from '../../test/small-api.js'
import { build, withOperation } from '../../test/documents.js'
import { client, clientWith } from './client.js'

const done = {
  200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
}
const get = (operationId: string, security?: readonly object[], rest: object = {}) => ({
  get: { operationId, responses: done, ...(security !== undefined && { security }), ...rest },
})

const document = {
  openapi: '3.1.0',
  info: { title: 'Guarded', version: '1' },
  security: [{ inHeader: [] }],
  paths: {
    '/header': get('byHeader'),
    '/query': get('byQuery', [{ inQuery: [] }], {
      parameters: [{ name: 'a', in: 'query', schema: { type: 'string' } }],
    }),
    '/cookie': get('byCookie', [{ 'in-cookie': [] }], {
      parameters: [{ name: 'a', in: 'cookie', schema: { type: 'string' } }],
    }),
    '/basic': get('byBasic', [{ basic: [] }]),
    '/bearer': get('byBearer', [{ bearer: [] }]),
    '/digest': get('byDigest', [{ digest: [] }]),
    '/oauth2': get('byOauth', [{ oauth: ['read'] }]),
    '/openid': get('byOpenId', [{ openId: [] }]),
    '/mutual': get('byCertificate', [{ mutual: [] }]),
    '/both': get('byBothOrOne', [{ inHeader: [], inQuery: [] }, { bearer: [] }]),
    '/optional': get('optional', [{}, { bearer: [] }]),
    '/open': get('open', []),
    '/undeclared': get('undeclared', [{ bearer: [] }]),
    '/free-header': get('freeHeader', [], {
      parameters: [{ name: 'X-Key', in: 'header', schema: { type: 'string' } }],
    }),
  },
  components: {
    securitySchemes: {
      inHeader: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Key',
        description: 'From the */ console.',
      },
      inQuery: { type: 'apiKey', in: 'query', name: 'api key' },
      'in-cookie': { type: 'apiKey', in: 'cookie', name: 'sid' },
      basic: { type: 'http', scheme: 'Basic' },
      bearer: { type: 'http', scheme: 'bearer' },
      digest: { type: 'http', scheme: 'Digest' },
      oauth: {
        type: 'oauth2',
        flows: { implicit: { authorizationUrl: 'https://login.example/', scopes: { read: '' } } },
      },
      openId: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example/' },
      mutual: { type: 'mutualTLS' },
      unused: { type: 'http', scheme: 'bearer' },
    },
  },
}

const program = `import { createClient, MissingCredentialsError, withCredentials, type Credentials } from './out/client/index.js'
createClient({ baseUrl: '', credentials: { inHeader: 'a', inQuery: () => 'b', 'in-cookie': async () => 'c', openId: () => undefined } })
createClient({ baseUrl: '', credentials: { basic: async () => ({ username: 'a', password: 'b' }), mutual: true } })
createClient({ baseUrl: '' })
export const send = withCredentials(async () => new Response(), { bearer: 't' })
export const sets: readonly (readonly string[])[] = new MissingCredentialsError('a', []).schemes
// @ts-expect-error no operation asks for this scheme
export const unused: Credentials = { unused: 'a' }
// @ts-expect-error a user has a password
createClient({ baseUrl: '', credentials: { basic: 'a:b' } })
// @ts-expect-error a key is a string
createClient({ baseUrl: '', credentials: { inHeader: 7 } })
`

type Options = {
  readonly baseUrl: string
  readonly credentials?: object
  readonly fetch?: typeof fetch
  readonly send?: unknown
}
type Module = { readonly createClient: (options: Options) => Calls }

let generatedClient: Awaited<ReturnType<typeof generateClient>>
let createClient: Module['createClient']
let server: Echo
let other: Echo

beforeAll(async () => {
  generatedClient = await generateClient('credentials', document)
  createClient = (generatedClient.module as Module).createClient
  server = await startEchoServer()
  other = await startEchoServer()
})
afterEach(() => {
  server.seen.length = 0
  other.seen.length = 0
  server.respond = () => writeResponse('{}')
})
afterAll(async () => {
  await Promise.all([generatedClient.remove(), server.close(), other.close()])
})

const createCalls = (credentials?: object): Calls =>
  createClient({ baseUrl: server.origin, ...(credentials !== undefined && { credentials }) })

/** What one call puts on the wire: its first line, and the headers that carry credentials. */
async function captureRequest(
  id: string,
  credentials: object | undefined,
  input: object = {},
  options: object = {},
): Promise<readonly string[]> {
  server.seen.length = 0
  await createCalls(credentials)[id]?.(input, options)
  expect(server.seen).toHaveLength(1)
  return selectLines(server.seen[0] ?? '', 'authorization', 'cookie', 'x-key')
}

describe('a credential on the wire', () => {
  it.each([
    ['byHeader', { inHeader: 'kéy 1' }, {}, ['GET /header HTTP/1.1', 'x-key: kéy 1']],
    [
      'byQuery',
      { inQuery: "a&b=c d'é" },
      {},
      ['GET /query?api%20key=a%26b%3Dc%20d%27%C3%A9 HTTP/1.1'],
    ],
    ['byQuery', { inQuery: 'k' }, { a: '1' }, ['GET /query?a=1&api%20key=k HTTP/1.1']],
    ['byCookie', { 'in-cookie': 's+/=' }, {}, ['GET /cookie HTTP/1.1', 'cookie: sid=s+/=']],
    ['byCookie', { 'in-cookie': 's' }, { a: '1' }, ['GET /cookie HTTP/1.1', 'cookie: a=1; sid=s']],
    // RFC 7617, section 2.1
    [
      'byBasic',
      { basic: { username: 'test', password: '123£' } },
      {},
      ['GET /basic HTTP/1.1', 'authorization: Basic dGVzdDoxMjPCow=='],
    ],
    ['byBearer', { bearer: 'a.b.c' }, {}, ['GET /bearer HTTP/1.1', 'authorization: Bearer a.b.c']],
    [
      'byDigest',
      { digest: 'username="a"' },
      {},
      ['GET /digest HTTP/1.1', 'authorization: Digest username="a"'],
    ],
    [
      'byOauth',
      { oauth: async () => Promise.resolve('token') },
      {},
      ['GET /oauth2 HTTP/1.1', 'authorization: Bearer token'],
    ],
    [
      'byOpenId',
      { openId: () => 'token' },
      {},
      ['GET /openid HTTP/1.1', 'authorization: Bearer token'],
    ],
    ['byCertificate', { mutual: true }, {}, ['GET /mutual HTTP/1.1']],
    ['open', { inHeader: 'k', bearer: 't' }, {}, ['GET /open HTTP/1.1']],
    [
      'freeHeader',
      { inHeader: 'k' },
      { xKey: 'mine' },
      ['GET /free-header HTTP/1.1', 'x-key: mine'],
    ],
  ])('of %s %j', async (id, credentials, input, lines) => {
    expect(await captureRequest(id, credentials, input)).toEqual(lines)
  })

  it('belongs to the first satisfied requirement, in document order', async () => {
    const [header, query, bearer] = [{ inHeader: 'h' }, { inQuery: 'q' }, { bearer: 'b' }]
    expect(await captureRequest('byBothOrOne', { ...header, ...query, ...bearer })).toEqual([
      'GET /both?api%20key=q HTTP/1.1',
      'x-key: h',
    ])
    expect(await captureRequest('byBothOrOne', { ...header, ...bearer })).toEqual([
      'GET /both HTTP/1.1',
      'authorization: Bearer b',
    ])
    expect(await captureRequest('byBothOrOne', { ...query, ...bearer })).toEqual([
      'GET /both HTTP/1.1',
      'authorization: Bearer b',
    ])
  })

  it('is sent if it is optional and given, and not otherwise', async () => {
    expect(await captureRequest('optional', { bearer: 'b' })).toEqual([
      'GET /optional HTTP/1.1',
      'authorization: Bearer b',
    ])
    expect(await captureRequest('optional', {})).toEqual(['GET /optional HTTP/1.1'])
    expect(await captureRequest('optional', { bearer: () => undefined })).toEqual([
      'GET /optional HTTP/1.1',
    ])
  })

  it("is the caller's own if the caller sets the header", async () => {
    const headers = { authorization: 'Bearer mine' }
    expect(await captureRequest('byBearer', { bearer: 'b' }, {}, { headers })).toEqual([
      'GET /bearer HTTP/1.1',
      'authorization: Bearer mine',
    ])
    expect(await captureRequest('byBearer', {}, {}, { headers })).toEqual([
      'GET /bearer HTTP/1.1',
      'authorization: Bearer mine',
    ])
  })

  it('is absent if the client has no credentials at all', async () => {
    expect(await captureRequest('byHeader', undefined)).toEqual(['GET /header HTTP/1.1'])
  })

  it('is read once for each call', async () => {
    let requests = 0
    const bearer = () => `t${++requests}`
    const calls = createCalls({ bearer, inHeader: 'h' })
    await calls['byBothOrOne']?.()
    await calls['byBearer']?.()
    expect(server.seen.map((request) => selectLines(request, 'authorization')[1])).toEqual([
      'authorization: Bearer t1',
      'authorization: Bearer t2',
    ])
  })
})

describe('a missing credential', () => {
  it.each([
    [
      'byHeader',
      { bearer: 'b' },
      'byHeader: its credentials are missing. Give the client\'s credentials "inHeader".',
    ],
    [
      'byBothOrOne',
      { inHeader: 'h' },
      'byBothOrOne: its credentials are missing. Give the client\'s credentials "inHeader" and "inQuery", or "bearer".',
    ],
    [
      'byBearer',
      { bearer: '' },
      'byBearer: its credentials are missing. Give the client\'s credentials "bearer".',
    ],
    [
      'byCertificate',
      { mutual: false },
      'byCertificate: its credentials are missing. Give the client\'s credentials "mutual".',
    ],
  ])('of %s %j is reported, and nothing is sent', async (id, credentials, message) => {
    const error = await catchError(credentials, id)
    expect(error).toMatchObject({ name: 'MissingCredentialsError', operation: id, message })
    expect(server.seen).toEqual([])
  })
})

/** What a call throws. */
async function catchError(credentials: object, id: string): Promise<unknown> {
  const call = createCalls(credentials)[id]
  return call?.().catch((thrown: unknown) => thrown)
}

/** Everything of an error that a log could hold. */
function inspectError(error: unknown): string {
  return `${inspect(error, { depth: 9, showHidden: true })}\n${JSON.stringify(error)}`
}

describe('a credential is never shown', () => {
  const secret = 'sk_live_0123456789/ä'

  it.each([
    ['byHeader', { inHeader: `${secret}\n1` }],
    ['byCookie', { 'in-cookie': `${secret};` }],
    ['byBasic', { basic: { username: 'a', password: `${secret}\u0000` } }],
    ['byBearer', { bearer: `${secret}✓` }],
    ['byBearer', { bearer: { token: secret } }],
    ['byBasic', { basic: `a:${secret}` }],
    ['byBasic', { basic: { username: secret } }],
  ])('by the error for one that cannot be sent: %s', async (id, credentials) => {
    const error = await catchError(credentials, id)
    expect(error).toMatchObject({ name: 'InvalidInputError' })
    expect(inspectError(error)).not.toContain('sk_live')
    expect(server.seen).toEqual([])
  })

  it('by a service that echoes it in an undeclared response', async () => {
    server.respond = (request) =>
      writeResponse(
        JSON.stringify({ url: request.split(' ')[1], token: secret }),
        [`content-language: en`],
        '418 Teapot',
      )
    for (const [id, credentials] of [
      ['byQuery', { inQuery: secret }],
      ['byBearer', { bearer: secret.slice(0, -1) }],
    ] as const) {
      const error = await catchError(credentials, id)
      expect(error).toMatchObject({ name: 'UnexpectedResponseError', reason: 'undeclared_status' })
      expect((error as { readonly excerpt: string }).excerpt).toContain('[hidden]')
      expect(inspectError(error)).not.toContain('sk_live')
    }
  })

  it('by the URL of a response', async () => {
    const result = (await createCalls({ inQuery: secret })['byQuery']?.()) as unknown as {
      readonly response: Response
    }
    expect(result.response.url).toBe(`${server.origin}/query?api%20key=[hidden]`)
  })

  it('by a platform that quotes the URL, also in causes', async () => {
    const failToSend = (url: unknown): Promise<Response> =>
      Promise.reject(
        new TypeError(`Cannot fetch ${String(url)}`, { cause: new Error(`at ${String(url)}`) }),
      )
    const calls = createClient({
      baseUrl: server.origin,
      credentials: { inQuery: secret },
      fetch: failToSend,
    })
    const error = await calls['byQuery']?.().catch((thrown: unknown) => thrown)
    expect((error as Error).message).toBe(`Cannot fetch ${server.origin}/query?api%20key=[hidden]`)
    expect(inspectError(error)).not.toContain('sk_live')
  })

  it('as the base64 of HTTP Basic, or as its password', async () => {
    server.respond = (request) =>
      writeResponse(
        JSON.stringify([selectLines(request, 'authorization'), secret]),
        [],
        '418 Teapot',
      )
    const error = await catchError({ basic: { username: 'a', password: secret } }, 'byBasic')
    const { excerpt } = error as { readonly excerpt: string }
    expect(excerpt).toBe('[["GET /basic HTTP/1.1","authorization: [hidden]"],"[hidden]"]')
  })

  it('whatever its characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: character, minLength: 8 }), async (value) => {
        const failToSend = (url: unknown): Promise<Response> =>
          Promise.reject(new Error(`${String(url)} ${value}`))
        const calls = createClient({
          baseUrl: 'http://a',
          credentials: { inQuery: value },
          fetch: failToSend,
        })
        await expect(calls['byQuery']?.()).rejects.toThrow(
          /^http:\/\/a\/query\?api%20key=\[hidden\] \[hidden\]$/,
        )
      }),
    )
  })
})

describe('another origin', () => {
  it.each(['301 Moved', '302 Found', '307 Temporary', '308 Permanent'])(
    'gets no credential through a redirect: %s',
    async (status) => {
      server.respond = () => writeResponse('', [`location: ${other.origin}/steal`], status)
      for (const [id, credentials] of [
        ['byHeader', { inHeader: 'k' }],
        ['byQuery', { inQuery: 'k' }],
        ['byCookie', { 'in-cookie': 'k' }],
        ['byBearer', { bearer: 'k' }],
      ] as const)
        await expect(createCalls(credentials)[id]?.()).rejects.toMatchObject({
          reason: 'undeclared_status',
          status: Number(status.slice(0, 3)),
        })
      expect(other.seen).toEqual([])
    },
  )

  it('is followed if no credential is sent', async () => {
    server.respond = () => writeResponse('', [`location: ${other.origin}/there`], '302 Found')
    await createCalls({ bearer: 'b', inHeader: 'k' })['open']?.()
    expect(other.seen.map((request) => selectLines(request, 'authorization', 'x-key'))).toEqual([
      ['GET /there HTTP/1.1'],
    ])
  })
})

describe('the output', () => {
  deepTest('has types for the credentials that a program cannot mix up', async () => {
    expect(generatedClient.diagnostics).toEqual([])
    expect(await generatedClient.compile(program)).toBe('')
  })

  it('contains no credential code for a document without credentials', async () => {
    const api = await build(withOperation({}))
    expect(client.emit(api).map(({ path }) => path)).not.toContain('credentials.ts')
    expect(client.emit(api).at(-1)).toEqual(clientWith({ bare: true }).emit(api).at(-1))
  })

  it("contains no credential code if the user's code sets credentials", async () => {
    const paths = clientWith({ bare: true })
      .emit(await buildSmallApi())
      .map(({ path }) => path)
    expect(paths).toEqual(['facts.ts', 'functions.ts', 'operations.ts', 'index.ts'])
  })
})
