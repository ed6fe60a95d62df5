import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { prepareFolder } from './prepare-folder.js'

/** The client that hey-api copies into generated code. */
const heyApi = join(prepareFolder('@hey-api/openapi-ts'), 'dist/clients/fetch/index.ts')

/**
 * The program as one ES module, from our sources, with the modules that the clients have for Node
 * or for browsers. `then` follows the program and may call `run`.
 */
export async function bundled(platform: 'node' | 'browser', then: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { run } from './program.ts'\n${then}\n`,
      resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform,
    conditions: ['@farebox/source'],
    alias: { '@hey-api/client-fetch': heyApi },
    // some clients are CommonJS
    ...(platform === 'node' && {
      banner: {
        js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
      },
    }),
  })
  return outputFiles[0]?.text ?? ''
}
