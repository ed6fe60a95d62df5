// `pnpm test:deep operation`: adds an operation as CONTRIBUTING.md says, serves it, and releases it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram, world, type Program } from '@farebox/command-line'
import { copyOfTree } from '@farebox/testing/copy-of-tree'
import { run, serve } from '@farebox/testing/commands'
import { readCommands } from './instructions.js'
import { listHandEdits, priceUsd, writeByHand } from './operation-by-hand.js'
import { root } from './root.js'

const program: Program<never> = {
  name: 'add-operation',
  summary:
    'follows "Add an operation" of CONTRIBUTING.md to a priced upload that is served, documented, tested and released',
  details: `Copies the tree as it is, releases it, and runs each command of that section in its order on a branch. What the section leaves to a person comes from
this tool. Then it runs the tests of what the operation touches, starts the service of the copy, uploads a file to the new operation, finds it in the
reference, raises the versions, and calls it with the packed SDK from an empty project. It uses the packages that pnpm keeps on this machine.`,
  operands: [],
  flags: [],
  examples: ['node tools/internal/release/dist/add-operation.js'],
}

/** The tests of what an operation touches, and what of them is run. */
const touched: readonly (readonly [title: string, command: string])[] = [
  [
    'The tests of the operation pass',
    `npx vitest run packages/client/src/create-client.test.ts packages/cli/src/commands/mcp-tools.test.ts \
      packages/service/src/app/examples.test.ts tests/operation-ids.test.ts`,
  ],
  [
    'Its samples run',
    'cd packages/docs/samples && RUNS=all npx vitest run --config ../../../vitest.config.ts -t extract-tables',
  ],
]

const author = { GIT_AUTHOR_NAME: 'newcomer', GIT_AUTHOR_EMAIL: 'newcomer@localhost' }
const adminKey = 'key-of-a-newcomer'

const env = {
  ...author,
  GIT_COMMITTER_NAME: 'newcomer',
  GIT_COMMITTER_EMAIL: 'newcomer@localhost',
  FAREBOX_ADMIN_KEY: adminKey,
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, follow)

async function follow(): Promise<number> {
  const copy = copyOfTree(root)
  const project = mkdtempSync(join(tmpdir(), 'farebox-project-'))
  const start = performance.now()
  const step = async <T>(title: string, work: () => T | Promise<T>): Promise<T> => {
    const from = performance.now()
    const value = await work()
    console.log(`ok      ${title} (${((performance.now() - from) / 1000).toFixed(1)} s)`)
    return value
  }
  const shell = (command: string, cwd = copy): Promise<string> =>
    run('bash', ['-euo', 'pipefail', '-c', command], { cwd, env })
  try {
    execFileSync('git', ['checkout', '--quiet', '-B', 'main'], { cwd: copy })
    // the tree may be one that was never released, whose changes need no changeset
    await step('A release, to change', () =>
      shell(`npx --yes pnpm@12.21.0 install --frozen-lockfile --prefer-offline
npx changeset version && git add --all && git commit --quiet --no-verify --message Release && git checkout --quiet -b tables`),
    )
    const commands = readCommands(
      readFileSync(join(copy, 'CONTRIBUTING.md'), 'utf8'),
      'Add an operation',
    )
    for (const [index, command] of commands.entries()) {
      await step(command, () => shell(command))
      for (const [path, edit] of listHandEdits(index)) writeByHand(copy, path, edit)
    }
    for (const [title, command] of touched) await step(title, () => shell(command))
    await shell('git add --all && git commit --quiet --no-verify --message "Extract tables"')
    await checkReleased(copy, project, shell, step)
    console.log(
      `An operation was added, served, documented and released in ${((performance.now() - start) / 1000).toFixed(0)} s.`,
    )
    return 0
  } catch (error) {
    console.error(`FAILED  ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    for (const folder of [copy, project])
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

type Shell = (command: string, cwd?: string) => Promise<string>
type StepRunner = <T>(title: string, work: () => T | Promise<T>) => Promise<T>

/** What others have of the operation. */
async function checkReleased(
  copy: string,
  project: string,
  shell: Shell,
  step: StepRunner,
): Promise<void> {
  const args = ['packages/service/dist/bin.js', '--port', '0', '--data', join(project, 'data')]
  const { address, stop } = await serve(process.execPath, args, /listening on (\S+)/, {
    cwd: copy,
    env,
  })
  try {
    const origin = `${address}/api/v1`
    await step('It is served, and costs what it should', async () => {
      const before = await readBalance(origin)
      const body = new FormData()
      body.set('file', new Blob(['Zone A to C: 2.40']), 'fares.txt')
      const response = await fetch(`${origin}/augment/tables`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}` },
        body,
      })
      const { text } = (await response.json()) as { readonly text?: string }
      expectSame('The service responds with', `${response.status} ${text}`, '200 Zone A to C: 2.40')
      expectSame(
        'The account has paid',
        (before - (await readBalance(origin))).toFixed(6),
        priceUsd.toFixed(6),
      )
    })
    await step('It is documented', async () => {
      const page = await (await fetch(address, { headers: { accept: 'text/html' } })).text()
      if (!/\bextractTables\b/.test(page) || !page.includes('/augment/tables'))
        throw new Error('The reference of the service does not show extractTables.')
    })
    await step('It is released', async () => {
      const before = readVersion(join(copy, 'packages/farebox'))
      await shell('npx changeset version')
      const after = readVersion(join(copy, 'packages/farebox'))
      if (before === after) throw new Error(`The version of farebox stays ${before}.`)
      const changelog = readFileSync(join(copy, 'packages/farebox/CHANGELOG.md'), 'utf8')
      expectSame(
        'The changelog has lines of the new operation:',
        `${changelog.match(/^.*extractTables is new/gm)?.length}`,
        '1',
      )
      const tarballs = join(project, 'tarballs')
      const outside = join(project, 'outside')
      mkdirSync(outside)
      await shell(`node tools/internal/release/dist/tarballs.js ${tarballs}`)
      await shell(
        `npm init --yes --init-type=module && npm install --no-audit --no-fund ${tarballs}/*.tgz`,
        outside,
      )
      const call = `import { createFarebox } from 'farebox'
const farebox = createFarebox({ baseUrl: '${origin}', apiKey: '${adminKey}' })
console.log((await farebox.extractTables({ file: new Blob(['Zone A to C: 2.40']) })).text)`
      const message = await run(process.execPath, ['--input-type=module', '--eval', call], {
        cwd: outside,
      })
      expectSame(`farebox ${after} says`, message.trim(), 'Zone A to C: 2.40')
    })
  } finally {
    await stop()
  }
}

async function readBalance(origin: string): Promise<number> {
  const response = await fetch(`${origin}/api_keys/rate_limits`, {
    headers: { authorization: `Bearer ${adminKey}` },
  })
  const { data } = (await response.json()) as {
    readonly data: { readonly balances: { readonly USD: number } }
  }
  return data.balances.USD
}

function readVersion(folder: string): string {
  return (
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }
  ).version
}

function expectSame(what: string, found: string, expected: string): void {
  if (found !== expected) throw new Error(`${what} ${found}; expected ${expected}.`)
}
