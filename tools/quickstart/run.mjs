// `node tools/quickstart`: installs and builds what the quickstart needs, regenerates the packages
// from spec/ and starts the quickstart. Plain JavaScript, because nothing is compiled yet when it
// starts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import { requireNode } from '../require-node.mjs'
import { causeIn } from './causes.mjs'
import { forgetInstall, install, isWorkshop } from './install.mjs'

requireNode()

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const args = process.argv.slice(2)
const help = `Usage: node tools/quickstart [--keep] [--help]

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
// where everything is installed, the compiler writes what later commands use again
const [compileGenerator, compileRest] = isWorkshop()
  ? [compiler('tools/codegen'), compiler('tools/quickstart')]
  : [translator('tools/codegen'), translator('tools/quickstart')]
if (!isWorkshop()) {
  await prepare('Install what the quickstart runs with', install)
  forgetInstall()
}
await prepare('Build the generator', compileGenerator)
await prepare('Regenerate every package from spec/', [
  process.execPath,
  'tools/codegen/dist/cli.js',
  '--quiet',
])
await prepare('Build the SDK and the service', compileRest)
await import('./dist/main.js')

function compiler(folder) {
  return [process.execPath, 'node_modules/@typescript/native/bin/tsc', '-b', folder]
}

function translator(folder) {
  return [process.execPath, 'tools/quickstart/translate.mjs', folder]
}

/** Runs a command with its title and its time in view. Its output is shown only when it fails. */
async function prepare(title, [command, ...given]) {
  const start = performance.now()
  // npm by itself tries for more than a minute
  const patience = { npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '1000' }
  // the generator finds its optional openapi-typescript among the dependencies of the quickstart
  const env = {
    ...patience,
    ...process.env,
    NODE_PATH: fileURLToPath(new URL('node_modules', import.meta.url)),
  }
  const child = spawn(command, given, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && command === 'npx',
  })
  const output = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => output.push(bytes))
  const { isTTY } = process.stdout
  const show = (mark) => {
    const time = `${((performance.now() - start) / 1000).toFixed(1)} s`.padStart(7)
    process.stdout.write(`${isTTY ? '\r' : ''}  ${mark} ${title.padEnd(46)} ${time}`)
  }
  const ticker = isTTY ? setInterval(() => show('·'), 100) : undefined
  const [status] = await once(child, 'close').catch((error) => [
    output.push(Buffer.from(error.message)),
  ])
  clearInterval(ticker)
  show(
    util.styleText(status === 0 ? 'green' : 'red', status === 0 ? '✓' : '✗', {
      stream: process.stdout,
    }),
  )
  console.log()
  if (status === 0) return
  const text = Buffer.concat(output).toString()
  const cause = causeIn(text)
  if (cause !== undefined)
    console.error(`\n  ${util.styleText('red', cause, { stream: process.stderr })}`)
  console.error(`\nThis command failed: ${[command, ...given].join(' ')}\n\n${text}`)
  process.exit(1)
}
