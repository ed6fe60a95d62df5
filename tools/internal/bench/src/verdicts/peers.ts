import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { emitters, folder, generate, zodWith } from '@farebox/codegen'
import { installKubb, installPeer, peerVersions } from '../peer-versions.js'

/** A generator to choose. `install` returns the folder that `load` takes. */
export type Choice = {
  readonly title: string
  readonly install: () => string
  readonly load: (place: string) => Promise<Peer>
}

export type Peer = {
  /** The name of a component's validator. */
  readonly schema: (name: string) => string
  /**
   * Generates from a document in `cwd` into the folder `out` below it. Returns the file with the
   * validators. Throws the generator's own complaint.
   */
  readonly make: (cwd: string, document: string, out: string) => Promise<string>
}

type HeyApi = { readonly createClient: (options: object) => Promise<unknown> }
type Orval = { readonly generate: (options: object, workspace: string) => Promise<unknown> }
type KubbCore = { readonly build: (options: object) => Promise<unknown> }
type KubbOas = { readonly pluginOas: (options: object) => unknown }
type KubbZod = { readonly pluginZod: (options: object) => unknown }

const beside = ['typescript@5.9.3']

export const peers: Readonly<Record<string, Choice>> = {
  ours: {
    title: 'Farebox',
    install: () => '',
    load: async () => ({
      schema: (name) => name,
      make: async (cwd, document, out) => {
        const chosen = [
          ...emitters.filter(({ name }) => name === 'types'),
          zodWith({ flavour: 'full' }),
        ]
        const result = await generate({
          cwd,
          spec: document,
          input: { semantics: 'json-schema' },
          target: folder(out, 'pnpm bench'),
          emitters: chosen,
        })
        if (result.status === 'faulty') {
          throw new Error(
            result.diagnostics
              .map(({ code, place, found }) => `${code} ${place.pointer} ${found}`)
              .join('\n'),
          )
        }
        return `${out}/zod/schemas.ts`
      },
    }),
  },
  redocly: {
    title: `@redocly/cli ${peerVersions['@redocly/cli']}`,
    install: () => installPeer('@redocly/cli', beside),
    load: async (place) => {
      const script = join(place, 'bin/cli.js')
      const env = {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      }
      return {
        schema: (name) => `${name}Schema`,
        make: async (cwd, document, out) => {
          const command = [
            script,
            'generate-client',
            document,
            '--generator',
            'zod',
            '-o',
            `${out}/client.ts`,
          ]
          const { status, stdout, stderr } = spawnSync(process.execPath, command, {
            cwd,
            env,
            encoding: 'utf8',
          })
          if (status !== 0)
            throw new Error(/Failed[^]*/.exec(stdout + stderr)?.[0] ?? stdout + stderr)
          return `${out}/client.zod.ts`
        },
      }
    },
  },
  'hey-api': {
    title: `@hey-api/openapi-ts ${peerVersions['@hey-api/openapi-ts']}`,
    install: () => installPeer('@hey-api/openapi-ts', beside),
    load: async (place) => {
      const { createClient } = await load<HeyApi>(join(place, 'dist/index.mjs'))
      return {
        schema: (name) => `z${name}`,
        make: async (cwd, document, out) => {
          const logs = { level: 'silent', file: false }
          await createClient({
            input: join(cwd, document),
            output: { path: join(cwd, out) },
            plugins: ['zod'],
            logs,
          })
          return `${out}/zod.gen.ts`
        },
      }
    },
  },
  orval: {
    title: `orval ${peerVersions.orval}`,
    install: () => installPeer('orval', beside),
    load: async (place) => {
      const { generate } = await load<Orval>(join(place, 'dist/index.mjs'))
      return {
        schema: (name) => `Put${name}Body`,
        make: async (cwd, document, out) => {
          // its check of documents is off: what the check rejects, its generator may still do
          const input = { target: join(cwd, document), unsafeDisableValidation: true }
          await generate(
            { input, output: { target: join(cwd, out, 'zod.ts'), client: 'zod', mode: 'single' } },
            cwd,
          )
          return `${out}/zod.ts`
        },
      }
    },
  },
  kubb: {
    title: `@kubb/plugin-zod ${peerVersions['@kubb/plugin-zod']}`,
    install: installKubb,
    load: async (place) => {
      const { resolve } = createRequire(join(place, 'package.json'))
      const { build } = await load<KubbCore>(resolve('@kubb/core'))
      const { pluginOas } = await load<KubbOas>(resolve('@kubb/plugin-oas'))
      const { pluginZod } = await load<KubbZod>(resolve('@kubb/plugin-zod'))
      return {
        schema: (name) => `${name.toLowerCase()}Schema`,
        make: async (cwd, document, out) => {
          const plugins = [
            pluginOas({ validate: false, generators: [] }),
            pluginZod({
              output: { path: './zod.ts', barrelType: false },
              version: '4',
              importPath: 'zod',
            }),
          ]
          const output = {
            path: `./${out}`,
            clean: true,
            barrelType: false,
            format: false,
            lint: false,
          }
          await build({ config: { root: cwd, input: { path: document }, output, plugins } })
          return `${out}/zod.ts`
        },
      }
    },
  },
}

function load<Module>(file: string): Promise<Module> {
  return import(pathToFileURL(file).href) as Promise<Module>
}
