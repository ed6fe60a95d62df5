// `pnpm check`: everything that guards the tree and is not a test. Runs every step, then says which failed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { published } from './release/published.mjs'

const step = (/** @type {string} */ name, /** @type {string} */ command, /** @type {string[]} */ ...args) => ({ name, command, args })
const packages = published(process.cwd())
/** Those that pack each entry into one file when they are published. */
const packed = packages.filter(({ path }) => readFileSync(`${path}/package.json`, 'utf8').includes('"prepack"')).map(({ path }) => path)
const steps = [
  step('build', 'tsc', '-b'),
  step('types of tests and examples', 'tsc', '-p', 'tsconfig.test.json'),
  step('drift of generated code', 'node', 'tools/codegen/dist/cli.js', '--check'),
  step('contract lint', 'redocly', 'lint', '--config', 'spec/redocly.yaml'),
  step('code lint', 'oxlint', '--type-aware'),
  step('format', 'oxfmt', '--check'),
  step('changesets', 'changeset', 'status'),
  step('changesets of the contract', 'npx', '--yes', 'pnpm@12.21.0', '--silent', 'spec:diff', '--check'),
  step('site', 'node', 'packages/docs/scripts/site.mjs', 'check'),
  step('packed entries', 'node', 'tools/pack.mjs', ...packed),
  ...packages.map(({ name, path }) => step(`package ${name}`, 'publint', 'run', path, '--strict', '--pack', 'npm')),
]

const path = ['node_modules/.bin', process.env.PATH].join(delimiter)
const env = { ...process.env, PATH: path, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const failed = /** @type {string[]} */ ([])
for (const { name, command, args } of steps) {
  const start = performance.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, { env, encoding: 'utf8' })
  const took = `${((performance.now() - start) / 1000).toFixed(1)} s`
  if (status === 0) {
    console.log(`ok      ${name} (${took})`)
    continue
  }
  failed.push(name)
  console.log(`FAILED  ${name} (${took}): ${command} ${args.join(' ')}\n${error?.message ?? ''}${stdout}${stderr}`)
}
if (failed.length > 0) {
  console.log(`\n${failed.length} of ${steps.length} steps failed: ${failed.join(', ')}`)
  process.exitCode = 1
}
