// `pnpm test:deep verification`: the conformance suite and the model of the ledger, against each setup.
import { runProgram, world, type Program } from '@farebox/command-line'
import { runVerification, setups } from './run-verification.js'

const program: Program<'seed' | 'rounds' | 'wallets' | 'steps'> = {
  name: 'verification',
  summary:
    'runs the conformance suite and the model of the ledger against one process, two, and two with upstreams that fail',
  operands: [],
  flags: [
    {
      name: 'seed',
      kind: 'text',
      value: 'SEED',
      help: 'chooses callers and what they do',
      fallback: '1',
    },
    {
      name: 'rounds',
      kind: 'text',
      value: 'COUNT',
      help: 'rounds of random callers in each setup',
      fallback: '3',
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
      text: '0 every check passed and the ledger agrees, 1 something is wrong, 2 wrong usage.',
    },
  ],
  examples: ['node tools/internal/faults/dist/verification.js --rounds 10'],
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, async (given) => {
  const options = {
    seed: given.integer('seed', 0, 2 ** 32 - 1) ?? 1,
    rounds: given.integer('rounds', 1, 10_000) ?? 3,
    wallets: given.integer('wallets', 1, 100) ?? 8,
    steps: given.integer('steps', 1, 1_000) ?? 8,
  }
  let isWrong = false
  for (const setup of setups) {
    const { checks, requests, outcomes, upstream, wrong } = await runVerification(setup, options)
    const count = (status: string) => checks.filter((one) => one.status === status).length
    console.log(
      `${setup.name}: ${count('passed')} checks passed, ${count('failed')} failed, ${count('skipped')} skipped; ${requests} requests`,
    )
    for (const [operation, counts] of outcomes)
      console.log(`  ${operation.padEnd(18)} ${said(counts)}`)
    if (upstream) console.log(`  upstream: ${said(upstream)}`)
    console.log(
      wrong.length === 0
        ? '  The ledger agrees with every caller.'
        : `  WRONG:\n${wrong.map((what) => `    ${what}`).join('\n')}`,
    )
    isWrong ||= wrong.length > 0
  }
  return isWrong ? 1 : 0
})

function said(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, count]) => `${what} ×${count}`).join(', ')
}
