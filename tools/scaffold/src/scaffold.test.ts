import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyOfTree } from '@farebox/testing/copy-of-tree'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const scaffold = join(root, 'tools/scaffold/dist/run.js')

const newTests = [
  'packages/retry/src/log-calls.test.ts',
  'tools/codegen/src/emitters/mock-data.test.ts',
  'packages/auth/src/stellar/stellar-payment-signer.test.ts',
  'packages/auth/src/verify/stellar-rail.test.ts',
]
const touched = ['packages/auth', 'packages/mock-data', 'packages/retry', 'packages/service/src', 'tools/codegen/src/emitters']
const treeTests = ['arrows', 'contract-packages', 'operation-ids', 'release-metadata', 'turbo'].map((name) => `tests/${name}.test.ts`)

let copy: string
beforeAll(() => {
  copy = copyOfTree(root)
  add('operation', 'getStatus', '--method', 'GET', '--path', '/status')
  add('middleware', 'logCalls', '--package', 'retry')
  add('output', 'mockData')
  add('rail', 'stellar')
  inCopy('npx', '--yes', 'pnpm@12.21.0', 'install', '--offline', '--frozen-lockfile', '--silent')
  inCopy('npx', 'tsc', '-b', 'tools/lint-rules', 'tools/codegen')
  inCopy('node', 'tools/codegen/dist/cli.js', '--quiet')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function add(...args: readonly string[]): string {
  return execFileSync(process.execPath, [scaffold, ...args, '--root', copy], { encoding: 'utf8' })
}

/** Throws with the output of the command when it fails. */
function inCopy(command: string, ...args: readonly string[]): string {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return execFileSync(command, args, { cwd: copy, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The output of a command that fails. */
function red(command: string, ...args: readonly string[]): string {
  try {
    inCopy(command, ...args)
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    return stdout + stderr
  }
  throw new Error(`${args.join(' ')} is green; expected it to ask a person for something`)
}

it('one of each compiles in every package', () => {
  expect(inCopy('npx', 'tsc', '-b')).toBe('')
})

it.each(['packages/auth', 'packages/mock-data', 'packages/retry', 'tools/codegen'])(
  'the new tests in %s have no errors of types',
  (folder) => {
    expect(inCopy('npx', 'tsc', '-p', `${folder}/tsconfig.test.json`)).toBe('')
  },
)

it('an operation obeys the rules of the contract', () => {
  inCopy('npx', 'redocly', 'lint', '--config', 'spec/redocly.yaml')
})

it('an operation is in the generated client, table, validators and tools', () => {
  for (const file of ['client/src/generated/operations.ts', 'types/src/table/generated/index.ts', 'mcp/src/generated/operations.ts']) {
    expect(readFileSync(join(copy, 'packages', file), 'utf8'), file).toContain('getStatus')
  }
})

it('an output is generated into its package', () => {
  expect(readFileSync(join(copy, 'packages/mock-data/src/generated/index.ts'), 'utf8')).toContain('export type ParsedText = {')
})

it('the touched folders pass lint, and all files are formatted', () => {
  inCopy('npx', 'oxlint', '--type-aware', ...touched)
  inCopy('npx', 'oxfmt', '--check')
})

it('the new tests pass, and so do those that read the tree', () => {
  inCopy('npx', 'vitest', 'run', ...newTests, ...treeTests)
})

it('the README of an output has a sample that compiles', () => {
  inCopy('npx', 'vitest', 'run', 'tests/readmes.test.ts', '-t', 'mock-data')
})

it.each([
  ['the recorded surface', ['vitest', 'run', 'tests/public-surface.test.ts'], '@farebox/auth/stellar'],
  ['the calls of the client', ['tsc', '-p', 'packages/client/tsconfig.test.json'], "Property 'getStatus' is missing"],
  ['the tools of agents', ['vitest', 'run', 'packages/cli/src/commands/mcp.test.ts', '-t', 'credentials admit'], 'getStatus'],
])('%s: a test asks a person for it, and names the addition', (_, args, named) => {
  expect(red('npx', ...args)).toContain(named)
})

it.each([
  [['operation', 'getStatus', '--method', 'GET', '--path', '/status'], 'paths has /status already; choose another name.'],
  [['operation', 'get_status', '--method', 'GET', '--path', '/other'], 'The name is "get_status"; expected camelCase, as in getStatus.'],
  [['operation', 'getOther', '--method', 'LOOK', '--path', '/other'], 'The method is "LOOK"; expected GET, POST, PUT, PATCH or DELETE.'],
  [['operation', 'getOther', '--path', '/other'], '--method is missing.'],
  [['middleware', 'logCalls', '--package', 'retry'], 'packages/retry/src/log-calls.ts exists already; choose another name.'],
  [['middleware', 'logAll', '--package', 'client'], 'The package is "client"; expected auth or retry.'],
  [['output', 'mcp'], 'The table "carriedBy" has mcp already; choose another name.'],
  [['output', 'mock_data'], 'The name is "mock_data"; expected camelCase'],
  [['rail', 'solana'], 'packages/auth/package.json has an entry ./solana already; choose another name.'],
  [['rail', 'evm'], 'The table "rails" has evm already; choose another name.'],
  [['frob', 'it'], "Unknown command 'frob'"],
  [['operation', 'getOther', '--methud', 'GET'], "Unknown option '--methud'"],
])('refuses %j, and writes nothing', (args, message) => {
  const before = inCopy('git', 'status', '--porcelain')
  expect(() => add(...args)).toThrow(message)
  expect(inCopy('git', 'status', '--porcelain')).toBe(before)
})
