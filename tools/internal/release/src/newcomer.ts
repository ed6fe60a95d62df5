// `pnpm test:deep newcomer`: follows README.md, CONTRIBUTING.md and the start page of the site to the letter,
// in a fresh clone with an empty HOME. It does nothing that they do not say.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram, world, type Program } from '@farebox/command-line'
import { run, serve } from '@farebox/testing/commands'
import { root } from './root.js'
import { compareOutput, readSteps, type Step } from './instructions.js'

const program: Program<'first' | 'without-tests'> = {
  name: 'newcomer',
  summary: 'follows README.md, CONTRIBUTING.md and the start page of the site to the letter',
  details: `Clones what is committed, with an empty HOME, and runs every block of README.md and CONTRIBUTING.md that is marked as sh, in order, each in a shell of its own;
then the samples of the site's start page, in the shells that it names. A block of text right after one is what it must print, but for times, dates, addresses and counts. A
block that begins with "# leave this running" runs until its page ends. $EDITOR is a script that adds a sentence to a description.`,
  operands: [],
  flags: [
    { name: 'first', kind: 'switch', help: 'only the first block: time to first success' },
    {
      name: 'without-tests',
      kind: 'switch',
      help: 'leave out the lines that run all tests, which take minutes',
    },
  ],
  examples: ['node tools/internal/release/dist/newcomer.js --first'],
}

type Place = {
  readonly clone: string
  readonly env: NodeJS.ProcessEnv
  readonly memory: string
  readonly start: number
  readonly withoutTests: boolean
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, (args) =>
  follow(args.has('first'), args.has('without-tests')),
)

async function follow(isFirst: boolean, withoutTests: boolean): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), 'farebox-newcomer-'))
  const home = join(work, 'home')
  const clone = join(work, 'farebox')
  mkdirSync(home)
  const editor = join(work, 'editor')
  writeFileSync(
    editor,
    `#!/bin/sh\nsed -i 's/The text found in the document\\./& In reading order./' "$1"\n`,
    { mode: 0o755 },
  )
  // of the caller's environment, only the variables that let a machine reach npm
  const variables = Object.entries(process.env).filter(([name]) =>
    /^(PATH|LANG|CHROMIUM_BIN|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|https?_proxy|no_proxy|npm_config_registry)$/i.test(
      name,
    ),
  )
  const env = { ...Object.fromEntries(variables), HOME: home, EDITOR: editor }
  const start = performance.now()
  const pages = isFirst
    ? ['README.md']
    : ['README.md', 'CONTRIBUTING.md', 'packages/docs/src/content/docs/start.mdx']
  try {
    await runShell(`git clone --quiet "${root}" "${clone}"`, work, env)
    // from here on nothing of this tree is read, and .ci/run may build in it
    console.log('Cloned what is committed.')
    for (const page of pages) {
      const from = performance.now()
      const steps = readSteps(clone, page)
      if (steps.length === 0) throw new Error(`${page} has no command.`)
      await take(isFirst ? steps.slice(0, 1) : steps, {
        clone,
        env,
        memory: join(work, 'memory-'),
        start,
        withoutTests,
      })
      console.log(`${page} does what it says (${formatElapsed(from)}).`)
    }
    return 0
  } catch (error) {
    console.error(`FAILED  ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

async function take(
  steps: readonly Step[],
  { clone, env, memory, start, withoutTests }: Place,
): Promise<void> {
  const running: (() => Promise<void>)[] = []
  try {
    for (const [index, step] of steps.entries()) {
      const { at, text, file, shellName } = step
      const from = performance.now()
      const script = withoutTests ? text.replaceAll(/^.* test$/gm, '') : text
      if (file !== undefined) writeFileSync(join(clone, file), text)
      else if (text.startsWith('# leave this running'))
        running.push(await startInBackground(script, clone, env))
      // a shell with a name keeps its exported variables
      else {
        const output = await runShell(
          shellName === undefined ? script : rememberExports(script, memory + shellName),
          clone,
          env,
        )
        if (script === text) compareOutput(output, step)
      }
      console.log(`ok      ${at} (${formatElapsed(from)})`)
      if (index === 0 && at.startsWith('README'))
        console.log(`Time to first success, from the clone on: ${formatElapsed(start)}`)
    }
  } finally {
    await Promise.all(running.map((stop) => stop()))
  }
}

function formatElapsed(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`
}

/** Runs a block of a page with bash and returns all that it printed. Throws when it fails. */
function runShell(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return run('bash', ['-e', '-o', 'pipefail', '-c', text], { cwd, env, isBare: true })
}

/** Starts a block, and resolves once its output says that it listens. */
async function startInBackground(
  text: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<() => Promise<void>> {
  const { stop } = await serve('bash', ['-e', '-c', text], /listening on (http)/, {
    cwd,
    env,
    isBare: true,
    isGroup: true,
  })
  return stop
}

/** Makes a script restore and store its exported variables in the file `memory`. */
function rememberExports(script: string, memory: string): string {
  return `[ ! -f '${memory}' ] || . '${memory}'\n${script}\nexport -p > '${memory}'`
}
