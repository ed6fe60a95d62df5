// `pnpm check`: everything that guards the tree and is not a test. Runs every step, two at a time, then says which failed.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { published } from './release/dist/published.js'

const step = (/** @type {string} */ name, /** @type {string} */ command, /** @type {string[]} */ ...args) => ({ name, command, args })
const packages = published(process.cwd())
/** Those that pack each entry into one file when they are published. */
const packed = packages.filter(({ path }) => readFileSync(`${path}/package.json`, 'utf8').includes('"prepack"')).map(({ path }) => path)
const build = step('build', 'tsc', '-b')
/** None of these needs another; the longest come first. */
const steps = [
  step('site', 'node', 'tools/site/dist/run.js', 'check'),
  step('types of tests and examples', 'tsc', '-p', 'tsconfig.test.json'),
  step('drift of generated code', 'node', 'tools/codegen/dist/cli.js', '--check'),
  step('contract lint', 'redocly', 'lint', '--config', 'spec/redocly.yaml'),
  step('code lint', 'oxlint', '--type-aware'),
  step('format', 'oxfmt', '--check'),
  step('changesets', 'changeset', 'status'),
  step('changesets of the contract', 'npx', '--yes', 'pnpm@12.21.0', '--silent', 'spec:diff', '--check'),
]
const pack = step('packed entries', 'node', 'tools/pack.mjs', ...packed)
const packs = packages.map(({ name, path }) => step(`package ${name}`, 'publint', 'run', path, '--strict', '--pack', 'npm'))

const path = ['node_modules/.bin', process.env.PATH].join(delimiter)
const env = { ...process.env, PATH: path, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const failed = /** @type {string[]} */ ([])
const stages = [[build], steps, [pack], packs]
for (const stage of stages) {
  const waiting = [...stage]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await check(next)
  }
  await Promise.all([worker(), worker()])
}
if (failed.length > 0) {
  console.log(`\n${failed.length} of ${stages.flat().length} steps failed: ${failed.join(', ')}`)
  process.exitCode = 1
}

/** Says how it went once it has ended. @param {ReturnType<typeof step>} step */
async function check({ name, command, args }) {
  const start = performance.now()
  const { fault, output } = await new Promise((resolve) =>
    execFile(command, args, { env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => resolve({ fault: error, output: stdout + stderr })),
  )
  const took = `${((performance.now() - start) / 1000).toFixed(1)} s`
  if (fault === null) {
    console.log(`ok      ${name} (${took})`)
    return
  }
  failed.push(name)
  console.log(`FAILED  ${name} (${took}): ${command} ${args.join(' ')}\n${output === '' ? fault.message : output}`)
}
