import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes, type Arguments } from '@farebox/command-line'
import { samples } from '@farebox/faults/orders'
import { createRandom, type Random } from '@farebox/faults/random'
import { send } from '@farebox/faults/send'
import { createServiceProcess, type ServiceProcess } from '@farebox/faults/service-process'
import { startPostgres } from '@farebox/testing/postgres'
import type { Database } from '@farebox/service'
import { type Call, model } from './budgets/call.js'
import { pricePerMillion } from './budgets/owed.js'
import { openKey, openWallet, type OpenPayer } from './budgets/payers.js'
import { killOne, playRound, type Kill } from './budgets/round.js'
import { writeSettings } from './budgets/settings.js'
import { createCases, sumUp, type Case, type Cases, type Summary } from './budgets/sum-up.js'
import { startMockUpstream, type MockUpstream } from './budgets/upstream.js'
import { showTable } from './measure.js'
import { parseCounts } from './scale.js'
import { openPostgres } from './service/internals.js'

/** Micro-USD for each stream: 200 streams share 1 USD, of which each holds nearly all of its own. */
const budgetPerStream = 5_000n
/** Enough to spend all of the budget. */
const turns = { withKill: 2, afterwards: 6 }
const maxHoldSeconds = 120
/** Of what is wrong with one payer. */
const maxLines = 20

type Options = {
  readonly streams: number
  readonly database: Database
  readonly databaseUrl: string
  readonly upstream: MockUpstream
  readonly flags: readonly string[]
  readonly random: Random
  readonly cases: Cases
}

/**
 * Spends the limit of a key and the balance of a wallet by many streams at a time, while clients
 * leave, the upstream fails and a process is killed, and compares each charge with what was
 * generated. The exit code is 0 if no micro-dollar is overspent or not charged.
 */
export async function benchmarkBudgets(args: Arguments): Promise<number> {
  const counts = parseCounts(args, '1,2,4')
  const streams = args.integer('streams', 10, 1_000) ?? 200
  const seed = args.integer('seed', 0, 2 ** 32 - 1) ?? 1
  const folder = mkdtempSync(join(tmpdir(), 'farebox-budgets-'))
  const postgres = await startPostgres()
  const database = await openPostgres(postgres.url, { connections: 4 })
  const upstream = await startMockUpstream()
  const table: Record<string, object> = {}
  let isWrong = false
  try {
    const cases = createCases()
    const options = {
      streams,
      database,
      databaseUrl: postgres.url,
      upstream,
      flags: writeSettings(folder, upstream, {
        [model]: {
          input: Number(pricePerMillion.input) / 1e6,
          output: Number(pricePerMillion.output) / 1e6,
        },
      }),
      random: createRandom(seed),
      cases,
    }
    for (const count of counts) {
      const rounds = await spend(count, options)
      for (const [name, row] of Object.entries(rounds)) {
        table[`${name}, ${count} ${count === 1 ? 'process' : 'processes'}`] = row
        isWrong ||= isFaulty(row)
      }
    }
    console.log(
      `Seed ${seed}. ${streams} streams at a time spend ${Number(budgetPerStream) * streams} micro-USD. Amounts are in micro-USD, times in seconds.`,
    )
    showTable(table, args.has('save') && 'budgets')
    cases['routes that are never counted'] = await checkRoutes(postgres.url, database)
    console.log('What users report of other gateways, here:')
    console.table(cases)
    isWrong ||= Object.values(cases).some(({ wrong }) => wrong > 0)
    return isWrong ? exitCodes.failed : exitCodes.ok
  } finally {
    upstream.stop()
    await database.close()
    await postgres.stop()
    rmSync(folder, { recursive: true })
  }
}

type Row = Summary & {
  /** From the kill to the release of the last hold. */
  readonly 'holds released after': number
}

function isFaulty(row: Row): boolean {
  return (
    row.overspend > 0 ||
    row.undercharge > 0 ||
    row['own faults'] > 0 ||
    row['holds released after'] > maxHoldSeconds
  )
}

/** Spends the budgets of a key and of a wallet over so many processes. */
async function spend(count: number, options: Options): Promise<Readonly<Record<string, Row>>> {
  const { database, databaseUrl, flags, streams, random, upstream, cases } = options
  const [first, ...others] = await Promise.all(
    Array.from({ length: count }, () => createServiceProcess(databaseUrl, flags)),
  )
  if (!first) throw new RangeError('There is no process to spend at.')
  const services: readonly [ServiceProcess, ...ServiceProcess[]] = [first, ...others]
  try {
    await Promise.all(services.map((service) => service.start()))
    const budget = budgetPerStream * BigInt(streams)
    const payers: readonly OpenPayer[] = [
      await openKey(first.origin, budget),
      await openWallet(database, budget),
    ]
    const play = ({ caller }: OpenPayer, most: number) =>
      playRound({ services, caller, upstream, streams, random: random.fork(), turns: most })
    const begun: (readonly [OpenPayer, readonly Call[], Kill])[] = []
    for (const payer of payers) {
      const calls = play(payer, turns.withKill)
      const kill = await killOne(services, random.fork(), database)
      begun.push([payer, await calls, kill])
    }
    const seconds: number[] = []
    for (const [, , kill] of begun) seconds.push(await waitForHolds(database, kill.at))
    const rows: Record<string, Row> = {}
    for (const [index, [payer, calls, kill]] of begun.entries()) {
      // what the killed process has held can be spent now
      const all = [...calls, ...(await play(payer, turns.afterwards))]
      const lastSeconds = await waitForHolds(database, performance.now())
      const given = await upstream.given()
      const { summary, wrong } = await sumUp(database, payer, all, { given, kill, cases })
      for (const what of wrong.slice(0, maxLines)) console.log(`${payer.name}: ${what}`)
      rows[payer.name] = {
        ...summary,
        'holds released after': Math.max(seconds[index] ?? 0, lastSeconds),
      }
    }
    return rows
  } finally {
    for (const service of services) await service.kill()
  }
}

/** Seconds from a moment until nothing is held. */
async function waitForHolds(database: Database, since: number): Promise<number> {
  for (;;) {
    const [row] = await database.query<{ count: bigint }>(
      `select count(*) as count from hold where state = 'held'`,
    )
    const seconds = Math.round((performance.now() - since) / 1000)
    if (row?.count === 0n || seconds > 2 * maxHoldSeconds) return seconds
    await sleep(250)
  }
}

const patienceMs = 60_000

/** Uses every priced operation of the contract by a key with a limit, which must count each. */
async function checkRoutes(databaseUrl: string, database: Database): Promise<Case> {
  const service = await createServiceProcess(databaseUrl)
  try {
    await service.start()
    const { caller, entries } = await openKey(service.origin, 1_000_000n)
    for (const { message } of samples) {
      const { headers, ...rest } = message()
      await send(service.origin, { ...rest, headers: { ...headers, ...(await caller.headers()) } })
    }
    // a video is paid for once it is made
    for (const until = performance.now() + patienceMs; ; await sleep(250)) {
      const [row] = await database.query<{ count: bigint }>(
        `select count(*) as count from entry where key_id = $1 and type = 'CHARGE' and amount < 0`,
        [entries.value],
      )
      const counted = Number(row?.count ?? 0n)
      if (counted >= samples.length || performance.now() > until)
        return { checked: samples.length, wrong: samples.length - counted }
    }
  } finally {
    await service.kill()
  }
}
