import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  build,
  type BuildOptions,
  type Metafile,
  type OnResolveArgs,
  type OnResolveResult,
  type Plugin,
} from 'esbuild'

type Manifest = {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly publishConfig: {
    readonly exports: Readonly<
      Record<string, string | { readonly default?: string; readonly node?: string }>
    >
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
 * written once. What a command loads later stays a file of its own. Each file has a source map that
 * leads to the sources. Where entries have files for Node, all code is one file there. Throws where
 * a bundler could not leave out what an importer does not use.
 */
export async function pack(folder: string, outdir = join(folder, 'dist/packed')): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, dependencies, optionalDependencies, publishConfig } = manifest
  const targets = Object.values(publishConfig.exports).map((target) =>
    typeof target === 'string' ? '' : (target.default ?? ''),
  )
  const entries = targets.flatMap(readPackedEntry)
  const commands = Object.values(publishConfig.bin ?? {}).flatMap(readPackedEntry)
  rmSync(outdir, { recursive: true, force: true })
  const options = {
    absWorkingDir: folder,
    entryPoints: [...entries, ...commands].map((entry) => `./dist/${entry}.js`),
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
    sourcemap: 'linked',
    sourcesContent: false,
    ...(commands.length > 0 && { chunkNames: 'parts/[name]-[hash]' }),
    logLevel: 'error',
  } satisfies BuildOptions
  // a command opens few of its many parts, so those stay apart
  await build(
    commands.length > 0
      ? options
      : { ...options, plugins: [createJoinPlugin(folder, await findImporters(options))] },
  )
  const ofNode = Object.values(publishConfig.exports).flatMap((target) =>
    typeof target === 'string' ? [] : readPackedEntry(target.node ?? ''),
  )
  if (ofNode.length > 0) await packForNode(entries, ofNode, options)
  for (const entry of [...entries, ...ofNode]) {
    const kept = await bundleKept(join(outdir, `${entry}.js`))
    if (kept !== '')
      throw new Error(
        `${name}: an importer of "${entry}" that uses nothing of it would still get this:\n${kept}`,
      )
  }
}

/**
 * One file with the code of all entries, and for each entry in `node/` a file that exports its
 * names from there. Whatever a program imports of the package, there is one of each class.
 */
async function packForNode(
  entries: readonly string[],
  ofNode: readonly string[],
  options: Packing,
): Promise<void> {
  if (entries.some((entry) => !ofNode.includes(`node/${entry}`)))
    throw new Error(`Each of ${entries.join(', ')} needs a file in node/.`)
  const { outdir, absWorkingDir } = options
  const contents = entries.map((entry) => `export * from './dist/${entry}.js'\n`).join('')
  const stdin = { contents, resolveDir: absWorkingDir }
  await build({
    ...options,
    entryPoints: [],
    stdin,
    outdir: join(outdir, 'node'),
    entryNames: 'all',
  })
  const { metafile } = await build({ ...options, write: false, metafile: true })
  for (const { entryPoint = '', exports } of Object.values(metafile.outputs)) {
    const entry = entryPoint.replace(/^dist\/|\.js$/g, '')
    if (!entries.includes(entry)) continue
    const file = join(outdir, `node/${entry}.js`)
    mkdirSync(dirname(file), { recursive: true })
    const all = `${'../'.repeat(entry.split('/').length - 1) || './'}all.js`
    writeFileSync(file, `export { ${exports.join(', ')} } from '${all}'\n`)
  }
}

type Packing = BuildOptions & { readonly outdir: string; readonly absWorkingDir: string }

/** The files that load others of the same package later. */
async function findImporters(options: BuildOptions): Promise<readonly string[]> {
  const { metafile } = await build({ ...options, write: false, metafile: true })
  const loadsLater = ({ imports }: Metafile['inputs'][string]): boolean =>
    imports.some(({ kind, external }) => kind === 'dynamic-import' && external !== true)
  return Object.keys(metafile.inputs).filter((path) =>
    loadsLater(metafile.inputs[path] ?? { bytes: 0, imports: [] }),
  )
}

/**
 * Joins the code that is loaded first in one file. A file that loads another one later has its own
 * code already, so each file that is loaded later, and each entry, counts as one that imports its
 * importers. Otherwise the bundler would split that code by its other importers: more files to
 * request, each compressed by itself.
 */
function createJoinPlugin(folder: string, importers: readonly string[]): Plugin {
  const statements = importers
    .map((path) => `import ${JSON.stringify(`first:${join(folder, path)}`)}\n`)
    .join('')
  return {
    name: 'together',
    setup: (bundle) => {
      bundle.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) =>
        kind === 'dynamic-import' || kind === 'entry-point'
          ? { path: resolve(resolveDir, path), pluginData: true }
          : undefined,
      )
      bundle.onResolve({ filter: /^first:/ }, ({ path }) => ({
        path: path.slice('first:'.length),
        sideEffects: true,
      }))
      bundle.onLoad({ filter: /\.js$/ }, ({ path, pluginData }) =>
        pluginData === true
          ? { contents: `${readFileSync(path, 'utf8')}\n${statements}`, loader: 'js' }
          : undefined,
      )
    },
  }
}

/** `bin` for `./dist/packed/bin.js`. */
function readPackedEntry(target: string): readonly string[] {
  return /^\.\/dist\/packed\/(.+)\.js$/.exec(target)?.slice(1) ?? []
}

/**
 * Statements that stay in a bundle of an entry when nothing of it is used. `"sideEffects": false`
 * speaks for whole files, and a packed file holds many modules.
 */
async function bundleKept(entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `import ${JSON.stringify(entry)}`, resolveDir: '/' },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'error',
    plugins: [
      {
        name: 'every-statement',
        setup: (bundle) => bundle.onResolve({ filter: /./ }, resolveStatic),
      },
    ],
  })
  return (outputFiles[0]?.text ?? '').replaceAll(/^\/\/.*\n|^\s+/gm, '')
}

/** A file that is loaded later is not what the importer gets. */
function resolveStatic({ path, resolveDir, kind }: OnResolveArgs): OnResolveResult {
  const isFile = /^\.{0,2}\//.test(path) && kind !== 'dynamic-import'
  return isFile
    ? { path: resolve(resolveDir, path), sideEffects: true }
    : { path, external: true, sideEffects: false }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await pack(process.cwd())
