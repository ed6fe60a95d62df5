import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findNewerNode } from '@farebox/testing/runtimes'
import { root } from '../measure.js'
import { installKubb, installPeer, peerVersions } from '../peer-versions.js'

const base = 'https://given.example'
const given = `baseUrl: ${JSON.stringify(base)},`
const beside = ['typescript@5.9.3']
/** Where the clients of the document with OAuth get their tokens. */
export const tokenUrl = 'https://auth.example/token'

export type Peer = {
  readonly name: string
  /** Generates from `api.json` of a folder. Returns its message if it failed. */
  readonly make: (cwd: string, ownServer: boolean) => string | undefined
  /** The files of its output that export types and functions. */
  readonly entries: { readonly functions: string; readonly types: string }
  /** An expression that calls `probe` of `module` with `input`, at a given server or its own. */
  readonly call: (ownServer: boolean) => string
  /** The same with `clientId` and `clientSecret` of OAuth. Absent if it requests no tokens. */
  readonly callWithOAuth?: string
  /** Generates for another language or framework from `api.json`. Absent if it has none. */
  readonly others?: Partial<Readonly<Record<Other, (cwd: string) => string | undefined>>>
}

/** What generators make beside a client in TypeScript without a framework. */
export type Other = 'python' | 'go' | 'angular' | 'swr'

export const listPeers = (): readonly Peer[] => {
  const node = findNewerNode()
  const hey = installPeer('@hey-api/openapi-ts', beside)
  const orval = installPeer('orval', beside)
  const kubb = installKubb()
  const redocly = installPeer('@redocly/cli')
  const runRedocly = (cwd: string, ...args: readonly string[]) =>
    run(cwd, node, [join(redocly, 'bin/cli.js'), 'generate-client', 'api.json', ...args])
  const runHey = (cwd: string, plugins: readonly unknown[]) => {
    const config = {
      input: './api.json',
      output: { path: 'out' },
      logs: { level: 'silent', file: false },
      plugins,
    }
    writeFileSync(join(cwd, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(config)}`)
    return run(cwd, node, [join(hey, 'bin/run.js')])
  }
  const runOrval = (cwd: string, client: string, more: object = {}) => {
    const output = { target: 'out/index.ts', client, mode: 'single', ...more }
    const config = {
      probe: { input: { target: './api.json', unsafeDisableValidation: true }, output },
    }
    writeFileSync(join(cwd, 'orval.config.mjs'), `export default ${JSON.stringify(config)}`)
    return run(cwd, node, [join(orval, 'dist/bin/orval.mjs'), '--config', 'orval.config.mjs'])
  }
  const positional = `module.probe(...[...Object.values(input.path ?? {}), input.body, input.query ?? input.querystring].filter((one) => one !== undefined))`
  return [
    {
      name: 'Farebox',
      make: (cwd) =>
        run(cwd, process.execPath, [
          join(root, 'tools/codegen/dist/bin.js'),
          ...'--spec api.json --out out --no-cache --quiet --only types,zod,client'.split(' '),
          ...'--dates date --int64 bigint'.split(' '),
        ]),
      callWithOAuth: `(async () => {
        const { clientCredentials } = await import(${JSON.stringify(join(root, 'packages/auth/dist/index.js'))})
        const { withMiddleware } = await import(${JSON.stringify(join(root, 'packages/middleware/dist/index.js'))})
        const oauth = clientCredentials({ origin: ${JSON.stringify(base)}, tokenUrl: ${JSON.stringify(tokenUrl)}, clientId: 'id', clientSecret: 'secret', fetch: globalThis.fetch })
        return module.createClient({ ${given} credentials: { oauth: oauth.token }, fetch: withMiddleware(globalThis.fetch, oauth.middleware) }).probe()
      })()`,
      entries: { functions: 'out/client/index.ts', types: 'out/types/index.ts' },
      call: (ownServer) =>
        `module.createClient({ ${ownServer ? '' : given} }).probe({ ...input.path, ...input.query, ...input.cookie, ...(input.querystring && { q: input.querystring }), ...(Array.isArray(input.body) ? { body: input.body } : input.body) })`,
    },
    {
      name: `@hey-api/openapi-ts ${peerVersions['@hey-api/openapi-ts']}`,
      make: (cwd) =>
        runHey(cwd, [
          '@hey-api/client-fetch',
          { name: '@hey-api/transformers', dates: true, bigInt: true },
          { name: '@hey-api/sdk', transformer: true },
        ]),
      others: {
        angular: (cwd) => runHey(cwd, ['@hey-api/client-angular', '@hey-api/sdk']),
      },
      entries: { functions: 'out/index.ts', types: 'out/index.ts' },
      call: (ownServer) =>
        `module.probe({ ${ownServer ? '' : given} path: input.path, query: input.query ?? input.querystring, body: input.body, ...(input.cookie && { cookies: input.cookie }) })`,
    },
    {
      name: `orval ${peerVersions.orval}`,
      make: (cwd, ownServer) =>
        runOrval(cwd, 'fetch', {
          baseUrl: ownServer ? { getBaseUrlFromSpecification: true } : base,
          override: { useDates: true, useBigInt: true },
        }),
      others: {
        angular: (cwd) => runOrval(cwd, 'angular'),
        swr: (cwd) => runOrval(cwd, 'swr'),
      },
      entries: { functions: 'out/index.ts', types: 'out/index.ts' },
      call: () => positional,
    },
    {
      name: `kubb ${peerVersions['@kubb/plugin-zod']}`,
      make: (cwd, ownServer) => {
        const from = createRequire(join(kubb, 'package.json'))
        const imported = (name: string) => pathToFileURL(from.resolve(`@kubb/${name}`)).href
        writeFileSync(join(cwd, 'kubb.mjs'), printKubbScript(imported, ownServer))
        return run(cwd, node, ['kubb.mjs'])
      },
      entries: { functions: 'out/index.ts', types: 'out/index.ts' },
      call: () => positional,
    },
    {
      name: `@redocly/cli ${peerVersions['@redocly/cli']}`,
      make: (cwd) =>
        runRedocly(
          cwd,
          ...'-o out/index.ts --args-style grouped --date-type Date'.split(' '),
          ...'--generator typescript --generator transformers'.split(' '),
        ),
      entries: { functions: 'out/index.ts', types: 'out/index.ts' },
      call: (ownServer) =>
        `(${ownServer ? '' : `module.configure({ serverUrl: ${JSON.stringify(base)} }), `}module.probe({ path: input.path, query: input.query ?? input.querystring, cookies: input.cookie, body: input.body }))`,
      others: {
        python: (cwd) => runRedocly(cwd, '-o', 'out/client.ts', '--generator', 'python'),
        go: (cwd) => runRedocly(cwd, '-o', 'out/client.ts', '--generator', 'go'),
        swr: (cwd) =>
          runRedocly(cwd, ...'-o out/client.ts --generator typescript --generator swr'.split(' ')),
      },
    },
  ]
}

function printKubbScript(imported: (name: string) => string, ownServer: boolean): string {
  return `const { build } = await import('${imported('core')}')
const { pluginOas } = await import('${imported('plugin-oas')}')
const { pluginTs } = await import('${imported('plugin-ts')}')
const { pluginClient } = await import('${imported('plugin-client')}')
const plugins = [
  pluginOas({ validate: false, generators: []${ownServer ? ', serverIndex: 0' : ''} }),
  pluginTs({ output: { path: 'types' }, dateType: 'date', integerType: 'bigint' }),
  pluginClient({ output: { path: 'clients' }, client: 'fetch', bundle: true${ownServer ? '' : `, baseURL: '${base}'`} }),
]
const output = { path: './out', clean: true, format: false, lint: false }
const { error } = await build({ config: { root: process.cwd(), input: { path: './api.json' }, output, plugins } })
if (error) throw error
`
}

/** What a command said, if it failed. */
function run(cwd: string, command: string, args: readonly string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return status === 0 ? undefined : `${stdout}${stderr}`.trim().slice(-3000) || 'no message'
}
