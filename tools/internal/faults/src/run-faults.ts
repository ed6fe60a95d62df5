import { setTimeout as sleep } from 'node:timers/promises'
import { startOwnPostgres } from '@farebox/testing/postgres'
import pg from 'pg'
import { openDatabaseLink } from './database-link.js'
import { faultNames, type FaultName, type World } from './faults.js'
import { findContradictions } from './contradictions.js'
import { readPrices } from './probe.js'
import { createRandom } from './random.js'
import { readLedger, settle } from './settle.js'
import { playRound } from './rounds.js'
import { createServiceProcess } from './service-process.js'
import { createSmallDisk } from './small-disk.js'
import { createTraffic, type Traffic } from './traffic.js'

type RunOptions = {
  readonly seed: number
  /** Whether there is another round after `played` of them. */
  readonly goesOn: (played: number) => boolean
  readonly wallets: number
  readonly steps: number
  readonly onRound?: (round: {
    readonly number: number
    readonly faults: readonly FaultName[]
    readonly requests: number
  }) => void
}

type Report = {
  readonly rounds: number
  readonly outcomes: Traffic['outcomes']
  readonly struck: ReadonlyMap<FaultName, number>
  readonly charges: number
  /** Why a fault was left out. */
  readonly leftOut: readonly string[]
  /** Where the ledger and callers differ, what fails now, and crashes. Empty if all is well. */
  readonly wrong: readonly string[]
}

/**
 * Runs two services on one PostgreSQL, lets random callers use them while faults strike, first each
 * of them and then any by chance, and compares the ledger with what callers saw: after each round,
 * and strictly at the end.
 */
export async function runFaults({
  seed,
  goesOn,
  wallets,
  steps,
  onRound,
}: RunOptions): Promise<Report> {
  const world = await startWorld()
  try {
    const random = createRandom(seed)
    const traffic = createTraffic(world.services, await readPrices(world.services[0]))
    const leftOut = world.disk ? [] : ['fill its disk: this user may not mount a small disk']
    const usable = faultNames.filter(
      (name) => world.disk !== undefined || name !== 'fill its disk',
    ) as [FaultName, ...FaultName[]]
    const struck = new Map<FaultName, number>()
    const wrong: string[] = []
    let number = 0
    for (; goesOn(number) && wrong.length === 0; number++) {
      // each fault strikes in one of the first rounds
      const faults = [
        usable[number] ?? random.pick(usable),
        ...(random.happens(0.3) ? [random.pick(usable)] : []),
      ]
      await playRound({ world, traffic, random, faults, wallets, steps })
      for (const name of faults) struck.set(name, (struck.get(name) ?? 0) + 1)
      wrong.push(...(await compare(world.postgres.url, traffic)))
      onRound?.({ number: number + 1, faults, requests: traffic.count() })
    }
    wrong.push(...(await settle(world, traffic.knowledge)))
    const charges = await countCharges(world.postgres.url)
    const crashes = sumCounts(world.services.map((service) => service.crashes))
    for (const [what, count] of crashes) wrong.push(`${count} crashes: ${what}`)
    return { rounds: number, outcomes: traffic.outcomes, struck, charges, leftOut, wrong }
  } finally {
    await world.end()
  }
}

/** The differences that last longer than the upkeep of a service takes for refunds. */
async function compare(databaseUrl: string, { knowledge }: Traffic): Promise<readonly string[]> {
  return withClient(databaseUrl, async (client) => {
    for (let left = upkeeps * checksInUpkeep; ; left--) {
      const contradictions = findContradictions(knowledge, await readLedger(client))
      if (contradictions.length === 0 || left === 0) return contradictions
      await sleep(upkeepMs / checksInUpkeep)
    }
  })
}

const upkeepMs = 20_000
/** The first may come before the database has given up, so the second gives back. */
const upkeeps = 3
const checksInUpkeep = 10

async function countCharges(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from entry where type = 'CHARGE'`,
    )
    return rows[0]?.count ?? 0
  })
}

async function withClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function sumCounts(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const one of counts)
    for (const [name, count] of one) sums.set(name, (sums.get(name) ?? 0) + count)
  return sums
}

/** The tables of a run, as text. */
export function formatReport({
  rounds,
  outcomes,
  struck,
  charges,
  leftOut,
  wrong,
}: Report): string {
  const requests = [...outcomes].map(([operation, counts]) => {
    const parts = [...counts]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([outcome, count]) => `${outcome} ×${count}`)
    return `  ${operation.padEnd(18)} ${parts.join(', ')}`
  })
  const total = [...outcomes.values()].reduce((total, counts) => total + sum(counts.values()), 0)
  return [
    `${rounds} rounds, ${total} requests, ${charges} charges`,
    'Requests, by what their callers saw:',
    ...requests,
    'Faults:',
    ...[...struck].map(([name, count]) => `  ${name.padEnd(22)} ×${count}`),
    ...leftOut.map((what) => `  left out: ${what}`),
    wrong.length === 0
      ? 'The ledger agrees with every caller, and every operation works.'
      : 'WRONG:',
    ...wrong.slice(0, 50).map((what) => `  ${what}`),
  ].join('\n')
}

function sum(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

/** Room for the database of a run, and for its write-ahead log. */
const diskMebibytes = 512
const walBound = ['max_wal_size=64MB', 'min_wal_size=32MB']

/** Starts PostgreSQL, on a small disk where one can be mounted, and two services on it. */
async function startWorld(): Promise<World & { readonly end: () => Promise<void> }> {
  const disk = createSmallDisk(diskMebibytes)
  const postgres = await startOwnPostgres({
    settings: walBound,
    ...(disk && { folder: disk.folder }),
  })
  const links = [
    await openDatabaseLink(postgres.url),
    await openDatabaseLink(postgres.url),
  ] as const
  const services = [
    await createServiceProcess(links[0].url),
    await createServiceProcess(links[1].url),
  ] as const
  const end = async () => {
    for (const service of services) {
      service.thaw()
      await service.kill()
    }
    for (const link of links) await link.close()
    await postgres.stop()
    disk?.remove()
  }
  try {
    await Promise.all(services.map((service) => service.start()))
  } catch (error) {
    await end()
    throw error
  }
  return { postgres, services, links, disk, end }
}
