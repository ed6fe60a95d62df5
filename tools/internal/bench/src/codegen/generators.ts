import { join } from 'node:path'
import { newerNode } from '@farebox/testing/runtimes'
import { root } from '../measure.js'
import { installedPeer, peerVersions, type PeerName } from '../peer-versions.js'

export type RunId = 'openapi-typescript' | 'redocly' | 'hey-api' | 'types' | 'all' | 'again'

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

/** Every run on a document. `again` repeats the one before it with a warm cache. */
export function generatorsOn(document: string): readonly GeneratorRun[] {
  const farebox = join(root, 'tools/codegen/dist/cli.js')
  const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'zod']
  const generators = ['--generator', 'typescript', '--generator', 'zod']
  return [
    {
      id: 'openapi-typescript',
      name: `openapi-typescript ${peerVersions['openapi-typescript']}: types`,
      out: 'openapi-typescript',
      command: [
        script('openapi-typescript', 'bin/cli.js'),
        document,
        '-o',
        'openapi-typescript/schema.ts',
      ],
    },
    {
      id: 'redocly',
      name: `@redocly/cli ${peerVersions['@redocly/cli']}: types, client, zod`,
      out: 'redocly',
      command: [
        script('@redocly/cli', 'bin/cli.js'),
        'generate-client',
        document,
        ...generators,
        '-o',
        'redocly/client.ts',
      ],
    },
    {
      id: 'hey-api',
      name: `@hey-api/openapi-ts ${peerVersions['@hey-api/openapi-ts']}: types, sdk, client, zod`,
      out: 'hey-api',
      node: newerNode(),
      command: [
        script('@hey-api/openapi-ts', 'bin/run.js'),
        '-i',
        `./${document}`,
        '-o',
        'hey-api',
        '-p',
        ...plugins,
      ],
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

function script(name: PeerName, file: string): string {
  return join(installedPeer(name, ['typescript@5.9.3']), file)
}
