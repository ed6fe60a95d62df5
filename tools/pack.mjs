// Before a package is packed: one file for each of its entries instead of one for each module, since a runtime pays for every file that it
// opens. Run by `prepack` in the package's folder, or with the folders named. `dist` as tsc wrote it stays: declarations and source maps point there.
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/**
 * Writes the files that `publishConfig.exports` names under dist/packed, or into another folder. Other packages are left to be imported; what
 * two entries share is written once. Throws where a bundler could not leave out of a file what nobody uses.
 * @param {string} folder
 * @param {string} [outdir]
 */
export async function pack(folder, outdir = join(folder, 'dist/packed')) {
  const {
    name,
    dependencies = {},
    optionalDependencies = {},
    publishConfig,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const targets = Object.values(publishConfig.exports).map((target) => target.default ?? '')
  const entries = targets.flatMap((target) => /^\.\/dist\/packed\/(.+)\.js$/.exec(target)?.[1] ?? [])
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: folder,
    entryPoints: entries.map((entry) => `dist/${entry}.js`),
    outdir,
    bundle: true,
    splitting: true,
    // one file less to open where that is most of the time; elsewhere a second copy would cost more than it saves
    external: Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((one) => name !== '@farebox/client' || one !== '@farebox/middleware')
      .flatMap((one) => [one, `${one}/*`]),
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  })
  for (const entry of entries) {
    const kept = await keptOf(join(outdir, `${entry}.js`))
    if (kept !== '') throw new Error(`${name}: whoever imports "${entry}" and uses nothing of it would get this all the same:\n${kept}`)
  }
}

/**
 * What is left of an entry and its shared files when nothing of it is used, statement by statement: `"sideEffects": false` speaks for whole
 * files, and one file has many modules now.
 * @param {string} entry
 */
async function keptOf(entry) {
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

/** @param {import('esbuild').OnResolveArgs} asked */
function resolved({ path, resolveDir }) {
  const isFile = /^\.{0,2}\//.test(path)
  return isFile ? { path: resolve(resolveDir, path), sideEffects: true } : { path, external: true, sideEffects: false }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const folder of process.argv.length > 2 ? process.argv.slice(2) : [process.cwd()]) await pack(resolve(folder))
}
