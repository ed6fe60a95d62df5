import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReplicated, type ReplicatedPostgres } from '@farebox/testing/replicated-postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  callCharged,
  findWrongCharges,
  prepareLoad,
  startLoad,
  type SeenCall,
} from '../../test/charged-load.js'
import { createCommand, waitForAddress, startFailure } from '../../test/command.js'
import { startPatroni, type PatroniCluster } from '../../test/patroni.js'
import { startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'
import { openPostgres } from '../platform/database/postgres.js'

let folder: string
let upstream: ScriptedUpstream
let environment: NodeJS.ProcessEnv
let load: ReturnType<typeof startLoad> | undefined
type SeenCalls = readonly SeenCall[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-failover-'))
  upstream = await startScripted()
  environment = prepareLoad(folder, upstream)
})
const command = createCommand(
  () => folder,
  () => environment,
)
afterEach(async () => {
  await load?.stop()
  await command.killAll()
  upstream.close()
  rmSync(folder, { recursive: true })
})

const startServices = () =>
  Promise.all([0, 1].map(() => waitForAddress(command.start('--port', '0'))))

async function readReadiness(origin: string): Promise<number> {
  const response = await fetch(`${origin}/readyz`)
  await response.body?.cancel()
  return response.status
}

const countSucceeded = (seen: SeenCalls) => seen.filter(({ status }) => status === 200).length

/** The calls that failed, all for want of the database. */
function expectUnavailable(seen: SeenCalls): SeenCalls {
  const failed = seen.filter(({ status }) => status !== 200)
  expect(new Set(failed.map(({ status, code }) => `${status} ${code}`))).toEqual(
    new Set(['503 DATABASE_UNAVAILABLE']),
  )
  return failed
}

/** What the ledger at this URL says of calls, once the services have undone what failed. */
async function expectRight(url: string, seen: SeenCalls): Promise<void> {
  const database = await openPostgres(url)
  try {
    await expect.poll(() => findWrongCharges(database, seen), { interval: 500 }).toEqual([])
  } finally {
    await database.close()
  }
}

/** A commit waits for the standby that has left, so that no caller ever gets a response to it. */
async function expectNoCommit(url: string): Promise<void> {
  const [writer, reader] = await Promise.all([openPostgres(url), openPostgres(url)])
  const write = writer
    .query(`insert into setting (name, value) values ('lost', '')`)
    .then(() => 'committed')
  write.catch(() => undefined)
  const waiting = `select count(*) as count from pg_stat_activity where wait_event = 'SyncRep'`
  const waits = expect
    .poll(async () => (await reader.query(waiting))[0])
    .toEqual({ count: 1n })
    .then(() => 'waits')
  expect(await Promise.race([write, waits])).toBe('waits')
  await reader.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
  )
  await expect(write).rejects.toMatchObject({ name: 'DatabaseUnavailableError' })
  await Promise.all([writer.close(), reader.close()])
}

/** The standby shows what the primary has written until now. */
async function expectReplayed(servers: ReplicatedPostgres): Promise<void> {
  const [primary, standby] = await Promise.all(
    [servers.primary, servers.standby].map(({ url }) => openPostgres(url)),
  )
  const count = async (one: typeof primary) => one?.query('select count(*) as entries from entry')
  const entries = await count(primary)
  await expect.poll(() => count(standby)).toEqual(entries)
  await Promise.all([primary?.close(), standby?.close()])
}

const areReady = (origins: readonly string[]) => Promise.all(origins.map(readReadiness))

describe('a primary with a synchronous standby', () => {
  let servers: ReplicatedPostgres
  beforeEach(async () => {
    servers = await startReplicated()
    environment = { ...environment, FAREBOX_DATABASE_URL: servers.url }
  })
  afterEach(() => servers.stop())

  it('serves reports and audits from the standby, which cannot run a service', async () => {
    const [origin = ''] = await startServices()
    for (const isStream of [false, true])
      expect(await callCharged(origin, isStream)).toMatchObject({ status: 200, isWhole: true })
    await expectReplayed(servers)
    environment = { ...environment, FAREBOX_DATABASE_URL: servers.standby.url }
    const settlements = join(folder, 'settlements.csv')
    writeFileSync(settlements, 'transaction,payer,amount\n')
    const anchor = join(folder, 'ledger.anchor')
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await command.runHere(...args)
      return code === 0 ? stdout : stderr
    }
    expect(await run('audit', '--audit-anchor', anchor)).toContain('the ledger is consistent')
    expect(await run('usage', '--by', 'model', '-o', '-')).toContain('\ntext-parser,1,0,0.010000,')
    expect(await run('reconcile', '--settlements', settlements)).toBe(
      '0 payments: no difference.\n',
    )
    expect(await run('find', 'admin')).toMatch(/^key:admin can spend 999\.9/)
    expect(await run('keys', 'list')).toContain('DESCRIPTION')
    expect(await run('backup', join(folder, 'standby.farebox'))).toContain(
      '1 account with 3 entries',
    )
    expect(await run('credit', '--account', 'tram', '--usd', '1')).toContain(
      'read-only transaction',
    )
    expect(await startFailure(command.start('--port', '0'))).toContain(
      'The database is read-only, as a standby is. Give the URL of the primary',
    )
  })

  it('loses its standby: calls return 503 until it is back, and none is lost or charged twice', async () => {
    // the limit of a statement is that of an operator
    environment = { ...environment, FAREBOX_TIMEOUT_SCALE: '1' }
    const origins = await startServices()
    const { seen, stop } = (load = startLoad(origins))
    const succeeded = () => countSucceeded(seen)
    await expect.poll(succeeded).toBeGreaterThan(20)
    await servers.standby.crash(async () => {
      const failed = () => seen.filter(({ status }) => status === 503).length
      await expect.poll(failed).toBeGreaterThan(6)
    })
    const before = succeeded()
    await expect.poll(succeeded).toBeGreaterThan(before + 20)
    await stop()
    await expectRight(servers.primary.url, seen)
  })

  it('is killed under load: the standby takes over, and each call is charged once or not at all', async () => {
    const origins = await startServices()
    const { seen, stop } = (load = startLoad(origins))
    const succeeded = () => countSucceeded(seen)
    await expect.poll(succeeded).toBeGreaterThan(100)

    const killedAt = performance.now()
    let promotedAt = 0
    await servers.primary.crash(async () => {
      await expect.poll(() => areReady(origins)).toEqual([503, 503])
      const rejected = { status: 503, code: 'DATABASE_UNAVAILABLE', retryAfter: '2' }
      for (const origin of origins) expect(await callCharged(origin, false)).toMatchObject(rejected)
      promotedAt = performance.now()
      await servers.promote()
      await expect.poll(() => areReady(origins)).toEqual([200, 200])
      const before = succeeded()
      await expect.poll(succeeded).toBeGreaterThan(before + 100)
    })
    await stop()

    const failed = expectUnavailable(seen)
    await expectRight(servers.standby.url, seen)
    // the killed primary has come back by itself, and would be found first
    environment = { ...environment, FAREBOX_DATABASE_URL: servers.standby.url }
    expect(await command.run('audit')).toMatchObject({ code: 0 })
    await expectNoCommit(servers.primary.url)

    const firstAfter = seen.find(
      ({ status, startedAt }) => status === 200 && startedAt > promotedAt,
    )
    const cut = seen.filter(({ status, isWhole }) => status === 200 && !isWhole)
    process.stdout.write(
      `${succeeded() - cut.length} calls succeeded, ${failed.length} got 503, and ${cut.length} streams broke off. ` +
        `The promotion began ${(promotedAt - killedAt).toFixed(0)} ms after the kill, and the first call was served ${((firstAfter?.endedAt ?? 0) - promotedAt).toFixed(0)} ms later.\n`,
    )
  })
})

describe('servers that Patroni manages', () => {
  let cluster: PatroniCluster
  beforeEach(async () => {
    cluster = await startPatroni()
    environment = { ...environment, FAREBOX_DATABASE_URL: cluster.url }
  })
  afterEach(() => cluster.stop())

  it('lose the primary under load: the standby takes over, and the old primary returns as its standby', async () => {
    const origins = await startServices()
    const { seen, stop } = (load = startLoad(origins))
    await expect.poll(() => countSucceeded(seen)).toBeGreaterThan(100)
    const startAgain = await cluster.losePrimary()
    await expect.poll(() => areReady(origins)).toEqual([503, 503])
    await expect.poll(() => areReady(origins)).toEqual([200, 200])
    startAgain()
    await cluster.complete()
    const before = countSucceeded(seen)
    await expect.poll(() => countSucceeded(seen)).toBeGreaterThan(before + 100)
    await stop()
    expectUnavailable(seen)
    await expectRight(cluster.url, seen)
    expect(await command.run('audit')).toMatchObject({ code: 0 })
  })
})
