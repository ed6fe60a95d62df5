import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeResponse, startEchoServer, type Echo } from '../../test/echo.js'
import { generateClient, type Calls } from '../../test/generated-client.js'
import { buildSmallApi } from '../../test/small-api.js'
import { client } from './client.js'

const json = { 'application/json': { schema: { type: 'object' } } }
const withSchema = (schema: object, rest: object = {}) => ({ schema, ...rest })
const left = { $ref: '#/components/headers/Left' }

const document = {
  openapi: '3.1.0',
  info: { title: 'Headers', version: '1' },
  paths: {
    '/a': {
      get: {
        operationId: 'get',
        responses: {
          200: {
            description: 'Done',
            content: json,
            headers: {
              'X-Left': left,
              'X-Ratio': withSchema({ type: 'number' }),
              'X-Cached': withSchema({ type: 'boolean' }, { required: true }),
              ETag: withSchema({ type: 'string' }, { description: 'Ends */ nothing.' }),
              'X-Tier': withSchema({ $ref: '#/components/schemas/Tier' }),
              'X-Sizes': withSchema({ type: 'array', items: { type: 'integer' } }),
              'X-Json': {
                content: { 'application/json': { schema: { $ref: '#/components/schemas/Facts' } } },
              },
              'X-Either': withSchema({ type: ['string', 'integer'] }),
              'X-Record': withSchema({ type: 'object', properties: { a: { type: 'integer' } } }),
              'x-left': withSchema({ type: 'string' }),
              xRatio: withSchema({ type: 'string' }),
              'Content-Type': withSchema({ type: 'string' }),
            },
          },
          404: { description: 'No', content: json },
          '4XX': { description: 'No', content: json, headers: { 'X-Left': left } },
          default: {
            description: 'No',
            content: json,
            headers: { 'X-Left': left, 'Retry-After': withSchema({ type: 'integer' }) },
          },
        },
      },
      delete: {
        operationId: 'cookies',
        responses: {
          200: {
            description: 'Done',
            content: json,
            headers: { 'Set-Cookie': withSchema({ type: 'array', items: { type: 'string' } }) },
          },
        },
      },
      post: { operationId: 'none', responses: { 200: { description: 'Done', content: json } } },
      put: {
        operationId: 'same',
        responses: { 200: { description: 'Done', content: json, headers: { 'X-Left': left } } },
      },
    },
  },
  components: {
    headers: {
      Left: withSchema(
        { type: 'integer' },
        { required: true, description: 'Calls that are left.' },
      ),
    },
    schemas: {
      Tier: { enum: ['free', 'paid'] },
      Facts: { type: 'object', properties: { price: { type: 'number' } } },
    },
  },
}

const program = `import { createClient } from './out/client/index.js'
const client = createClient({ baseUrl: '' })
const result = await client.get()
if (result.status === 200) {
  const { xLeft, xCached, xRatio, eTag, xTier, xSizes, xJson, xEither, xRecord } = result.headers
  void [xLeft satisfies number, xCached satisfies boolean, xRatio satisfies number | undefined, eTag satisfies string | undefined, xTier satisfies 'free' | 'paid' | undefined, xSizes satisfies readonly number[] | undefined]
  void [xJson?.price satisfies number | undefined, xEither satisfies string | undefined, xRecord satisfies string | undefined]
  // @ts-expect-error a number is no text
  void (xLeft satisfies string)
  // @ts-expect-error it need not be there
  void (xRatio satisfies number)
} else if (result.status === 404) {
  // @ts-expect-error this response declares no headers
  void result.headers
} else if (result.status === 418) {
  void (result.headers.xLeft satisfies number)
} else if (result.status === 500) {
  void (result.headers.retryAfter satisfies number | undefined)
}
const none = await client.none()
// @ts-expect-error this operation declares none
void none.headers
`

let server: Echo
let generatedClient: Awaited<ReturnType<typeof generateClient>>
let calls: Calls

beforeAll(async () => {
  server = await startEchoServer()
  generatedClient = await generateClient('headers', document)
  calls = (
    generatedClient.module as { readonly createClient: (options: object) => Calls }
  ).createClient({ baseUrl: server.origin })
})
afterAll(async () => {
  await Promise.all([generatedClient.remove(), server.close()])
})

/** The headers of a result, where the service sends these lines. */
async function read(id: string, lines: readonly string[], status?: string): Promise<unknown> {
  server.respond = () => writeResponse('{}', lines, status)
  const result = await calls[id]?.()
  return result && 'headers' in result ? result.headers : undefined
}

describe('the headers of a result', () => {
  it('are decoded as they are declared', async () => {
    const lines = [
      'x-left: 7',
      'X-RATIO: 0.5',
      'x-cached: true',
      'etag: "a"',
      'x-tier: paid',
      'x-sizes: 1, 2,3',
      'x-json: {"price":1}',
    ]
    expect(
      await read('get', [...lines, 'x-either: 1', 'x-record: a,1', 'xratio: free', 'x-other: 1']),
    ).toEqual({
      xLeft: 7,
      xRatio: 0.5,
      xCached: true,
      eTag: '"a"',
      xTier: 'paid',
      xSizes: [1, 2, 3],
      xJson: { price: 1 },
      xEither: '1',
      xRecord: 'a,1',
      xratio: 'free',
    })
  })

  it('have one entry per cookie', async () => {
    const cookies = ['a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'c=d']
    const lines = cookies.map((cookie) => `set-cookie: ${cookie}`)
    expect(await read('cookies', lines)).toEqual({ setCookie: cookies })
    expect(await read('cookies', [])).toEqual({})
  })

  it.each([
    ['x-left', ['', 'seven', 'NaN', '1e999', '7, 8']],
    ['x-cached', ['1', 'yes', '']],
    ['x-sizes', ['1,,2', 'a']],
    ['x-json', ['{', '']],
  ])('omit %s if it does not match its declaration', async (name, values) => {
    for (const value of values)
      expect([value, await read('get', [`${name}: ${value}`])]).toEqual([value, {}])
  })

  it('are those of the status, its range, or the default', async () => {
    const lines = ['x-left: 1', 'retry-after: 2']
    expect(await read('get', lines, '404 Not Found')).toBeUndefined()
    expect(await read('get', lines, '418 Teapot')).toEqual({ xLeft: 1 })
    expect(await read('get', lines, '500 Broken')).toEqual({ xLeft: 1, retryAfter: 2 })
    expect(await read('none', lines)).toBeUndefined()
  })

  it('are parsed once, on first access', async () => {
    const { createClient } = generatedClient.module as {
      readonly createClient: (options: object) => Calls
    }
    const made200 = createClient({
      baseUrl: '',
      fetch: () => Response.json({}, { headers: { 'x-left': '1' } }),
    })
    const result = (await made200['same']?.()) as unknown as {
      readonly headers: object
      readonly response: Response
    }
    result.response.headers.set('x-left', '2')
    expect(result.headers).toEqual({ xLeft: 2 })
    expect(result.headers).toBe(result.headers)
  })

  deepTest('are typed, each set of them once', async () => {
    expect(await generatedClient.compile(program)).toBe('')
  })

  it('add no code to an operation without them', async () => {
    const files = client.emit(await buildSmallApi())
    expect(files.map(({ path }) => path)).not.toContain('headers.ts')
    expect(files.flatMap(({ body }) => [...body].map(({ text }) => text)).join('\n')).not.toMatch(
      /withHeaders|response-headers/,
    )
  })
})
