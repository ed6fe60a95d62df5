// `pnpm newcomer`: follows README.md to the letter, in a fresh clone with an empty HOME. What README does not say, nobody does here.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const help = `Usage: npx --yes pnpm@12.21.0 newcomer [--first] [--without-tests] [--help]

Clones what is committed, with an empty HOME, and runs every block of README.md that is marked as sh, in order, each in a shell
of its own. A block of text right after one is what it must print; … stands for anything. A block that begins with
"# leave this running" runs until the end. $EDITOR is a script that adds a sentence to a description.

  --first           only the first block: time to first success
  --without-tests   leave out the lines that run all tests, which take minutes
  --help`

const { values } = parseArgs({
  options: { first: { type: 'boolean' }, 'without-tests': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help === true) console.log(help)
else await follow()

async function follow() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const work = mkdtempSync(join(tmpdir(), 'farebox-newcomer-'))
  const home = join(work, 'home')
  const clone = join(work, 'farebox')
  mkdirSync(home)
  const editor = join(work, 'editor')
  writeFileSync(editor, `#!/bin/sh\nsed -i 's/The text found in the document\\./& In reading order./' "$1"\n`, { mode: 0o755 })
  // of the caller's environment only what lets a machine reach npm
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(PATH|LANG|CHROMIUM_BIN|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|https?_proxy|no_proxy)$/i.test(name),
  )
  const env = { ...Object.fromEntries(kept), HOME: home, EDITOR: editor }
  const running = /** @type {(() => void)[]} */ ([])

  const start = performance.now()
  const since = (/** @type {number} */ from) => `${((performance.now() - from) / 1000).toFixed(1)} s`
  try {
    await shell(`git clone --quiet "${root}" "${clone}"`, work, env)
    const blocks = commands(readFileSync(join(clone, 'README.md'), 'utf8'))
    if (blocks.length === 0) throw new Error('README.md has no block marked as sh.')
    for (const [index, { line, text, expected }] of (values.first === true ? blocks.slice(0, 1) : blocks).entries()) {
      const from = performance.now()
      const script = values['without-tests'] === true ? text.replaceAll(/^.* test$/gm, '') : text
      if (text.startsWith('# leave this running')) running.push(await background(script, clone, env))
      else compare(await shell(script, clone, env), expected, line)
      console.log(`ok      README.md:${line} (${since(from)})`)
      if (index === 0) console.log(`Time to first success, from the clone on: ${since(start)}`)
    }
    console.log(`README.md does what it says (${since(start)}).`)
  } catch (error) {
    console.error(`FAILED  ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  } finally {
    for (const stop of running) stop()
    rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

/**
 * The blocks marked as sh, each with the block of text that follows it before the next one, if there is one.
 * @param {string} readme
 */
function commands(readme) {
  const found = /** @type {{ line: number, text: string, expected?: string }[]} */ ([])
  for (const { 1: kind, 2: text, index } of readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    const last = found.at(-1)
    if (kind === 'sh') found.push({ line: readme.slice(0, index).split('\n').length, text: text ?? '' })
    if (kind === 'text' && last !== undefined) last.expected ??= text
    else if (kind !== 'sh' && last !== undefined) last.expected ??= ''
  }
  return found
}

/**
 * Runs a block as it stands and gives all that it printed.
 * @param {string} text
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>}
 */
async function shell(text, cwd, env) {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', text], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.once('close', (status, signal) => resolve(status ?? signal)))
  if (code !== 0) throw new Error(`ended with ${code}:\n${text}\n${output}`)
  return output
}

/**
 * Leaves a block running, once it says that it listens. The whole group of processes is ended with what is given back.
 * @param {string} text
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<() => void>}
 */
function background(text, cwd, env) {
  const child = spawn('bash', ['-e', '-c', text], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let output = ''
    const hear = (/** @type {Buffer} */ chunk) => {
      output += chunk
      if (/listening on http/.test(output)) resolve(() => process.kill(-(child.pid ?? 0), 'SIGTERM'))
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('close', (code) => reject(new Error(`ended with ${code} instead of going on:\n${text}\n${output}`)))
  })
}

/**
 * Each promised line must be printed, in that order; … stands for anything, more lines included.
 * @param {string} output
 * @param {string | undefined} expected
 * @param {number} line
 */
function compare(output, expected, line) {
  let from = 0
  for (const promise of (expected ?? '').split('\n').filter((one) => one.trim() !== '' && one !== '…')) {
    const pieces = promise
      .trim()
      .split(/\s*…\s*/)
      .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const match = new RegExp(pieces.join('.*')).exec(output.slice(from))
    if (match === null)
      throw new Error(
        `README.md:${line} promises the line ${JSON.stringify(promise)}, found after what came before it:\n${output.slice(from)}`,
      )
    from += match.index + match[0].length
  }
}
