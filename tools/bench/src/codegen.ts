// generators side by side on GitHub's REST document: CPU, memory, and what the compiler spends on their output
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cache, installed } from './lib/installed.mjs'
import { measured } from './lib/measured.mjs'

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, runs: { type: 'string' }, help: { type: 'boolean' } } })
if (values.help === true) {
  console.log(
    'Usage: pnpm bench codegen [--quick] [--runs N]\n\n  --quick   our own small document instead\n  --runs N  the best of N runs of each generator, and of the compiler on what it made (default: 2)',
  )
  process.exit(0)
}

const here = (/** @type {string} */ path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const work = join(cache, 'codegen')
const spec =
  values.quick === true ? here('spec/openapi.yaml') : join(installed('@octokit/openapi', '23.0.2'), 'generated/api.github.com.json')
const document = values.quick === true ? 'spec/openapi.yaml' : 'github.json'
const versions = { 'openapi-typescript': '7.13.0', '@redocly/cli': '2.77.0', '@hey-api/openapi-ts': '0.95.0' }
const script = (/** @type {keyof typeof versions} */ name, /** @type {string} */ file) =>
  join(installed(name, versions[name], ['typescript@5.9.3']), file)

const farebox = here('tools/codegen/dist/cli.js')
const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'zod']
const generators = ['--generator', 'typescript', '--generator', 'zod']
/** @type {readonly { readonly name: string, readonly out: string, readonly command: readonly string[], readonly again?: boolean }[]} */
const runs = [
  {
    name: `openapi-typescript ${versions['openapi-typescript']}: types`,
    out: 'openapi-typescript',
    command: [script('openapi-typescript', 'bin/cli.js'), document, '-o', 'openapi-typescript/schema.ts'],
  },
  {
    name: `@redocly/cli ${versions['@redocly/cli']}: types, client, zod`,
    out: 'redocly',
    command: [script('@redocly/cli', 'bin/cli.js'), 'generate-client', document, ...generators, '-o', 'redocly/client.ts'],
  },
  {
    name: `@hey-api/openapi-ts ${versions['@hey-api/openapi-ts']}: types, sdk, client, zod`,
    out: 'hey-api',
    command: [script('@hey-api/openapi-ts', 'bin/run.js'), '-i', `./${document}`, '-o', 'hey-api', '-p', ...plugins],
  },
  { name: 'farebox: types', out: 'types', command: [farebox, '--spec', document, '--out', 'types', '--only', 'types', '--no-cache'] },
  { name: 'farebox: types, zod, client', out: 'all', command: [farebox, '--spec', document, '--out', 'all', '--no-cache'] },
  { name: 'farebox: the same again, unchanged', out: 'all', command: [farebox, '--spec', document, '--out', 'all'], again: true },
]

rmSync(work, { recursive: true, force: true })
mkdirSync(join(work, 'node_modules/.cache'), { recursive: true })
cpSync(values.quick === true ? dirname(spec) : spec, join(work, values.quick === true ? dirname(document) : document), { recursive: true })
for (const name of ['zod', 'openapi-fetch']) symlinkSync(here(`tools/codegen/node_modules/${name}`), join(work, 'node_modules', name))

/** @type {Record<string, Record<string, string | number>>} */
const table = {}
/** @type {Record<string, { readonly made: import('./lib/measured.mjs').Measured, readonly compiled?: import('./lib/measured.mjs').Measured }>} */
const found = {}
for (const { name, out, command, again = false } of runs) {
  console.log(`${name} …`)
  if (again) measured(command, work)
  const made = best(() => {
    if (!again) rmSync(join(work, out), { recursive: true, force: true })
    return measured(command, work)
  })
  if (made.status !== 0 || !existsSync(join(work, out))) throw new Error(`${name} failed:\n${made.output.slice(-2000)}`)
  const files = filesBelow(join(work, out))
  const compiled = again ? undefined : best(() => compile(files))
  found[again ? 'again' : out] = { made, ...(compiled && { compiled }) }
  table[name] = {
    'user CPU, s': round(made.cpu),
    'wall, s': round(made.wall),
    'peak, MB': Math.round(made.memory),
    'output, KB': Math.round(files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024),
    ...(compiled && { 'tsc CPU, s': round(compiled.cpu), 'tsc peak, MB': Math.round(compiled.memory), 'tsc errors': errorsIn(compiled) }),
  }
}
console.table(table)

const { 'openapi-typescript': types, redocly, 'hey-api': hey, types: ourTypes, all, again } = found
const ratios = [
  ['CPU of all three, to redocly', all?.made.cpu, redocly?.made.cpu, 0.8],
  ['memory of all three, to redocly', all?.made.memory, redocly?.made.memory, 0.8],
  ['CPU of all three, to hey-api', all?.made.cpu, hey?.made.cpu, 0.25],
  ['memory of all three, to hey-api', all?.made.memory, hey?.made.memory, 0.5],
  ['CPU of types, to openapi-typescript', ourTypes?.made.cpu, types?.made.cpu, 0.5],
  ['wall of a second run, to one second', again?.made.wall, 1, 1],
  ['tsc of all three, to redocly', all?.compiled?.cpu, redocly?.compiled?.cpu, 0.5],
  ['tsc of all three, to hey-api', all?.compiled?.cpu, hey?.compiled?.cpu, 0.5],
].map(([what, ours = NaN, theirs = NaN, aim]) => ({ ratio: what, is: round(Number(ours) / Number(theirs)), aim }))
// The aims are for GitHub's document: on a small one most of the time is node's.
console.table(Object.fromEntries(ratios.map(({ ratio, is, aim }) => [ratio, { is, aim }])))

/**
 * The one of several runs that took the least CPU.
 * @param {() => import('./lib/measured.mjs').Measured} run
 */
function best(run) {
  return Array.from({ length: Number(values.runs ?? 2) }, run).reduce((least, one) => (one.cpu < least.cpu ? one : least))
}

/** @param {readonly string[]} files */
function compile(files) {
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck']
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
  return measured([here('node_modules/typescript/bin/tsc'), '--noEmit', ...strict, ...modules, ...files], work)
}

/** @param {{ readonly output: string }} compiled */
function errorsIn({ output }) {
  return output.match(/error TS\d+/g)?.length ?? 0
}

/** @param {string} folder */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
}

/** @param {number} number */
function round(number) {
  return Math.round(number * 100) / 100
}
