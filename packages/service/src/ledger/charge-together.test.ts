import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../test/databases.js'
import type { Database } from '../database/database.js'
import { migrate } from '../database/migrate.js'
import type { Charge } from './books.js'
import { createChargeTogether } from './charge-together.js'
import { createLedger, type Ledger } from './ledger.js'

let serial = 0
const id = () => String(++serial).padStart(8, '0')
const options = { now: () => Date.parse('2026-01-02T03:04:05.000Z'), id }

function charge(account: string, amount: bigint, key?: string): Charge {
  return {
    account,
    amount,
    requestId: `req_${id()}`,
    modelId: 'm',
    ...(key !== undefined && { idempotency: { operation: 'parseText', key, fingerprint: `f-${key}` } }),
  }
}

async function credit(ledger: Ledger, account: string, amount: bigint): Promise<void> {
  const terms = { network: 'n', asset: 'a', settledBy: 'test', transaction: '' }
  await ledger.creditPayment({ ...terms, id: id(), nonce: id(), payer: account, amount })
}

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let ledger: Ledger
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, options)
  })
  afterAll(() => close())

  /** Balance after each charge, or undefined for what was not charged. */
  async function balances(charges: readonly Charge[]): Promise<readonly (bigint | undefined)[]> {
    const results = await createChargeTogether(database, options)(charges)
    return results.map((result) => (result?.status === 'charged' ? result.balance : undefined))
  }

  /** Oldest first: what was taken of the daily credit and of USD, and the balance after it. */
  async function taken(account: string) {
    const rows = await database.query(
      `select e.diem_amount, e.amount, e.balance_after from entry e join account a on a.id = e.account_id
       where a.name = $1 and e.type = 'CHARGE' order by e.number`,
      [account],
    )
    return rows.map(Object.values)
  }

  it('charges several accounts, each in the order of its charges', async () => {
    await credit(ledger, 'one', 10n)
    await credit(ledger, 'two', 100n)
    expect(await balances([charge('two', 1n), charge('one', 2n), charge('two', 3n), charge('one', 4n)])).toEqual([99n, 8n, 96n, 4n])
    const { balance, entries } = await ledger.entries('two', { limit: 9, offset: 0 })
    expect(balance).toBe(96n)
    expect(entries.map(({ amount, balanceAfter, type, modelId }) => [amount, balanceAfter, type, modelId])).toEqual([
      [-3n, 96n, 'CHARGE', 'm'],
      [-1n, 99n, 'CHARGE', 'm'],
      [100n, 99n + 1n, 'TOP_UP', null],
    ])
    expect(await ledger.audit()).toEqual([])
  })

  it('spends the daily credit first, and leaves what is held', async () => {
    await credit(ledger, 'daily', 20n)
    await ledger.setDailyCredit('daily', 10n)
    await ledger.charge(charge('daily', 1n))
    await ledger.hold(charge('daily', 12n), 60_000)
    // 17 USD are not held, and nothing is left of the day
    await ledger.setDailyCredit('daily', 15n)
    expect(await balances([charge('daily', 1n), charge('daily', 6n), charge('daily', 14n)])).toEqual([17n, 15n, 1n])
    expect(await taken('daily')).toEqual([
      [-1n, 0n, 20n],
      [-1n, 0n, 20n],
      [-4n, -2n, 18n],
      [0n, -14n, 4n],
    ])
    expect(await ledger.funds('daily')).toEqual({ usd: 1n, diem: 0n, diemDaily: 15n })
    expect(await ledger.audit()).toEqual([])
  })

  it('charges as far as the credit goes, and writes nothing of the rest', async () => {
    await credit(ledger, 'short', 10n)
    await credit(ledger, 'rich', 100n)
    const charges = [charge('short', 6n), charge('short', 5n), charge('rich', 1n), charge('short', 1n), charge('nobody', 1n)]
    expect(await balances(charges)).toEqual([4n, undefined, 99n, undefined, undefined])
    expect(await taken('short')).toEqual([[0n, -6n, 4n]])
    expect(await ledger.audit()).toEqual([])
  })

  it('charges once for a key that comes twice, and not again for one that was charged before', async () => {
    await credit(ledger, 'keyed', 100n)
    await ledger.charge(charge('keyed', 1n, 'before'))
    const charges = [charge('keyed', 2n, 'k'), charge('keyed', 4n, 'before'), charge('keyed', 8n, 'k'), charge('keyed', 16n)]
    expect(await balances(charges)).toEqual([97n, undefined, undefined, 81n])
    expect(await ledger.findCharge({ account: 'keyed', operation: 'parseText', key: 'k' })).toBe('f-k')
    expect(await ledger.audit()).toEqual([])
  })

  it('tells charges apart that are one object', async () => {
    await credit(ledger, 'object', 10n)
    const one = charge('object', 6n)
    expect(await balances([one, one])).toEqual([4n, undefined])
    await credit(ledger, 'object', 8n)
    const results = await Promise.all([ledger.charge(one), ledger.charge(one), ledger.charge(one)])
    expect(results.map(({ status, balance }) => [status, balance])).toEqual([
      ['charged', 6n],
      ['charged', 0n],
      ['insufficient', 0n],
    ])
    expect(new Set(results.map((result) => 'entryId' in result && result.entryId)).size).toBe(3)
  })

  it('claims no key for what cannot be paid', async () => {
    await credit(ledger, 'poor', 5n)
    expect(await balances([charge('poor', 6n, 'k1'), charge('poor', 1n, 'k2')])).toEqual([undefined, undefined])
    expect(await ledger.charge(charge('poor', 5n, 'k1'))).toMatchObject({ status: 'charged' })
    expect(await ledger.audit()).toEqual([])
  })

  it('is what the ledger does with charges that come at once', async () => {
    const statements: string[] = []
    const query: Database['query'] = (sql, params) => {
      statements.push(sql)
      return database.query(sql, params)
    }
    const accounts = Array.from({ length: 20 }, (_, index) => `many-${index}`)
    for (const account of accounts) await credit(ledger, account, 100n)
    const watched = createLedger({ ...database, query }, options)
    const results = await Promise.all([...accounts, ...accounts].map((account) => watched.charge(charge(account, 60n, 'same'))))
    expect(results.map(({ status }) => status)).toEqual([...accounts.map(() => 'charged'), ...accounts.map(() => 'known')])
    // one for all of them, and for each key that comes again: its claim, what was charged under it, and the balance
    expect(statements).toHaveLength(1 + 3 * 20)
    expect(await ledger.audit()).toEqual([])
  })
})
