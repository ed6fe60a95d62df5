// `pnpm tarballs FOLDER`: what another project can install before the first release.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expected, runProgram, world, type Program } from '@farebox/command-line'
import { packInto } from './install-packed.js'
import { listPublished, type PublishedPackage } from './list-published.js'
import { root } from './root.js'

const program: Program<'packages'> = {
  name: 'tarballs',
  summary: 'packs packages and those of ours that they need, for a project outside this repository',
  details: `Packs packages as a release would, with the other packages of this repository that they depend on. Removes
older tarballs from FOLDER. A project has them by: npm install FOLDER/*.tgz`,
  operands: [{ name: 'FOLDER', required: true }],
  flags: [
    {
      name: 'packages',
      kind: 'text',
      value: 'NAME,…',
      help: 'the packages that the project needs',
      fallback: 'farebox',
    },
  ],
  examples: [
    'npx --yes pnpm@12.21.0 tarballs ../farebox-tarballs',
    'npx --yes pnpm@12.21.0 tarballs ../farebox-tarballs --packages farebox,@farebox/service',
  ],
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, async (args) => {
  const place = resolve(args.operands[0] ?? '')
  const chosen = collectDependencies((args.text('packages') ?? 'farebox').split(','))
  mkdirSync(place, { recursive: true })
  for (const name of readdirSync(place)) if (name.endsWith('.tgz')) rmSync(join(place, name))
  packInto(
    place,
    chosen.map(({ path }) => path),
  )
  for (const { name, version } of chosen) console.log(`${name} ${version}`)
  console.log(`\nIn your project: npm install ${place}/*.tgz`)
  if (chosen.some(({ name }) => name === '@farebox/cli'))
    console.log(`In any folder: npx --yes $(printf ' -p %s' ${place}/*.tgz) farebox --help`)
  return 0
})

/** The named packages and those of ours that they depend on. Throws for a name that is not ours. */
function collectDependencies(names: readonly string[]): readonly PublishedPackage[] {
  const all = new Map(listPublished(root).map((one) => [one.name, one]))
  const packages = new Set<PublishedPackage>()
  const add = (name: string): void => {
    const one = all.get(name)
    if (one === undefined || packages.has(one)) return
    packages.add(one)
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(one.folder, 'package.json'), 'utf8'),
    ) as {
      readonly dependencies?: Readonly<Record<string, string>>
      readonly optionalDependencies?: Readonly<Record<string, string>>
    }
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
      add(dependency)
  }
  for (const name of names) {
    if (!all.has(name)) throw expected('--packages', name, `one of ${[...all.keys()].join(', ')}`)
    add(name)
  }
  return [...packages]
}
