// `pnpm quickstart`: regenerate and build everything from spec/, then hand over to the compiled quickstart.
// Plain JavaScript, because nothing is compiled yet when it starts.
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireNode } from '../require-node.mjs'

requireNode()

const root = fileURLToPath(new URL('../..', import.meta.url))
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
const preparations = [
  ['Build the generator', 'tsc', ['-b', 'tools/codegen']],
  ['Regenerate every package from spec/', 'node', ['tools/codegen/dist/cli.js', '--quiet']],
  ['Build all packages', 'tsc', ['-b']],
]
for (const [title, command, commandArgs] of preparations) await step(title, command, commandArgs)

const main = spawn(process.execPath, [join(root, 'tools/quickstart/dist/main.js'), ...args], { cwd: root, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => main.kill(signal))
main.on('exit', (code) => process.exit(code ?? 1))

/** Runs a command with its title and running time in view; its output is shown only when it fails. */
async function step(title, command, commandArgs) {
  const start = performance.now()
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`
  const terminal = process.stdout.isTTY
  process.stdout.write(`  ${title} ... `)
  const ticker = terminal ? setInterval(() => process.stdout.write(`\r  ${title} ... ${seconds()}`), 100) : undefined

  let output = ''
  const env = { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter) }
  const child = spawn(command, commandArgs, { cwd: root, env, shell: process.platform === 'win32' })
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output += error.message
      resolve(1)
    })
    child.on('close', resolve)
  })

  clearInterval(ticker)
  if (code !== 0) {
    console.error(`failed after ${seconds()}\n  ${command} ${commandArgs.join(' ')}\n\n${output}`)
    process.exit(1)
  }
  console.log(`${terminal ? `\r  ${title} ... ` : ''}done in ${seconds()}`)
}
