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

export type Setup = {
  readonly name: string
  readonly processes: 1 | 2
  readonly failingUpstreams: boolean
}

export const setups: readonly Setup[] = [
  { name: 'one process', processes: 1, failingUpstreams: false },
  { name: 'two processes', processes: 2, failingUpstreams: false },
  { name: 'two processes, upstreams that fail', processes: 2, failingUpstreams: true },
]

export type VerificationOptions = {
  readonly seed: number
  readonly rounds: number
  readonly wallets: number
  readonly steps: number
}

export type Verified = {
  readonly setup: Setup
  readonly checks: readonly Result[]
  readonly requests: number
  readonly outcomes: Traffic['outcomes']
  readonly upstream: FailingUpstream['done'] | undefined
  /** Where the ledger and the callers differ, and checks that failed. Empty if all is well. */
  readonly wrong: readonly string[]
}

type Services = readonly [ServiceProcess, ...ServiceProcess[]]

/** What an upstream that fails cannot give. */
const needsUpstream = /^(?:speech|video)\.|^(?:models\.voices|payment\.inline)$/

/**
 * Runs the conformance suite against the processes of a setup, which answer in turns as behind a
 * load balancer, and then random callers, whose responses bound what the ledger may contain.
 */
export async function runVerification(
  setup: Setup,
  { seed, rounds, wallets, steps }: VerificationOptions,
): Promise<Verified> {
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
    for await (const one of verify({ ...options, fetch: inTurns(services), checks: chosen }))
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
function inTurns(services: Services): typeof globalThis.fetch {
  let turn = 0
  return (url, init) => {
    const { origin } = services[turn++ % services.length] ?? services[0]
    return fetch(new Request(url).url.replace(publicOrigin, origin), init)
  }
}
