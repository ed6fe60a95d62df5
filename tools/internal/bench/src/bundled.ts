import { gzipSync } from 'node:zlib'
import { build, type BuildOptions } from 'esbuild'

/** Bytes of a bundle. */
export type Size = { readonly minified: number; readonly compressed: number }

/** Bundles a module into one file. It imports from the node_modules of `resolveDir`. */
export async function bundled(
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
  const bytes = await bundled(contents, resolveDir, { minify: true, ...options })
  return { minified: bytes.length, compressed: gzipSync(bytes, { level: 9 }).length }
}
