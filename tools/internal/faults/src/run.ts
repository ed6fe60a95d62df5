// `pnpm faults`: harms two services on one PostgreSQL, and checks the ledger.
import { runProgram, world, type Program } from '@farebox/command-line'
import { formatReport, runFaults } from './run-faults.js'

const program: Program<'seconds' | 'rounds' | 'seed' | 'wallets' | 'steps'> = {
  name: 'pnpm faults',
  summary:
    'breaks a running service in random ways, and compares its ledger with what its callers saw',
  details: `Starts a PostgreSQL and two farebox-service processes on loopback. Random callers top up, buy and repeat while services are killed and
frozen, rows are locked, connections break, clocks step, the database restarts and its disk is full. Every response that a caller saw bounds what the
ledger may contain.`,
  operands: [],
  flags: [
    {
      name: 'seconds',
      kind: 'text',
      value: 'SECONDS',
      help: 'starts no round after so many seconds',
      fallback: '600',
    },
    { name: 'rounds', kind: 'text', value: 'COUNT', help: 'the most rounds', fallback: '100000' },
    {
      name: 'seed',
      kind: 'text',
      value: 'SEED',
      help: 'chooses faults, callers and what they do',
      fallback: '1',
    },
    {
      name: 'wallets',
      kind: 'text',
      value: 'COUNT',
      help: 'wallets of a round; half as many callers have API keys',
      fallback: '8',
    },
    {
      name: 'steps',
      kind: 'text',
      value: 'COUNT',
      help: 'what each caller does in a round',
      fallback: '8',
    },
  ],
  notes: [
    {
      title: 'Exit codes:',
      text: '0 the ledger agrees and every operation works, 1 something is wrong, 2 wrong usage.',
    },
  ],
  examples: ['npx --yes pnpm@12.21.0 faults --seconds 600 --seed 7'],
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, async (args) => {
  const seconds = args.integer('seconds', 1, 86_400) ?? 600
  const rounds = args.integer('rounds', 1, 1_000_000) ?? 100_000
  const seed = args.integer('seed', 0, 2 ** 32 - 1) ?? 1
  const start = performance.now()
  const elapsed = () => Math.round((performance.now() - start) / 1000)
  const report = await runFaults({
    seed,
    goesOn: (played) => played < rounds && elapsed() < seconds,
    wallets: args.integer('wallets', 1, 100) ?? 8,
    steps: args.integer('steps', 1, 1_000) ?? 8,
    onRound: ({ number, faults, requests }) =>
      console.log(`${elapsed()} s: round ${number}, ${requests} requests; ${faults.join(', ')}`),
  })
  console.log(`\nSeed ${seed}, ${elapsed()} s\n${formatReport(report)}`)
  return report.wrong.length === 0 ? 0 : 1
})
