// `pnpm quickstart`: regenerates the packages from spec/ and builds them, then starts the compiled
// quickstart. Plain JavaScript, because nothing is compiled yet when it starts.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { requireNode } from '../require-node.mjs'

requireNode()

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const args = process.argv.slice(2)
const help = `Usage: npx --yes pnpm@12.21.0 quickstart [--keep] [--help]

Builds Farebox from spec/, starts the service on a free loopback port with a temporary data folder, pays for it with a
throw-away wallet (signed for real, no chain, no money), has two documents parsed and prints the ledger.

  --keep   leave the service running and say how to call it with curl
  --help   this text`

const unknown = args.find((arg) => !['--keep', '--help', '-h'].includes(arg))
if (unknown !== undefined) {
  console.error(`quickstart: unknown option ${unknown}\n\n${help}`)
  process.exit(2)
}
if (args.includes('--help') || args.includes('-h')) {
  console.log(help)
  process.exit(0)
}

console.log('Farebox quickstart\n')
const tsc = ['node_modules/typescript/bin/tsc', '-b']
prepare('Build the generator', [...tsc, 'tools/codegen'])
prepare('Regenerate every package from spec/', ['tools/codegen/dist/cli.js', '--quiet'])
prepare('Build the SDK and the service', [...tsc, 'tools/quickstart'])

const main = spawn(process.execPath, ['tools/quickstart/dist/main.js', ...args], { cwd, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => main.kill(signal))
main.on('exit', (code) => process.exit(code ?? 1))

/** Runs a script with its title and its time in view. Its output is shown only when it fails. */
function prepare(title, script) {
  process.stdout.write(`  ${title} ... `)
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
  const time = `${((performance.now() - start) / 1000).toFixed(1)} s`
  if (status === 0) return console.log(`done in ${time}`)
  console.error(`failed after ${time}\n  node ${script.join(' ')}\n\n${stdout}${stderr}`)
  process.exit(1)
}
