// Before a package is packed: one file for each of its entries instead of one for each module, since a runtime pays for every file that it
// opens. Run by `prepack` in the package's folder, or with the folders named. `dist` as tsc wrote it stays: declarations and source maps point there.
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/**
 * Writes the files that `publishConfig.exports` names under dist/packed. Other packages are left to be imported; what two entries share is
 * written once.
 * @param {string} folder
 */
export async function pack(folder) {
  const {
    name,
    dependencies = {},
    optionalDependencies = {},
    publishConfig,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const targets = Object.values(publishConfig.exports).map((target) => target.default ?? '')
  const entries = targets.flatMap((target) => /^\.\/dist\/packed\/(.+)\.js$/.exec(target)?.[1] ?? [])
  rmSync(join(folder, 'dist/packed'), { recursive: true, force: true })
  await build({
    absWorkingDir: folder,
    entryPoints: entries.map((entry) => `dist/${entry}.js`),
    outdir: 'dist/packed',
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
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const folder of process.argv.length > 2 ? process.argv.slice(2) : [process.cwd()]) await pack(resolve(folder))
}
