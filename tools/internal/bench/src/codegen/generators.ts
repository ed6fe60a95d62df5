import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findNewerNode } from '@farebox/testing/runtimes'
import { root } from '../measure.js'
import { installKubb, installPeer, peerVersions, type PeerName } from '../peer-versions.js'

export type RunId =
  | 'openapi-typescript'
  | 'redocly'
  | 'hey-api'
  | 'orval'
  | 'kubb'
  | 'types'
  | 'all'
  | 'again'

/** A generator with its arguments. */
export type GeneratorRun = {
  readonly id: RunId
  readonly name: string
  /** The folder that it writes. */
  readonly out: string
  readonly command: readonly string[]
  /** Default: the node that runs the benchmark. */
  readonly node?: string
}

/**
 * Every run on a document in a folder, where it writes what the generators read their options from.
 * `again` repeats the one before it with a warm cache.
 *
 * @param hasZod whether the generators of others write validators, as ours does
 */
export function listGenerators(
  document: string,
  folder: string,
  hasZod = true,
): readonly GeneratorRun[] {
  writeFileSync(join(folder, 'orval.config.mjs'), printOrvalConfig(document))
  writeFileSync(join(folder, 'kubb.mjs'), printKubbProgram(document, hasZod))
  const farebox = join(root, 'tools/codegen/dist/cli.js')
  const zod = hasZod ? ['zod'] : []
  const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', ...zod]
  const generators = ['typescript', ...zod].flatMap((name) => ['--generator', name])
  const client = ['client', ...zod].join(', ')
  return [
    {
      id: 'openapi-typescript',
      name: `openapi-typescript ${peerVersions['openapi-typescript']}: types`,
      out: 'openapi-typescript',
      command: [
        findScript('openapi-typescript', 'bin/cli.js'),
        document,
        '-o',
        'openapi-typescript/schema.ts',
      ],
    },
    {
      id: 'redocly',
      name: `@redocly/cli ${peerVersions['@redocly/cli']}: types, ${client}`,
      out: 'redocly',
      command: [
        findScript('@redocly/cli', 'bin/cli.js'),
        'generate-client',
        document,
        ...generators,
        '-o',
        'redocly/client.ts',
      ],
    },
    {
      id: 'hey-api',
      name: `@hey-api/openapi-ts ${peerVersions['@hey-api/openapi-ts']}: types, sdk, ${client}`,
      out: 'hey-api',
      node: findNewerNode(),
      command: [
        findScript('@hey-api/openapi-ts', 'bin/run.js'),
        '-i',
        `./${document}`,
        '-o',
        'hey-api',
        '-p',
        ...plugins,
      ],
    },
    {
      id: 'orval',
      name: `orval ${peerVersions.orval}: types, functions`,
      out: 'orval',
      node: findNewerNode(),
      command: [findScript('orval', 'dist/bin/orval.mjs'), '--config', 'orval.config.mjs'],
    },
    {
      id: 'kubb',
      name: `kubb ${peerVersions['@kubb/plugin-zod']}: types, ${client}`,
      out: 'kubb',
      node: findNewerNode(),
      command: ['kubb.mjs'],
    },
    {
      id: 'types',
      name: 'farebox: types',
      out: 'types',
      command: [farebox, '--spec', document, '--out', 'types', '--only', 'types', '--no-cache'],
    },
    {
      id: 'all',
      name: 'farebox: types, zod, client',
      out: 'all',
      command: [farebox, '--spec', document, '--out', 'all', '--no-cache'],
    },
    {
      id: 'again',
      name: 'farebox: the same again, unchanged',
      out: 'all',
      command: [farebox, '--spec', document, '--out', 'all'],
    },
  ]
}

function findScript(name: PeerName, file: string): string {
  return join(installPeer(name, ['typescript@5.9.3']), file)
}

/** Without validators: those of orval fail on GitHub's document. */
function printOrvalConfig(document: string): string {
  const input = { target: `./${document}`, unsafeDisableValidation: true }
  const output = { mode: 'single', target: 'orval/client.ts', client: 'fetch' }
  return `export default ${JSON.stringify({ api: { input, output } })}`
}

function printKubbProgram(document: string, hasZod: boolean): string {
  const kubb = installKubb()
  const from = createRequire(join(kubb, 'package.json'))
  const imported = (name: string) => pathToFileURL(from.resolve(`@kubb/${name}`)).href
  return `const { build } = await import('${imported('core')}')
const { pluginOas } = await import('${imported('plugin-oas')}')
const { pluginTs } = await import('${imported('plugin-ts')}')
const { pluginClient } = await import('${imported('plugin-client')}')
const { pluginZod } = await import('${imported('plugin-zod')}')
const plugins = [
  pluginOas({ validate: false, generators: [] }),
  pluginTs({ output: { path: 'types' } }),
  pluginClient({ output: { path: 'clients' }, client: 'fetch', bundle: true }),
  ${hasZod ? "pluginZod({ output: { path: 'zod' } })," : ''}
]
const output = { path: './kubb', clean: true, format: false, lint: false }
const { error } = await build({ config: { root: process.cwd(), input: { path: './${document}' }, output, plugins } })
if (error) throw error
`
}
