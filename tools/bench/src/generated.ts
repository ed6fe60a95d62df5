import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { emitters, folder, generate, zodWith } from '../../codegen/dist/index.js'
import { cache } from './installed.mjs'

/** @typedef {'full' | 'mini' | 'core'} Flavour */

/**
 * The types and validators of a document, made below the cache; the path of the validators.
 * @param {string} spec
 * @param {string} name
 * @param {Flavour} flavour
 */
export async function generated(spec, name, flavour) {
  const out = `${name}-${flavour}`
  const chosen = [...emitters.filter((one) => one.name === 'types'), zodWith({ flavour })]
  const result = await generate({ cwd: cache, spec: relative(cache, spec), target: folder(out, 'pnpm bench'), emitters: chosen })
  if (result.status === 'faulty') throw new Error(`${spec} has faults: ${result.diagnostics.map(({ found }) => found).join('; ')}`)
  return join(cache, out, 'zod/index.ts')
}

/**
 * A document of the cache.
 * @param {string} name
 * @param {unknown} document
 */
export function written(name, document) {
  const file = join(cache, `${name}.json`)
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, JSON.stringify(document))
  return file
}

/**
 * A module of TypeScript with all that it imports, as one file's bytes.
 * @param {string} contents
 * @param {{ readonly minify: boolean }} options
 */
export async function bundled(contents, { minify }) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: cache, loader: 'ts' },
    bundle: true,
    minify,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'error',
    nodePaths: [fileURLToPath(new URL('../../codegen/node_modules', import.meta.url))],
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}
