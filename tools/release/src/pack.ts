import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type OnResolveArgs, type OnResolveResult } from 'esbuild'

type Manifest = {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly publishConfig: {
    readonly exports: Readonly<Record<string, string | { readonly default?: string }>>
    readonly bin?: Readonly<Record<string, string>>
  }
}

/**
 * Bundles each entry of a package into one file, because a runtime pays for every file that it
 * opens. `prepack` runs this in the package's folder. The output of tsc stays: declarations and
 * source maps point there.
 *
 * Writes the files that `publishConfig.exports` and `publishConfig.bin` name under dist/packed, or
 * into another folder. Imports of other packages stay imports. Code that two entries share is
 * written once. What a command loads later stays a file of its own, with a source map: its errors
 * are read by people. Throws where a bundler could not leave out what an importer does not use.
 */
export async function pack(folder: string, outdir = join(folder, 'dist/packed')): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, dependencies, optionalDependencies, publishConfig } = manifest
  const targets = Object.values(publishConfig.exports).map((target) => (typeof target === 'string' ? '' : (target.default ?? '')))
  const entries = targets.flatMap(packedEntry)
  const commands = Object.values(publishConfig.bin ?? {}).flatMap(packedEntry)
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: folder,
    entryPoints: [...entries, ...commands].map((entry) => `dist/${entry}.js`),
    outdir,
    bundle: true,
    splitting: true,
    // One file less to open where that is most of the time. Elsewhere a second copy would cost more
    // than it saves.
    external: Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((one) => name !== '@farebox/client' || one !== '@farebox/middleware')
      .flatMap((one) => [one, `${one}/*`])
      // the importer's platform decides
      .concat('#*', 'node:*'),
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    ...(commands.length > 0 && { sourcemap: 'linked', sourcesContent: false, chunkNames: 'parts/[name]-[hash]' }),
    logLevel: 'error',
  })
  for (const entry of entries) {
    const kept = await keptOf(join(outdir, `${entry}.js`))
    if (kept !== '') throw new Error(`${name}: an importer of "${entry}" that uses nothing of it would still get this:\n${kept}`)
  }
}

/** `bin` for `./dist/packed/bin.js`. */
function packedEntry(target: string): readonly string[] {
  return /^\.\/dist\/packed\/(.+)\.js$/.exec(target)?.slice(1) ?? []
}

/**
 * Statements that stay in a bundle of an entry when nothing of it is used. `"sideEffects": false`
 * speaks for whole files, and a packed file holds many modules.
 */
async function keptOf(entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `import ${JSON.stringify(entry)}`, resolveDir: '/' },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'error',
    plugins: [{ name: 'every-statement', setup: (bundle) => bundle.onResolve({ filter: /./ }, resolved) }],
  })
  return (outputFiles[0]?.text ?? '').replaceAll(/^\/\/.*\n|^\s+/gm, '')
}

/** A file that is loaded later is not what the importer gets. */
function resolved({ path, resolveDir, kind }: OnResolveArgs): OnResolveResult {
  const isFile = /^\.{0,2}\//.test(path) && kind !== 'dynamic-import'
  return isFile ? { path: resolve(resolveDir, path), sideEffects: true } : { path, external: true, sideEffects: false }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await pack(process.cwd())
