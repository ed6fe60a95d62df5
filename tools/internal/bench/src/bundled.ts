import { gzipSync } from 'node:zlib'
import { build, type BuildOptions } from 'esbuild'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  checkWith,
  emitters,
  folder,
  generate,
  zodWith,
  type Emitter,
  type ZodFlavour,
} from '@farebox/codegen'
import { cache } from '@farebox/testing/install-package'
import { root } from './measure.js'

/** Bytes of a bundle. */
export type Size = { readonly minified: number; readonly compressed: number }

/** Bundles a module into one file. It imports from the node_modules of `resolveDir`. */
export async function bundleModule(
  contents: string,
  resolveDir: string,
  options: Omit<BuildOptions, 'write'> = {},
): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
    ...options,
    write: false,
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

/** The size of the same bundle, minified. */
export async function measureSize(
  contents: string,
  resolveDir: string,
  options: Omit<BuildOptions, 'write'> = {},
): Promise<Size> {
  const bytes = await bundleModule(contents, resolveDir, { minify: true, ...options })
  return { minified: bytes.length, compressed: gzipSync(bytes, { level: 9 }).length }
}

/** Generates types and validators into the cache and returns the path of the validators. */
export async function generateZod(
  spec: string,
  name: string,
  flavour: ZodFlavour,
): Promise<string> {
  return generateWith(spec, `${name}-${flavour}`, zodWith({ flavour }))
}

/** The same with compiled validators. */
export async function generateCheck(spec: string, name: string): Promise<string> {
  return generateWith(spec, `${name}-check`, checkWith())
}

async function generateWith(spec: string, out: string, emitter: Emitter): Promise<string> {
  const chosen = [...emitters.filter((one) => one.name === 'types'), emitter]
  mkdirSync(cache, { recursive: true })
  const result = await generate({
    cwd: cache,
    spec: relative(cache, spec),
    target: folder(out, 'pnpm bench'),
    emitters: chosen,
  })
  if (result.status === 'faulty')
    throw new Error(
      `${spec} has faults: ${result.diagnostics.map(({ found }) => found).join('; ')}`,
    )
  return join(cache, out, emitter.name, 'index.ts')
}

/** Writes a document into the cache and returns its path. */
export function writeDocument(name: string, document: unknown): string {
  const file = join(cache, `${name}.json`)
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, JSON.stringify(document))
  return file
}

/** Lets a bundle find zod, which generated validators in the cache import. */
export const withZod: BuildOptions = { nodePaths: [join(root, 'tools/codegen/node_modules')] }
