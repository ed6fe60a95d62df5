// `pnpm newcomer:operation`: adds an operation as CONTRIBUTING.md says, serves it, and releases it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram, world, type Program } from '@farebox/command-line'
import { copyOfTree } from '@farebox/testing/copy-of-tree'
import { run, serve } from '@farebox/testing/commands'
import { commandsIn } from './commands-in.js'
import { byHand, status, writeByHand } from './operation-by-hand.js'
import { root } from './root.js'

const program: Program<never> = {
  name: 'newcomer:operation',
  summary: 'follows "Add an operation" of CONTRIBUTING.md to an operation that is served, documented and released',
  details: `Copies the tree as it is, and runs each command of that section in its order. What the section leaves to a person comes from this tool.
Then it starts the service of the copy, calls the new operation, finds it in the reference, raises the versions, and calls it with the packed SDK from an
empty project. It takes some minutes, and uses the packages that pnpm keeps on this machine.`,
  operands: [],
  flags: [],
  examples: ['npx --yes pnpm@12.21.0 newcomer:operation'],
}

const author = { GIT_AUTHOR_NAME: 'newcomer', GIT_AUTHOR_EMAIL: 'newcomer@localhost' }
const env = { ...author, GIT_COMMITTER_NAME: 'newcomer', GIT_COMMITTER_EMAIL: 'newcomer@localhost', FAREBOX_ADMIN_KEY: 'KEY' }

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
  const shell = (command: string, cwd = copy): Promise<string> => run('bash', ['-euo', 'pipefail', '-c', command], { cwd, env })
  try {
    execFileSync('git', ['checkout', '--quiet', '-B', 'main'], { cwd: copy })
    const commands = commandsIn(readFileSync(join(copy, 'CONTRIBUTING.md'), 'utf8'), 'Add an operation')
    for (const [index, command] of commands.entries()) {
      await step(command, () => shell(command))
      for (const [path, edit] of byHand(index)) writeByHand(copy, path, edit)
    }
    await step('The tests that keep a list have the operation', () =>
      shell(`npx vitest run packages/client/src/create-client.test.ts packages/cli/src/commands/mcp-tools.test.ts`),
    )
    await shell('git add --all && git commit --quiet --no-verify --message "Say the state of the service"')
    await released(copy, project, shell, step)
    console.log(`An operation was added, served, documented and released in ${((performance.now() - start) / 1000).toFixed(0)} s.`)
    return 0
  } catch (error) {
    console.error(`FAILED  ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    for (const folder of [copy, project]) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

type Shell = (command: string, cwd?: string) => Promise<string>
type Timed = <T>(title: string, work: () => T | Promise<T>) => Promise<T>

/** What others have of the operation. */
async function released(copy: string, project: string, shell: Shell, step: Timed): Promise<void> {
  const args = ['packages/service/dist/bin.js', '--port', '0', '--data', join(project, 'data')]
  const { address, stop } = await serve(process.execPath, args, /listening on (\S+)/, { cwd: copy, env })
  try {
    await step('It is served', async () => {
      const response = await fetch(`${address}/api/v1/status`, { headers: { authorization: 'Bearer KEY' } })
      expectSame('The service answers', JSON.stringify(await response.json()), JSON.stringify(status))
    })
    await step('It is documented', async () => {
      const page = await (await fetch(address, { headers: { accept: 'text/html' } })).text()
      if (!/\bgetStatus\b/.test(page) || !page.includes('/status')) throw new Error('The reference of the service does not show getStatus.')
    })
    await step('It is released', async () => {
      const before = versionOf(join(copy, 'packages/farebox'))
      await shell('npx changeset version')
      const after = versionOf(join(copy, 'packages/farebox'))
      if (before === after) throw new Error(`The version of farebox stays ${before}.`)
      const tarballs = join(project, 'tarballs')
      const outside = join(project, 'outside')
      mkdirSync(outside)
      await shell(`node tools/release/dist/tarballs.js ${tarballs}`)
      await shell(`npm init --yes --init-type=module && npm install --no-audit --no-fund ${tarballs}/*.tgz`, outside)
      const call = `import { createFarebox } from 'farebox'
console.log(JSON.stringify(await createFarebox({ baseUrl: '${address}/api/v1', apiKey: 'KEY' }).getStatus()))`
      const said = await run(process.execPath, ['--input-type=module', '--eval', call], { cwd: outside })
      expectSame(`farebox ${after} says`, said.trim(), JSON.stringify(status))
    })
  } finally {
    await stop()
  }
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }).version
}

function expectSame(what: string, found: string, wanted: string): void {
  if (found !== wanted) throw new Error(`${what} ${found}; expected ${wanted}.`)
}
