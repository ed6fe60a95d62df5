import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { charge } from '../../../test/charge.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { openPostgres } from '../../platform/database/postgres.js'
import { createCaptureMany, type Capture } from './capture-many.js'
import { createHoldMany } from './holds.js'
import type { Purchase } from './ledger-types.js'
import { createLedger, type Ledger } from './ledger.js'
import { createLockedAccounts } from './statements.js'

let serial = 0
const createId = () => String(++serial).padStart(8, '0')
const options = { now: () => Date.parse('2026-01-02T03:04:05.000Z'), id: createId }
const minute = 60_000

const toIdempotency = (key: string) => ({ operation: 'parseText', key, fingerprint: `f-${key}` })

function createPurchase(account: string, amount: bigint): Purchase {
  return { account, amount, requestId: `req_${createId()}`, modelId: 'm' }
}

function createKeyedPurchase(account: string, amount: bigint, key: string) {
  return { ...createPurchase(account, amount), idempotency: toIdempotency(key) }
}

/** A hold of 2 on each of the accounts. */
async function placeHolds(accounts: readonly string[]): Promise<readonly string[]> {
  const held = await Promise.all(
    accounts.map((account) => ledger.hold(createPurchase(account, 2n), minute)),
  )
  return held.map((one) => (one.status === 'held' ? one.id : ''))
}

let server: TestPostgres
let database: Database
let ledger: Ledger
beforeAll(async () => {
  server = await startPostgres()
  database = await openPostgres(server.url)
  await migrate(database)
  ledger = createLedger(database, options)
})
afterAll(async () => {
  await database.close()
  await server.stop()
})

async function createAccounts(name: string, count: number): Promise<readonly string[]> {
  const accounts = Array.from({ length: count }, (_, index) => `${name}-${index}`)
  const terms = { network: 'n', asset: 'a', settledBy: 'test', transaction: '', amount: 500n }
  for (const payer of accounts)
    await ledger.creditPayment({ ...terms, id: createId(), nonce: createId(), payer })
  return accounts
}

type Work = (database: Database) => Promise<unknown>

const done = ['done', 'done']

describe('two statements never wait for each other', () => {
  /** One that is in the way, and two that meet there. */
  let clients: readonly pg.Client[]

  beforeAll(async () => {
    clients = Array.from({ length: 3 }, () => new pg.Client({ connectionString: server.url }))
    for (const client of clients) await client.connect()
  })
  afterAll(async () => {
    for (const client of clients) await client.end()
  })

  /**
   * Begins one and then the other while `obstacle` is not committed, each until it waits for that
   * or for the other, and takes the obstacle away. Neither is tried again when the database ends
   * it.
   */
  async function meet(obstacle: string, ...works: readonly Work[]): Promise<readonly string[]> {
    return meetBehind(obstacle, 'rollback', works)
  }

  async function meetBehind(
    obstacle: string,
    end: 'commit' | 'rollback',
    works: readonly Work[],
  ): Promise<readonly string[]> {
    const [holder, ...others] = clients
    await holder?.query('begin')
    await holder?.query(obstacle)
    const results: Promise<string>[] = []
    for (const [place, work] of works.entries()) {
      const query: Database['query'] = async (sql, params) =>
        (await others[place]?.query(sql, [...(params ?? [])]))?.rows as never
      results.push(work({ ...database, query }).then(() => 'done', String))
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock'`
      while ((await database.query(waiting)).length < results.length) continue
    }
    await holder?.query(end)
    return Promise.all(results)
  }

  const together = (captures: readonly Capture[]) => (each: Database) =>
    createCaptureMany(each, options, createLockedAccounts(each))(captures)
  const toCapture = (holdId: string, key?: string): Capture => {
    return {
      holdId,
      amount: 1n,
      modelId: null,
      ...(key !== undefined && { idempotency: toIdempotency(key) }),
    }
  }

  it('on keys, which are claimed in one order, whatever the order of the captures', async () => {
    const accounts = await createAccounts('claims', 20)
    const [ones, others] = [await placeHolds(accounts), await placeHolds(accounts.toReversed())]
    const middle = `insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
      select id, 'parseText', 'k', '', '', now() from account where name = 'claims-10'`
    expect(
      await meet(
        middle,
        together(ones.map((one) => toCapture(one, 'k'))),
        together(others.map((one) => toCapture(one, 'k'))),
      ),
    ).toEqual(done)
    // 1 is charged, and the hold whose key was claimed by the other is still open
    expect(await ledger.balance('claims-0')).toBe(497n)
  })

  it('on accounts, which are locked after the keys, as in a single capture', async () => {
    const accounts = await createAccounts('both', 2)
    const [first = '', last = ''] = await placeHolds(accounts)
    const [other = ''] = await placeHolds(accounts)
    const alone: Work = (each) =>
      createLedger(each, options).capture(other, 1n, null, toIdempotency('k'))
    const common = together([toCapture(first, 'k'), toCapture(last)])
    expect(
      await meet(`select 1 from account where name = 'both-1' for update`, common, alone),
    ).toEqual(done)
    expect(await ledger.balance('both-0')).toBe(499n)
  })

  it('on an account that is credited meanwhile, and holds spend the new credit', async () => {
    const [account = ''] = await createAccounts('credited', 1)
    const change = (amount: number) =>
      `update account set balance = balance + ${amount} where name = '${account}'`
    const alone: Work = (each) =>
      createLedger(each, options).hold(createPurchase(account, 1_200n), minute)
    const common: Work = (each) =>
      createHoldMany(
        each,
        options,
      )([{ ...createPurchase(account, 900n), id: `hold_${createId()}`, lifetimeMs: minute }])
    expect(await meetBehind(change(2_000), 'commit', [alone, common])).toEqual(done)
    expect(await ledger.balance(account)).toBe(400n)
    const held = await database.query<{ id: string }>(
      'select h.id from hold h join account a on a.id = account_id where a.name = $1',
      [account],
    )
    for (const { id: hold } of held) await ledger.release(hold)
    await database.query(change(-2_000))
  })

  type Scene = {
    readonly accounts: readonly string[]
    /** On each of the accounts. */
    readonly holds: readonly string[]
    readonly keyHold: string
    readonly entryId: string
    readonly keyId: string
    readonly key: string
  }
  const pickMiddle = (all: readonly string[]) => all[1] ?? ''
  const captures = ({ holds, key }: Scene, amount: bigint) =>
    holds.map((holdId) => ({
      holdId,
      amount,
      modelId: null,
      ...(amount > 0n && { idempotency: toIdempotency(key) }),
    }))

  /** All that the ledger does, to the same accounts, holds, keys and entries. */
  const kinds: Readonly<Record<string, (scene: Scene) => Work>> = {
    hold: (scene) => (each) =>
      createLedger(each, options).hold(createPurchase(pickMiddle(scene.accounts), 1n), minute),
    'hold for an API key':
      ({ accounts, keyId }) =>
      (each) =>
        createLedger(each, options).hold(
          { ...createPurchase(pickMiddle(accounts), 1n), keyId },
          minute,
        ),
    holds:
      ({ accounts }) =>
      (each) =>
        createHoldMany(
          each,
          options,
        )(
          accounts.map((account) => ({
            ...createPurchase(account, 1n),
            id: `hold_${createId()}`,
            lifetimeMs: minute,
          })),
        ),
    capture: (scene) => (each) =>
      createLedger(each, options).capture(
        pickMiddle(scene.holds),
        1n,
        null,
        toIdempotency(scene.key),
      ),
    captures: (scene) => (each) =>
      createCaptureMany(each, options, createLockedAccounts(each))(captures(scene, 1n)),
    release: (scene) => (each) => createLedger(each, options).release(pickMiddle(scene.holds)),
    'release for an API key':
      ({ keyHold }) =>
      (each) =>
        createLedger(each, options).release(keyHold),
    releases: (scene) => (each) =>
      createCaptureMany(each, options, createLockedAccounts(each))(captures(scene, 0n)),
    credit: (scene) => (each) => createLedger(each, options).grant(pickMiddle(scene.accounts), 1n),
    refund:
      ({ entryId }) =>
      (each) =>
        createLedger(each, options).refund(entryId),
  }

  it('on accounts, holds and API keys, whatever any two of them do', async () => {
    const accounts = await createAccounts('pairs', 3)
    const account = pickMiddle(accounts)
    const [apiKey] = await database.query<{ id: string }>(
      `insert into api_key (id, account_id, type, secret_hash, description, limit_period, created_at)
       select gen_random_uuid(), id, 'INFERENCE', name, '', 'EPOCH', now() from account where name = $1 returning id`,
      [account],
    )
    const keyId = apiKey?.id ?? ''
    const scene = async (): Promise<Scene> => {
      const key = `k-${createId()}`
      const holding = [
        ...accounts.map((name) => createPurchase(name, 2n)),
        { ...createPurchase(account, 2n), keyId },
      ]
      const [charged, ...held] = await Promise.all([
        charge(ledger, createKeyedPurchase(account, 1n, `before-${key}`)),
        ...holding.map((one) => ledger.hold(one, minute)),
      ])
      const [first = '', second = '', third = '', keyHold = ''] = held.map((one) =>
        one.status === 'held' ? one.id : '',
      )
      const entryId = charged.status === 'captured' ? charged.entryId : ''
      return { accounts, holds: [first, second, third], keyHold, entryId, keyId, key }
    }
    const failed: string[] = []
    for (const [first, begin] of Object.entries(kinds)) {
      for (const [second, follow] of Object.entries(kinds)) {
        const met = await scene()
        const turned = { ...met, accounts: accounts.toReversed(), holds: met.holds.toReversed() }
        const results = await meet(
          `select 1 from account where name = '${account}' for no key update`,
          begin(met),
          follow(turned),
        )
        // captures whose hold was just released are undone, as they claimed keys for them
        if (
          results.some(
            (result) => result !== 'done' && !result.includes('idempotency_entry_id_fkey'),
          )
        )
          failed.push(`${first}, ${second}: ${results.join(', ')}`)
        await ledger.grant(account, 20n)
        await Promise.all([...met.holds, met.keyHold].map((holdId) => ledger.release(holdId)))
      }
    }
    expect(failed).toEqual([])
    expect(await ledger.audit()).toEqual([])
  })
})

it('balances are exact when two ledgers charge the same accounts', async () => {
  const accounts = await createAccounts('shared', 20)
  const second = await openPostgres(server.url)
  const work = async (each: Ledger, names: readonly string[]) => {
    for (let round = 0; round < 30; round++) {
      await Promise.all(
        names.flatMap((name) => [
          charge(each, createPurchase(name, 1n)),
          charge(each, createKeyedPurchase(name, 10n, `both-${round}`)),
          charge(each, createKeyedPurchase(name, 7n, `one-${createId()}`)),
          round % 5 === 0 ? holdAndCapture(each, name) : charge(each, createPurchase(name, 2n)),
        ]),
      )
    }
  }
  await Promise.all([
    work(ledger, accounts),
    work(createLedger(second, options), accounts.toReversed()),
  ])
  await second.close()
  expect(await ledger.audit()).toEqual([])
  // all of them ran out of credit, and none went below it
  expect(new Set(await Promise.all(accounts.map((account) => ledger.balance(account))))).toEqual(
    new Set([0n]),
  )
})

it.skipIf(process.env['TEST_DATABASE_URL'] !== undefined)(
  'every confirmed write survives, exactly once, when the database is killed',
  async () => {
    await ledger.grant('crash', 1_000_000_000n)
    let asked = 0
    let answered = 0
    for (let round = 1; round <= 3; round++) {
      let isDown = false
      const caller = async () => {
        while (!isDown) {
          asked++
          const isDone = await sell('crash').catch(() => undefined)
          if (isDone?.status === 'captured') answered++
          if (answered >= 500 * round && !isDown) {
            isDown = true
            await server.crash?.()
          }
        }
      }
      await Promise.all(Array.from({ length: 50 }, caller))
    }
    const { entries } = await ledger.entries('crash', { limit: 1, offset: 0 })
    const charged = 1_000_000_000n - (entries[0]?.balanceAfter ?? 0n)
    expect(charged).toBeGreaterThanOrEqual(BigInt(answered))
    expect(charged).toBeLessThanOrEqual(BigInt(asked))
    expect(await ledger.audit()).toEqual([])
  },
)

async function sell(account: string) {
  const held = await ledger.hold(createPurchase(account, 2n), minute)
  return held.status === 'held' ? ledger.capture(held.id, 1n) : undefined
}

async function holdAndCapture(each: Ledger, account: string): Promise<void> {
  const held = await each.hold(createPurchase(account, 2n), minute)
  if (held.status === 'held')
    await each.capture(held.id, 1n, null, toIdempotency(`both-${createId()}`))
}

describe('twelve locked accounts', () => {
  it('whose API keys all buy leave connections for other accounts', async () => {
    const accounts = await createAccounts('locked', 12)
    const [free = ''] = await createAccounts('free', 1)
    const keys = new Map<string, string>()
    for (const account of [...accounts, free]) {
      const [key] = await database.query<{ id: string }>(
        `insert into api_key (id, account_id, type, secret_hash, description, limit_period, created_at)
         select gen_random_uuid(), id, 'INFERENCE', $2, '', 'LIFETIME', now() from account where name = $1 returning id`,
        [account, `key of ${account}`],
      )
      keys.set(account, key?.id ?? '')
    }
    const buy = (account: string) =>
      ledger.hold({ ...createPurchase(account, 2n), keyId: keys.get(account) ?? '' }, minute)
    const holder = new pg.Client({ connectionString: server.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from account where name = any ($1) for update', [accounts])
    const stuck = Promise.allSettled(accounts.map(buy))
    const waiting = async () => {
      await holder.query(`select pg_stat_clear_snapshot()`)
      const { rows } = await holder.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock'`,
      )
      return rows.length
    }
    await expect.poll(waiting).toBeGreaterThan(2)
    const bought = await Promise.all([free, free, free, free].map(buy))
    expect(bought.map(({ status }) => status)).toEqual(['held', 'held', 'held', 'held'])
    expect(await waiting()).toBe(3)
    await holder.query('commit')
    await holder.end()
    const outcomes = (await stuck).map((one) =>
      one.status === 'fulfilled' ? one.value.status : (one.reason as Error).name,
    )
    expect(
      outcomes.filter((outcome) => outcome !== 'held' && outcome !== 'DatabaseUnavailableError'),
    ).toEqual([])
    expect(await ledger.audit()).toEqual([])
  })

  it('whose holds share statements do not block other accounts', async () => {
    const accounts = await createAccounts('shared-locked', 12)
    const others = await createAccounts('shared-free', 4)
    const holder = new pg.Client({ connectionString: server.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from account where name = any ($1) for update', [accounts])
    const stuck = Promise.allSettled(
      accounts.map((account) => ledger.hold(createPurchase(account, 2n), minute)),
    )
    const waiting = async () => {
      await holder.query(`select pg_stat_clear_snapshot()`)
      const sql = `select pid || ' ' || query_start as since from pg_stat_activity where wait_event_type = 'Lock'`
      return (await holder.query<{ since: string }>(sql)).rows.map(({ since }) => since)
    }
    await expect.poll(waiting).not.toEqual([])
    const [first] = await waiting()
    const sold = await Promise.all(others.map(sell))
    expect(sold.map((one) => one?.status)).toEqual(others.map(() => 'captured'))
    // the statement that had the lock to wait for waits still
    expect(await waiting()).toContain(first)
    await holder.query('commit')
    await holder.end()
    const outcomes = (await stuck).map((one) =>
      one.status === 'fulfilled' ? one.value.status : (one.reason as Error).name,
    )
    expect(
      outcomes.filter((outcome) => outcome !== 'held' && outcome !== 'DatabaseUnavailableError'),
    ).toEqual([])
    expect(await ledger.audit()).toEqual([])
  })
})

describe('a capture whose account is locked', () => {
  /** Gives up a lock early, whatever the scale of time limits in tests. */
  let hasty: Database
  let holder: pg.Client
  beforeAll(async () => void (hasty = await openPostgres(server.url, { lockMs: 500 })))
  afterAll(() => hasty.close())
  beforeEach(async () => {
    holder = new pg.Client({ connectionString: server.url })
    await holder.connect()
  })
  afterEach(() => holder.end())

  const lock = async (accounts: readonly string[]) => {
    await holder.query('begin')
    await holder.query('select 1 from account where name = any ($1) for update', [accounts])
  }
  /** Captures until it succeeds. */
  const insistent = async (
    each: Ledger,
    holdId: string,
    onFailure?: () => void,
  ): Promise<string> => {
    for (;;) {
      const result = await each.capture(holdId, 1n).catch(() => onFailure?.())
      if (result) return result.status
    }
  }

  it('leaves connections for other accounts, however many captures wait', async () => {
    const accounts = await createAccounts('capture-locked', 12)
    const others = await createAccounts('capture-free', 4)
    const impatient = createLedger(hasty, options)
    const held = await placeHolds(accounts)
    await lock(accounts)
    const waiting = async () => {
      await holder.query(`select pg_stat_clear_snapshot()`)
      return (await holder.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`))
        .rows.length
    }
    const failed = new Set<string>()
    const stuck = held.map((holdId) => insistent(impatient, holdId, () => void failed.add(holdId)))
    await expect.poll(() => failed.size, { timeout: 60_000 }).toBe(accounts.length)
    for (let round = 0; round < 10; round++) {
      const sold = others.map(async (account) => {
        const one = await impatient.hold(createPurchase(account, 2n), minute)
        return one.status === 'held' && impatient.capture(one.id, 1n)
      })
      expect(await Promise.all(sold)).toEqual(
        others.map(() => expect.objectContaining({ status: 'captured' }) as unknown),
      )
      expect(await waiting()).toBeLessThanOrEqual(2)
    }
    await holder.query('commit')
    expect(await Promise.all(stuck)).toEqual(accounts.map(() => 'captured'))
    expect(await ledger.audit()).toEqual([])
  })

  it('is excluded from batched captures after it failed, until it succeeds', async () => {
    const sent: string[] = []
    const rejected: string[] = []
    const query: Database['query'] = (sql, params) => {
      sent.push(sql)
      return hasty.query<never>(sql, params).catch((error: unknown) => {
        rejected.push(sql)
        throw error
      })
    }
    const observed = createLedger({ ...hasty, query }, options)
    const accounts = await createAccounts('left-out', 2)
    const [first = '', other = ''] = await placeHolds(accounts)
    const [second = ''] = await placeHolds(accounts)
    const last = await placeHolds(accounts)
    await lock(accounts.slice(0, 1))
    await expect(observed.capture(first, 1n)).rejects.toThrow('lock timeout')
    rejected.length = 0
    const late = insistent(observed, second)
    expect(await observed.capture(other, 1n)).toMatchObject({ status: 'captured' })
    expect(rejected.filter((sql) => sql.includes('json_to_recordset'))).toEqual([])
    await holder.query('commit')
    expect(await late).toBe('captured')
    sent.length = 0
    await Promise.all(last.map((holdId) => observed.capture(holdId, 1n)))
    expect(sent).toEqual([expect.stringContaining('json_to_recordset')])
  })
})
