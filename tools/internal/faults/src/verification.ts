// `pnpm test:deep verification`: the conformance suite and the model of the ledger, against each setup.
import { runProgram, world, type Program } from '@farebox/command-line'
import { startOwnPostgres } from '@farebox/testing/postgres'
import { checks, verify, type Result } from '@farebox/conformance'
import { startFailingUpstream, type FailingUpstream } from './failing-upstream.js'
import { readPrices } from './probe.js'
import { createRandom } from './random.js'
import { work } from './rounds.js'
import {
  adminKey,
  createServiceProcess,
  publicOrigin,
  type ServiceProcess,
} from './service-process.js'
import { settle } from './settle.js'
import { createTraffic, type Traffic } from './traffic.js'

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

type Setup = {
  readonly name: string
  readonly processes: 1 | 2
  readonly failingUpstreams: boolean
}

const setups: readonly Setup[] = [
  { name: 'one process', processes: 1, failingUpstreams: false },
  { name: 'two processes', processes: 2, failingUpstreams: false },
  { name: 'two processes, upstreams that fail', processes: 2, failingUpstreams: true },
]

/** What an upstream that fails cannot give. */
const needsUpstream = /^(?:speech|video)\.|^(?:models\.voices|payment\.inline)$/

process.exitCode = await runProgram(program, process.argv.slice(2), world, async (args) => {
  const options = {
    seed: args.integer('seed', 0, 2 ** 32 - 1) ?? 1,
    rounds: args.integer('rounds', 1, 10_000) ?? 3,
    wallets: args.integer('wallets', 1, 100) ?? 8,
    steps: args.integer('steps', 1, 1_000) ?? 8,
  }
  let isWrong = false
  for (const setup of setups) {
    const { checks, requests, outcomes, upstream, wrong } = await runVerification(setup, options)
    const count = (status: string) => checks.filter((one) => one.status === status).length
    console.log(
      `${setup.name}: ${count('passed')} checks passed, ${count('failed')} failed, ${count('skipped')} skipped; ${requests} requests`,
    )
    for (const [operation, counts] of outcomes)
      console.log(`  ${operation.padEnd(18)} ${formatCounts(counts)}`)
    if (upstream) console.log(`  upstream: ${formatCounts(upstream)}`)
    console.log(
      wrong.length === 0
        ? '  The ledger agrees with every caller.'
        : `  WRONG:\n${wrong.map((what) => `    ${what}`).join('\n')}`,
    )
    isWrong ||= wrong.length > 0
  }
  return isWrong ? 1 : 0
})

function formatCounts(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, count]) => `${what} ×${count}`).join(', ')
}

type VerificationOptions = {
  readonly seed: number
  readonly rounds: number
  readonly wallets: number
  readonly steps: number
}

type VerificationResult = {
  readonly setup: Setup
  readonly checks: readonly Result[]
  readonly requests: number
  readonly outcomes: Traffic['outcomes']
  readonly upstream: FailingUpstream['done'] | undefined
  /** Where the ledger and the callers differ, and checks that failed. Empty if all is well. */
  readonly wrong: readonly string[]
}

type Services = readonly [ServiceProcess, ...ServiceProcess[]]

/**
 * Runs the conformance suite against the processes of a setup, which respond in turns as behind a
 * load balancer, and then random callers, whose responses bound what the ledger may contain.
 */
async function runVerification(
  setup: Setup,
  { seed, rounds, wallets, steps }: VerificationOptions,
): Promise<VerificationResult> {
  const postgres = await startOwnPostgres()
  const upstream = setup.failingUpstreams ? await startFailingUpstream() : undefined
  const flags = upstream
    ? ['--speech-upstream', upstream.url, '--video-upstream', upstream.url]
    : []
  const first = await createServiceProcess(postgres.url, flags)
  const services: Services =
    setup.processes === 1 ? [first] : [first, await createServiceProcess(postgres.url, flags)]
  try {
    for (const service of services) await service.start()
    const chosen = checks.filter(({ id }) => upstream === undefined || !needsUpstream.test(id))
    const results: Result[] = []
    const options = {
      baseUrl: `${publicOrigin}/api/v1`,
      apiKey: adminKey,
      topUpUsd: 5,
      payInline: upstream === undefined,
    }
    for await (const one of verify({
      ...options,
      fetch: createRotatingFetch(services),
      checks: chosen,
    }))
      results.push(one)

    const random = createRandom(seed)
    const traffic = createTraffic(services, await readPrices(services[0]))
    for (let round = 0; round < rounds; round++) await work({ traffic, random, wallets, steps })
    const wrong = await settle({ postgres, services }, traffic.knowledge, upstream === undefined)
    for (const { id, status, expected, found } of results) {
      if (status === 'failed') wrong.push(`${id}: expected ${expected}, found ${found}`)
    }
    return {
      setup,
      checks: results,
      requests: traffic.count(),
      outcomes: traffic.outcomes,
      upstream: upstream?.done,
      wrong,
    }
  } finally {
    for (const service of services) await service.kill()
    upstream?.close()
    await postgres.stop()
  }
}

/** Each request goes to the next process. */
function createRotatingFetch(services: Services): typeof globalThis.fetch {
  let turn = 0
  return (url, init) => {
    const { origin } = services[turn++ % services.length] ?? services[0]
    return fetch(new Request(url).url.replace(publicOrigin, origin), init)
  }
}
