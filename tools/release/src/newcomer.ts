// `pnpm newcomer`: follows README.md and then the start page of the site to the letter, in a fresh clone with an empty HOME. What they do not
// say, nobody does here.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const help = `Usage: npx --yes pnpm@12.21.0 newcomer [--first] [--without-tests] [--help]

Clones what is committed, with an empty HOME, and runs every block of README.md that is marked as sh, in order, each in a shell
of its own; then the samples of the site's start page, in the shells that it names. A block of text right after one is what it
must print; … stands for anything. A block that begins with "# leave this running" runs until its page ends. $EDITOR is a
script that adds a sentence to a description.

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
    /^(PATH|LANG|CHROMIUM_BIN|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|https?_proxy|no_proxy|npm_config_registry)$/i.test(name),
  )
  const env = { ...Object.fromEntries(kept), HOME: home, EDITOR: editor }
  const start = performance.now()
  const pages = values.first === true ? ['README.md'] : ['README.md', 'packages/docs/src/content/docs/start.mdx']
  try {
    await shell(`git clone --quiet "${root}" "${clone}"`, work, env)
    for (const page of pages) {
      const from = performance.now()
      const steps = stepsOf(clone, page)
      if (steps.length === 0) throw new Error(`${page} has no command.`)
      await take(values.first === true ? steps.slice(0, 1) : steps, { clone, env, memory: join(work, 'memory-'), start })
      console.log(`${page} does what it says (${since(from)}).`)
    }
  } catch (error) {
    console.error(`FAILED  ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

/**
 * @param {readonly Step[]} steps
 * @param {{ readonly clone: string, readonly env: NodeJS.ProcessEnv, readonly memory: string, readonly start: number }} place
 */
async function take(steps, { clone, env, memory, start }) {
  const running = /** @type {(() => Promise<void>)[]} */ ([])
  try {
    for (const [index, { at, text, file, shellName, expected }] of steps.entries()) {
      const from = performance.now()
      const script = values['without-tests'] === true ? text.replaceAll(/^.* test$/gm, '') : text
      if (file !== undefined) writeFileSync(join(clone, file), text)
      else if (text.startsWith('# leave this running')) running.push(await background(script, clone, env))
      // a shell that is named keeps what was exported in it
      else compare(await shell(shellName === undefined ? script : remembering(script, memory + shellName), clone, env), expected, at)
      console.log(`ok      ${at} (${since(from)})`)
      if (index === 0 && at.startsWith('README')) console.log(`Time to first success, from the clone on: ${since(start)}`)
    }
  } finally {
    await Promise.all(running.map((stop) => stop()))
  }
}

/**
 * What a page tells its reader to do: a command, or a file to be saved.
 * @typedef {object} Step
 * @property {string} at where it says so
 * @property {string} text
 * @property {string} [file] where to save the text
 * @property {string} [shellName] the shell in which to run it, if not in one of its own
 * @property {string} [expected] what must be printed
 */

/**
 * Blocks marked as sh and samples, each with the block of text that follows it before the next, if there is one.
 * @param {string} clone
 * @param {string} page
 */
function stepsOf(clone, page) {
  const steps = /** @type {Step[]} */ ([])
  const content = readFileSync(join(clone, page), 'utf8')
  for (const found of content.matchAll(
    /^ *```(?<kind>\w*)\n(?<block>.*?)^ *```$|<Sample file="(?<sample>.*?)" title="(?<title>.*?)" \/>/gms,
  )) {
    const { kind, block = '', sample, title = '' } = found.groups ?? {}
    const at = `${page}:${content.slice(0, found.index).split('\n').length}`
    const last = steps.at(-1)
    if (sample !== undefined) {
      const text = readFileSync(join(clone, 'packages/docs/samples', sample), 'utf8')
      steps.push(sample.endsWith('.sh') ? { at, text, shellName: title.replaceAll(' ', '-') } : { at, text, file: title })
    } else if (kind === 'sh') steps.push({ at, text: block })
    else if (last !== undefined) last.expected ??= kind === 'text' ? block : ''
  }
  return steps
}

/** A script in a shell that has what was exported in it before. */
function remembering(/** @type {string} */ script, /** @type {string} */ memory) {
  return `[ ! -f '${memory}' ] || . '${memory}'\n${script}\nexport -p > '${memory}'`
}

function since(/** @type {number} */ from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`
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
 * Leaves a block running, once it says that it listens. What is given back ends the whole group of processes and waits until the
 * last of them is gone.
 * @param {string} text
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<() => Promise<void>>}
 */
function background(text, cwd, env) {
  const child = spawn('bash', ['-e', '-c', text], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  // it closes when none of the group holds its output any more
  const closed = new Promise((resolve) => child.once('close', resolve))
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM')
    await closed
  }
  return new Promise((resolve, reject) => {
    let output = ''
    const hear = (/** @type {Buffer} */ chunk) => {
      output += chunk
      if (/listening on http/.test(output)) resolve(end)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void closed.then((code) => reject(new Error(`ended with ${code} instead of going on:\n${text}\n${output}`)))
  })
}

/**
 * Each promised line must be printed, in that order; … stands for anything, more lines included.
 * @param {string} output
 * @param {string | undefined} expected
 * @param {string} at
 */
function compare(output, expected, at) {
  let from = 0
  for (const promise of (expected ?? '').split('\n').filter((one) => one.trim() !== '' && one !== '…')) {
    const pieces = promise
      .trim()
      .split(/\s*…\s*/)
      .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const match = new RegExp(pieces.join('.*')).exec(output.slice(from))
    if (match === null)
      throw new Error(`${at} promises the line ${JSON.stringify(promise)}, found after what came before it:\n${output.slice(from)}`)
    from += match.index + match[0].length
  }
}
