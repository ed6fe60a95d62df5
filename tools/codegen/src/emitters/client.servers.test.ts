import { sampleCases } from '../../../internal/testing/src/rounds.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startEchoServer, selectLines, type Echo } from '../../test/echo.js'
import { generateClient, type Calls } from '../../test/generated-client.js'
import type { Api } from '../ir/api.js'
import { buildApi } from '../ir/build.js'
import { loadDocument } from '../document/load.js'

const responses = {
  200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
}

/** A document whose servers are at these origins. */
const createDocument = (main: string, uploads: string) => ({
  openapi: '3.2.0',
  info: { title: 'Servers', version: '1' },
  servers: [
    {
      url: `${main.replace('127', '{net}')}/{base}/v1/`,
      description: 'Production.',
      variables: {
        net: { default: '127', enum: ['127', '128'], description: 'The net.' },
        base: { default: 'api/main' },
      },
    },
    { url: `${main}/sandbox`, name: 'sandbox', description: 'Costs */ nothing.' },
    { url: '/relative' },
  ],
  security: [{ key: [] }],
  paths: {
    '/a': { get: { operationId: 'a', responses } },
    '/path': {
      servers: [{ url: `${uploads}/of-path` }],
      get: { operationId: 'ofPath', responses },
      post: {
        operationId: 'ofOperation',
        servers: [{ url: `${uploads}/{kind}/`, variables: { kind: { default: 'files' } } }],
        responses,
      },
    },
  },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
})

const program = (
  main: string,
) => `import { createClient, serverUrl, type Server, type ServedContext } from './out/client/index.js'
createClient()
createClient({ baseUrl: 'http://a' })
createClient({ server: { name: 'sandbox' }, ownServers: false })
export const net: Server = { url: '${main.replace('127', '{net}')}/{base}/v1/', variables: { net: '128', base: 'any' } }
export const text: string = serverUrl(net)
export const context = { baseUrl: '', send: async () => new Response(), ownServers: true } satisfies ServedContext
// @ts-expect-error the net is one of two
createClient({ server: { url: '${main.replace('127', '{net}')}/{base}/v1/', variables: { net: '129' } } })
// @ts-expect-error it has no variables
createClient({ server: { name: 'sandbox', variables: { net: '127' } } })
// @ts-expect-error there is no such server
createClient({ server: { url: 'https://other.example' } })
`

type Module = {
  readonly createClient: (options?: object) => Calls
  readonly serverUrl: (server?: object) => string
}

let main: Echo
let uploads: Echo
let client: Awaited<ReturnType<typeof generateClient>>
let createClient: Module['createClient']

beforeAll(async () => {
  main = await startEchoServer()
  uploads = await startEchoServer()
  client = await generateClient('servers', createDocument(main.origin, uploads.origin))
  createClient = (client.module as Module).createClient
})
afterEach(() => {
  main.seen.length = 0
  uploads.seen.length = 0
})
afterAll(async () => {
  await Promise.all([client.remove(), main.close(), uploads.close()])
})

/** The first lines that each server got for one call of each operation. */
async function captureRequests(
  options?: object,
): Promise<{ readonly main: readonly string[]; readonly uploads: readonly string[] }> {
  const { a, ofPath, ofOperation } = createClient(options)
  await a?.()
  await ofPath?.()
  await ofOperation?.()
  const lines = ({ seen }: Echo): readonly string[] =>
    seen.flatMap((request) => selectLines(request, 'x-key'))
  return { main: lines(main), uploads: lines(uploads) }
}

describe('where a call goes', () => {
  it('is the first absolute server, or that of the operation or path', async () => {
    expect(await captureRequests()).toEqual({
      main: ['GET /api/main/v1/a HTTP/1.1'],
      uploads: ['GET /of-path/path HTTP/1.1', 'POST /files/path HTTP/1.1'],
    })
  })

  it('can be another server of the document, with values of its variables', async () => {
    const server = {
      url: `${main.origin.replace('127', '{net}')}/{base}/v1/`,
      variables: { base: 'b/c' },
    }
    expect((await captureRequests({ server })).main).toEqual(['GET /b/c/v1/a HTTP/1.1'])
    main.seen.length = 0
    expect((await captureRequests({ server: { name: 'sandbox' } })).main).toEqual([
      'GET /sandbox/a HTTP/1.1',
    ])
  })

  it('is the base URL for all operations if one is given', async () => {
    expect(await captureRequests({ baseUrl: `${main.origin}/base/` })).toEqual({
      main: ['GET /base/a HTTP/1.1', 'GET /base/path HTTP/1.1', 'POST /base/path HTTP/1.1'],
      uploads: [],
    })
  })

  it('is the base URL only for operations without their own server if requested', async () => {
    expect(await captureRequests({ baseUrl: `${main.origin}/base`, ownServers: true })).toEqual({
      main: ['GET /base/a HTTP/1.1'],
      uploads: ['GET /of-path/path HTTP/1.1', 'POST /files/path HTTP/1.1'],
    })
  })

  it('gets the credentials because the document declares it', async () => {
    const { main: first, uploads: second } = await captureRequests({ credentials: { key: 'k' } })
    expect([...first, ...second].filter((line) => line.startsWith('x-key'))).toHaveLength(3)
  })
})

describe('a server', () => {
  const url = (server: object) => (client.module as Module).serverUrl(server)

  it.each(['a/b', 'evil.example/', 'a?', 'a#', 'a@b', 'a\\', 'a b'])(
    'rejects a variable value that would change its host: %s',
    (net) => {
      const server = {
        url: `${main.origin.replace('127', '{net}')}/{base}/v1/`,
        variables: { net },
      }
      expect(() => url(server)).toThrow(
        'The server variable "net" has a character that would change the URL.',
      )
    },
  )

  it('must be one of the document', () => {
    expect(() => url({ url: 'https://other.example' })).toThrow(
      'The document has no server "https://other.example".',
    )
    expect(() => url({ name: 'other' })).toThrow('The document has no server "other".')
  })

  it('is typed with its variables', async () => {
    expect(client.diagnostics).toEqual([])
    expect(await client.compile(program(main.origin))).toBe('')
  })
})

describe('a relative server', () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Relative', version: '1' },
    paths: { '/a': { get: { operationId: 'a', responses } } },
  }

  /** The document as it is read from a URL. */
  async function read(from: string, rest: object): Promise<Api['servers']> {
    const fetch = () => Promise.resolve(Response.json({ ...document, ...rest }))
    const loaded = await loadDocument(from, { fetch })
    return (
      (loaded.document && buildApi(loaded.document).api?.servers) ??
      expect.fail('The document cannot be built.')
    )
  }

  it.each([
    ['/v1', 'https://a.example/v1'],
    ['v1', 'https://a.example/docs/v1'],
    ['../v{n}/x', 'https://a.example/v{n}/x'],
    ['//b.example/v1', 'https://b.example/v1'],
    ['https://{n}.example/', 'https://{n}.example/'],
    ['{whole}', '{whole}'],
  ])('is relative to the URL of the document: %s', async (url, expected) => {
    const variables = { n: { default: '2' }, whole: { default: 'https://c.example' } }
    const self = { openapi: '3.2.0', $self: 'https://other.example/api.json' }
    expect(
      (
        await read('https://a.example/docs/api.json?token=t', {
          ...self,
          servers: [{ url, variables }],
        })
      )[0]?.url,
    ).toBe(expected)
  })

  it("uses the document's host if it names none", async () => {
    expect(await read('https://a.example/docs/api.json', {})).toEqual([
      { url: 'https://a.example/', variables: {} },
    ])
  })

  it.each(
    sampleCases([
      ['alone', { servers: [{ url: '/v1' }] }],
      ['missing', {}],
      [
        'of one operation',
        {
          servers: [{ url: 'https://a.example' }],
          paths: { '/a': { get: { operationId: 'a', responses, servers: [{ url: '/b' }] } } },
        },
      ],
    ]),
  )('leaves the base URL to the caller in a document from a file: %s', async (_case, rest) => {
    const files = await generateClient('servers-relative', { ...document, ...rest })
    const program =
      "import { createClient } from './out/client/index.js'\ncreateClient({ baseUrl: '' })\ncreateClient({})\n"
    expect(await files.compile(program)).toMatch(
      /^[^\n]*program\.ts\(3,14\): error TS2769: No overload matches this call\.$/,
    )
    await files.remove()
  })
})
