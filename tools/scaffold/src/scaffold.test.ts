import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyOfTree } from '@farebox/testing/copy-of-tree'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const scaffold = join(root, 'tools/scaffold/dist/run.js')

let copy: string
beforeAll(() => {
  copy = copyOfTree(root)
  add('operation', 'getStatus', '--method', 'GET', '--path', '/status')
  add('middleware', 'logCalls', '--package', 'retry')
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

it('an operation and a middleware compile in every package', () => {
  expect(inCopy('npx', 'tsc', '-b')).toBe('')
})

it('an operation obeys the rules of the contract', () => {
  inCopy('npx', 'redocly', 'lint', '--config', 'spec/redocly.yaml')
})

it('an operation is in the generated client, table, validators and tools', () => {
  for (const file of ['client/src/generated/operations.ts', 'types/src/table/generated/index.ts', 'mcp/src/generated/operations.ts']) {
    expect(readFileSync(join(copy, 'packages', file), 'utf8'), file).toContain('getStatus')
  }
})

it('the new files pass lint and format', () => {
  inCopy('npx', 'oxlint', 'packages/service/src/handlers', 'packages/retry/src')
  inCopy('npx', 'oxfmt', '--check', 'packages/service/src/handlers', 'packages/retry/src')
})

it('the test of a middleware passes', () => {
  inCopy('npx', 'vitest', 'run', 'packages/retry/src/log-calls.test.ts')
})

it.each([
  [['operation', 'getStatus', '--method', 'GET', '--path', '/status'], 'paths has /status already; choose another name.'],
  [['operation', 'get_status', '--method', 'GET', '--path', '/other'], 'The name is "get_status"; expected camelCase, as in getStatus.'],
  [['operation', 'getOther', '--method', 'LOOK', '--path', '/other'], 'The method is "LOOK"; expected GET, POST, PUT, PATCH or DELETE.'],
  [['operation', 'getOther', '--path', '/other'], '--method is missing.'],
  [['middleware', 'logCalls', '--package', 'retry'], 'packages/retry/src/log-calls.ts exists already; choose another name.'],
  [['middleware', 'logAll', '--package', 'client'], 'The package is "client"; expected auth or retry.'],
  [['frob', 'it'], "Unknown command 'frob'"],
  [['operation', 'getOther', '--methud', 'GET'], "Unknown option '--methud'"],
])('refuses %j, and writes nothing', (args, message) => {
  const before = inCopy('git', 'status', '--porcelain')
  expect(() => add(...args)).toThrow(message)
  expect(inCopy('git', 'status', '--porcelain')).toBe(before)
})
