import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'

/** Clients of a foreign document whose generation names the layers between client and fetch. */
const { folder, remove } = createTemporaryFolder('generated-network')
afterAll(remove)

const here = fileURLToPath(new URL('.', import.meta.url))
const require = createRequire(import.meta.url)

const responses = { 200: { description: 'Done.' }, 502: { description: 'Failed.' } }
const key = { in: 'header', name: 'Idempotency-Key', schema: { type: 'string' } }
const document = {
  openapi: '3.1.0',
  info: { title: 'Foreign', version: '1' },
  servers: [{ url: 'https://foreign.example' }],
  security: [{ token: [] }],
  paths: {
    '/things': {
      get: { operationId: 'listThings', responses },
      post: { operationId: 'addThing', responses },
      put: { operationId: 'putThing', parameters: [key], responses },
    },
    '/private': { get: { operationId: 'listPrivate', security: [{ oauth: [] }], responses } },
    '/orders': { post: { operationId: 'order', parameters: [key], responses } },
  },
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: { read: 'To read.' } } },
      },
    },
  },
}

beforeAll(() => {
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'api.json'), JSON.stringify(document))
  const layers = ['retry', 'rateLimit', 'timeout', 'oauth'].flatMap((name) => ['--network', name])
  generate('--spec', 'api.json', '--out', 'whole', ...layers)
  generate('--spec', 'api.json', '--out', 'plain')
  const outputs = { types: true, client: { timeout: 'on' } }
  const config = { documents: [{ spec: 'api.json', out: 'configured', outputs }] }
  writeFileSync(join(folder, 'farebox.config.json'), JSON.stringify(config))
  generate()
})

function generate(...args: readonly string[]): void {
  const command = join(here, '../tools/codegen/dist/cli.js')
  const only = args.length === 0 ? [] : ['--only', 'types,client']
  execFileSync(process.execPath, [command, ...args, ...only, '--no-cache', '--quiet'], {
    cwd: folder,
  })
}

const bundles = new Map<string, ReturnType<typeof makeBundle>>()

async function bundle(name: string): ReturnType<typeof makeBundle> {
  const made = bundles.get(name) ?? makeBundle(name)
  bundles.set(name, made)
  return made
}

async function makeBundle(name: string) {
  const outfile = join(folder, `${name}.mjs`)
  const entryPoints = [join(folder, name, 'client/index.ts')]
  const options = { bundle: true, format: 'esm', logLevel: 'error', metafile: true } as const
  const { metafile } = await build({ entryPoints, outfile, ...options })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  return {
    outfile,
    inputs: inputs.filter(([, input]) => input.bytesInOutput > 0).map(([path]) => path),
  }
}

type Result = { readonly status: number }
type Operation = (input?: object, options?: object) => Promise<Result>
type Make = (options: object) => Readonly<Record<string, Operation>>

/** A client whose server responds with these statuses, the last one again and again. */
async function client(statuses: readonly number[], network: object = {}) {
  const { outfile } = await bundle('whole')
  const { createClient } = (await import(pathToFileURL(outfile).href)) as { createClient: Make }
  const sent: Headers[] = []
  let asked = 0
  const calls = createClient({
    credentials: { token: () => `token-${++asked}` },
    fetch: async (_url: string, { headers }: { readonly headers: Headers }) => {
      sent.push(headers)
      return new Response(null, { status: statuses[sent.length - 1] ?? statuses.at(-1) ?? 200 })
    },
    network: { retry: { wait: async () => undefined }, ...network },
  })
  return { calls, sent }
}

describe('a generated client with retries', () => {
  it('repeats what is safe, and asks for the credential each time', async () => {
    const { calls, sent } = await client([503, 502, 200])
    expect(await calls['listThings']?.()).toMatchObject({ status: 200 })
    expect(sent.map((headers) => headers.get('authorization'))).toEqual([
      'Bearer token-1',
      'Bearer token-2',
      'Bearer token-3',
    ])
  })

  it('repeats no POST after a 502, and an idempotent method', async () => {
    const post = await client([502, 200])
    expect(await post.calls['addThing']?.()).toMatchObject({ status: 502 })
    const put = await client([504, 200])
    expect(await put.calls['putThing']?.()).toMatchObject({ status: 200 })
  })

  it('gives all attempts of a POST one Idempotency-Key', async () => {
    const { calls, sent } = await client([503, 429, 200])
    expect(await calls['order']?.()).toMatchObject({ status: 200 })
    const keys = new Set(sent.map((headers) => headers.get('idempotency-key')))
    expect([keys.size, keys.has(null)]).toEqual([1, false])
  })

  it('has no retries if they are false', async () => {
    const { calls, sent } = await client([502, 200], { retry: false })
    expect(await calls['order']?.()).toMatchObject({ status: 502 })
    expect(sent.map((headers) => headers.has('idempotency-key'))).toEqual([false])
  })
})

describe('a generated client of OAuth', () => {
  const oauth = { clientId: 'tram', clientSecret: 'a secret of the tram' }

  /** Rejects the first tokens. A token endpoint says what it was sent. */
  async function sign({ rejected = 0, options = {} }) {
    const { outfile } = await bundle('whole')
    const { createClient } = (await import(pathToFileURL(outfile).href)) as { createClient: Make }
    const sent: string[] = []
    let tokens = 0
    const calls = createClient({
      credentials: { token: 'own' },
      oauth: { oauth },
      fetch: async (url: string, { headers, body }: { headers: HeadersInit; body?: unknown }) => {
        const authorization = new Headers(headers).get('authorization') ?? ''
        sent.push(`${new URL(url).pathname} ${authorization}`)
        if (!url.endsWith('/oauth/token'))
          return new Response(null, {
            status: /Bearer issued-(\d+)/.test(authorization) && tokens <= rejected ? 401 : 200,
          })
        if (authorization !== `Basic ${btoa('tram:a+secret+of+the+tram')}`)
          return Response.json(
            { error: 'invalid_client', error_description: String(body) },
            { status: 401 },
          )
        return Response.json({ access_token: `issued-${++tokens}`, token_type: 'Bearer' })
      },
      ...options,
    })
    return { calls, sent }
  }

  it('requests one token for all calls, and sends it only where the operation asks for it', async () => {
    const { calls, sent } = await sign({})
    await Promise.all([calls['listPrivate']?.(), calls['listPrivate']?.(), calls['listThings']?.()])
    expect(sent.toSorted()).toEqual([
      `/oauth/token Basic ${btoa('tram:a+secret+of+the+tram')}`,
      '/private Bearer issued-1',
      '/private Bearer issued-1',
      '/things Bearer own',
    ])
  })

  it('requests another token after a 401, once', async () => {
    const renewed = await sign({ rejected: 1 })
    expect(await renewed.calls['listPrivate']?.()).toMatchObject({ status: 200 })
    expect(renewed.sent.filter((line) => line.startsWith('/private'))).toEqual([
      '/private Bearer issued-1',
      '/private Bearer issued-2',
    ])
    const rejected = await sign({ rejected: 9 })
    await expect(rejected.calls['listPrivate']?.()).rejects.toMatchObject({ status: 401 })
    expect(rejected.sent).toHaveLength(4)
  })

  it('says why there is no token, without the secret', async () => {
    const options = { oauth: { oauth: { ...oauth, clientSecret: 'another secret' } } }
    const { calls } = await sign({ options })
    const failure = calls['listPrivate']?.()
    await expect(failure).rejects.toThrow(/foreign\.example\/oauth\/token.*invalid_client/)
    await expect(failure).rejects.not.toThrow('another secret')
  })
})

it('a timeout ends a call without a response', async () => {
  const { outfile } = await bundle('configured')
  const { createClient } = (await import(pathToFileURL(outfile).href)) as { createClient: Make }
  const calls = createClient({
    credentials: { token: 'token' },
    fetch: async (_url: string, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
    network: { timeout: { responseMs: 5 } },
  })
  await expect(calls['listThings']?.()).rejects.toMatchObject({ code: 'no_response' })
})

it('a bundle contains only the requested layers', async () => {
  const listLayers = async (name: string) =>
    (await bundle(name)).inputs
      .map((path) => /retry\/dist\/(retry|rate-limit|timeout)\.js$/.exec(path)?.[1])
      .filter((layer) => layer !== undefined)
      .toSorted()
  expect(await listLayers('whole')).toEqual(['rate-limit', 'retry', 'timeout'])
  expect(await listLayers('configured')).toEqual(['timeout'])
  expect(await listLayers('plain')).toEqual([])
})

it('everything compiles under strict compiler options', () => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'NodeNext',
    types: [],
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['whole', 'configured', 'plain'] }),
  )
  const native = join(dirname(require.resolve('@typescript/native/package.json')), 'bin/tsc')
  const compile = () => execFileSync(process.execPath, [native, '-p', folder, '--pretty', 'false'])
  expect(compile().toString()).toBe('')
})
