import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyOfTree } from '@farebox/testing/copy-of-tree'
import { scaffold } from './scaffold.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

const newTests = [
  'packages/retry/src/log-calls.test.ts',
  'tools/codegen/src/emitters/mock-data.test.ts',
  'packages/mock-data/src/index.test.ts',
  'packages/auth/src/stellar/stellar-payment-signer.test.ts',
  'packages/auth/src/verify/stellar-rail.test.ts',
]
const treeTests = [
  'arrows',
  'contract-packages',
  'operation-ids',
  'release-metadata',
  'turbo.deep',
].map((name) => `tests/${name}.test.ts`)
const readmes = 'tests/readmes.deep.test.ts'
const surface = 'tests/public-surface.test.ts'
const examples = 'packages/service/src/app/examples.test.ts'
const tools = 'packages/cli/src/commands/mcp-tools.test.ts'

/** All tests, but of a README those of the new package. */
const chosen = '^(?!a README sample (?!.*mock-data))'

let copy: string
/** What the tests of the copy say, run by one process. */
let tests: Tests
beforeAll(async () => {
  copy = copyOfTree(root)
  const command = join(root, 'tools/internal/scaffold/dist/run.js')
  execFileSync(process.execPath, [
    command,
    'operation',
    'getStatus',
    '--path',
    '/status',
    '--root',
    copy,
  ])
  await add('operation', 'extractTables', '--like', 'parseText', '--path', '/augment/table-parser')
  await add('middleware', 'logCalls', '--package', 'retry')
  await add('output', 'mockData')
  await add('rail', 'stellar')
  linkInstalled()
  runOrThrow(findBin('tsc'), '-b', ...oneChecker, 'tools/lint-rules', 'tools/codegen')
  runOrThrow('node', 'tools/codegen/dist/cli.js', '--quiet')
  runOrThrow(findBin('tsc'), '-b', ...oneChecker)
  tests = runTests(...newTests, ...treeTests, readmes, surface, tools, examples)
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Throws with what the command says when it rejects. */
async function add(...args: readonly string[]): Promise<void> {
  let said = ''
  const err = { write: (text: string) => (said += text) }
  const status = await scaffold([...args, '--root', copy], {
    environment: {},
    out: { write: () => undefined },
    err,
  })
  if (status !== 0) throw new Error(said)
}

/**
 * Gives the copy the packages that are installed here. An installation would need what an earlier
 * one left in HOME. The members of the workspace stay those of the copy: their links are relative.
 */
function linkInstalled(): void {
  const members = ['packages', 'tools', 'tools/internal'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((child) => `${parent}/${child}`),
  )
  for (const member of [...members, 'packages/docs/samples', 'tests', '.']) {
    const [from, to] = [root, copy].map((tree) => join(tree, member, 'node_modules')) as [
      string,
      string,
    ]
    const isLink = (path: string): boolean => !/node_modules\/\.(?!bin)/.test(relative(root, path))
    if (existsSync(from))
      cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isLink })
  }
  symlinkSync(join(root, 'node_modules/.pnpm'), join(copy, 'node_modules/.pnpm'))
}

type Tests = {
  /** The results by the file of the test. */
  readonly results: ReadonlyMap<string, readonly string[]>
  /** What is printed of each failure, which begins with the file of the test. */
  readonly failures: readonly string[]
}
type Report = {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

function runTests(...files: readonly string[]): Tests {
  const output = readOutput(findBin('vitest'), 'run', ...files, '-t', chosen)
  const report = join(copy, 'test-report.json')
  if (!existsSync(report)) throw new Error(output)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const results = testResults.map(
    ({ name, assertionResults }) =>
      [
        relative(realpathSync(copy), name),
        assertionResults.map(({ status }) => status).filter((status) => status !== 'skipped'),
      ] as const,
  )
  return { results: new Map(results), failures: output.split(/^ FAIL +(?:\|\w+\| +)?/m).slice(1) }
}

/** What the tests of a file print that fail, or that none was run. */
function describeFailures(file: string): string {
  const results = tests.results.get(file) ?? []
  if (results.length === 0) return `No test of ${file} was run.`
  if (results.every((result) => result === 'passed')) return ''
  return tests.failures.find((failure) => failure.startsWith(file)) ?? `A test of ${file} failed.`
}

/** Several checkers of a project repeat each other's work. On few cores that saves no time. */
const oneChecker = ['--checkers', '1'] as const

/** `npx` takes most of a second to find a command. */
function findBin(name: string): string {
  return join(copy, 'node_modules/.bin', name)
}

/** The files that were added and changed. */
function listTouchedFiles(): readonly string[] {
  const lines = runOrThrow('git', 'status', '--porcelain', '--untracked-files=all')
    .trimEnd()
    .split('\n')
  return lines.map((line) => line.slice(3))
}

/** The output of a command. Throws with it when the command fails. */
function runOrThrow(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = runInCopy(command, args)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

/** The output of a command that finds faults. */
function readOutput(command: string, ...args: readonly string[]): string {
  const { stdout, stderr } = runInCopy(command, args)
  return stdout + stderr
}

function runInCopy(command: string, args: readonly string[]) {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  return spawnSync(command, args, { cwd: copy, env, encoding: 'utf8' })
}

it.each(['packages/auth', 'packages/mock-data', 'packages/retry', 'tools/codegen'])(
  'the new tests in %s have no type errors',
  (folder) => {
    expect(runOrThrow(findBin('tsc'), '-p', `${folder}/tsconfig.test.json`, ...oneChecker)).toBe('')
  },
)

it('an operation passes the contract lint rules', () => {
  runOrThrow(findBin('redocly'), 'lint', '--config', 'spec/redocly.yaml')
})

it('an operation is in the generated client, table, validators and tools', () => {
  for (const file of [
    'client/src/generated/operations.ts',
    'types/src/table/generated/index.ts',
    'mcp/src/generated/operations.ts',
  ]) {
    expect(readFileSync(join(copy, 'packages', file), 'utf8'), file).toContain('getStatus')
  }
})

it('an operation modeled on another has its method, bodies, failures, price and security, under its own names', () => {
  const facts = (id: string) => {
    const table = readFileSync(join(copy, 'packages/types/src/table/generated/index.ts'), 'utf8')
    return table.split(`export const ${id} = `)[1]?.split('\n\n')[0]
  }
  const renamed = facts('extractTables')
    ?.replaceAll('extractTables', 'parseText')
    .replace('/augment/table-parser', '/augment/text-parser')
    .replace(/ *provisional: .*\n/, '')
  expect(renamed).toContain('priceUsd: 0.01')
  expect(renamed?.split('\n').toSorted()).toEqual(facts('parseText')?.split('\n').toSorted())
  const types = readFileSync(join(copy, 'packages/types/src/generated/index.ts'), 'utf8')
  expect(types).toContain('export type ExtractTablesRequest = {')
  expect(types).toContain('export type ExtractTablesResult = {')
})

it('the service serves an operation modeled on another like that one, with samples and examples', () => {
  expect(describeFailures(examples)).toBe('')
  const folder = join(copy, 'packages/docs/samples/api')
  expect(readdirSync(join(folder, 'extract-tables'))).toEqual(
    readdirSync(join(folder, 'parse-text')),
  )
  expect(readFileSync(join(folder, 'extract-tables/curl.sh'), 'utf8')).toContain(
    '/augment/table-parser',
  )
})

it('an output is generated into its package', () => {
  expect(readFileSync(join(copy, 'packages/mock-data/src/generated/index.ts'), 'utf8')).toContain(
    'export type ParsedText = {',
  )
})

it('the touched files pass lint, and are formatted', () => {
  const files = listTouchedFiles()
  runOrThrow(
    findBin('oxlint'),
    '--type-aware',
    ...files.filter((path) => path.endsWith('.ts') && !path.includes('/generated/')),
  )
  runOrThrow(findBin('oxfmt'), '--check', ...files)
})

it.each([...newTests, ...treeTests])('%s passes', (file) => {
  expect(describeFailures(file)).toBe('')
})

it('the README of an output has a sample that compiles and runs', () => {
  expect(describeFailures(readmes)).toBe('')
})

it.each([
  ['the recorded surface', () => describeFailures(surface), '@farebox/auth/stellar'],
  [
    'the calls of the client',
    () => readOutput(findBin('tsc'), '-p', 'packages/client/tsconfig.test.json', ...oneChecker),
    'extractTables, getStatus',
  ],
  ['the tools of agents', () => describeFailures(tools), 'getStatus'],
])('%s: a test requires a manual step, and names the addition', (_, said, named) => {
  expect(said()).toContain(named)
})

it.each([
  [['operation', 'getOther', '--path', '/status'], '/status has GET already; choose another path.'],
  [
    ['operation', 'get_status', '--path', '/other'],
    'The name is "get_status"; expected camelCase, as in getStatus.',
  ],
  [
    ['operation', 'getOther', '--path', '/other', '--like', 'parseTxt'],
    'The contract has no operation "parseTxt"; --like takes one of topUp, ',
  ],
  [
    ['operation', 'getOther', '--path', '/other', '--like', 'getModel'],
    'The path is "/other"; expected one with {id}, as /models/{id} has.',
  ],
  [['operation', 'getOther'], '--path is missing.'],
  [
    ['middleware', 'logCalls', '--package', 'retry'],
    'packages/retry/src/log-calls.ts exists already; choose another name.',
  ],
  [
    ['middleware', 'logAll', '--package', 'client'],
    'The package is "client"; expected auth or retry.',
  ],
  [['output', 'mcp'], 'The table "carriedBy" has mcp already; choose another name.'],
  [['output', 'mock_data'], 'The name is "mock_data"; expected camelCase'],
  [
    ['rail', 'solana'],
    'packages/auth/package.json has an entry ./solana already; choose another name.',
  ],
  [['rail', 'evm'], 'The table "rails" has evm already; choose another name.'],
  [['frob', 'it'], "Unknown command 'frob'"],
  [['operation', 'getOther', '--pth', '/other'], "Unknown option '--pth'"],
])('rejects %j, and writes nothing', async (args, message) => {
  const before = runOrThrow('git', 'status', '--porcelain')
  await expect(add(...args)).rejects.toThrow(message)
  expect(runOrThrow('git', 'status', '--porcelain')).toBe(before)
})
