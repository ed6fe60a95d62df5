// Plain JavaScript, because nothing is compiled yet when it is needed.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

await translate(resolve(process.argv[2]))

/**
 * Translates a package of the workspace and those that it depends on from src to dist, file by file
 * and without looking at types: in a second what takes the compiler a minute. A later `tsc -b`
 * writes these files again, because it finds no record of its own.
 */
async function translate(folder) {
  const folders = [...closure(folder)]
  await Promise.all(folders.map(translateOne))
}

function closure(folder, seen = new Set()) {
  if (seen.has(folder)) return seen
  seen.add(folder)
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const require = createRequire(join(folder, 'package.json'))
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies }))
    if (version.startsWith('workspace:'))
      closure(join(require.resolve(`${name}/package.json`), '..'), seen)
  return seen
}

async function translateOne(folder) {
  const source = join(folder, 'src')
  const entryPoints = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test(?:-d)?\.ts$/.test(name))
    .map((name) => join(source, name))
  await build({
    entryPoints,
    outbase: source,
    outdir: join(folder, 'dist'),
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    tsconfigRaw: '{}',
  })
}
