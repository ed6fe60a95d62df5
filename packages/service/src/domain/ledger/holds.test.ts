import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import type { Purchase } from './ledger-types.js'
import { createHoldMany } from './holds.js'
import { createLedger, type Ledger } from './ledger.js'

let serial = 0
const createId = () => String(++serial).padStart(8, '0')
const options = { now: () => Date.parse('2026-01-02T03:04:05.000Z'), id: createId }

const minute = 60_000

function createPurchase(account: string, amount: bigint): Purchase {
  return { account, amount, requestId: `req_${createId()}`, modelId: 'm' }
}

async function credit(ledger: Ledger, account: string, amount: bigint): Promise<void> {
  const terms = { network: 'n', asset: 'a', settledBy: 'test', transaction: '' }
  await ledger.creditPayment({
    ...terms,
    id: createId(),
    nonce: createId(),
    payer: account,
    amount,
  })
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

  /** Balance after each hold, or undefined where nothing is held. */
  async function balances(
    purchases: readonly Purchase[],
  ): Promise<readonly (bigint | undefined)[]> {
    const results = await createHoldMany(
      database,
      options,
    )(purchases.map((one) => ({ ...one, id: `hold_${createId()}`, lifetimeMs: minute })))
    return results.map((result) => (result?.status === 'held' ? result.balance : undefined))
  }

  /** Oldest first: what is held of the daily credit and of USD. */
  async function held(account: string) {
    const rows = await database.query(
      `select h.diem, h.usd from hold h join account a on a.id = h.account_id where a.name = $1 order by h.id`,
      [account],
    )
    return rows.map(Object.values)
  }

  it('holds on several accounts, each in the order of its holds', async () => {
    await credit(ledger, 'one', 10n)
    await credit(ledger, 'two', 100n)
    const purchases = [
      createPurchase('two', 1n),
      createPurchase('one', 2n),
      createPurchase('two', 3n),
      createPurchase('one', 4n),
    ]
    expect(await balances(purchases)).toEqual([99n, 8n, 96n, 4n])
    expect(await ledger.entries('two', { limit: 9, offset: 0 })).toMatchObject({
      balance: 96n,
      entries: [{ amount: 100n, balanceAfter: 100n }],
    })
    expect(await ledger.audit()).toEqual([])
  })

  it('spends the daily credit first, and leaves what is held', async () => {
    await credit(ledger, 'daily', 20n)
    await ledger.setDailyCredit('daily', 10n)
    await ledger.hold(createPurchase('daily', 13n), minute)
    // 17 USD are not held, and nothing is left of the day
    await ledger.setDailyCredit('daily', 15n)
    expect(
      await balances([
        createPurchase('daily', 1n),
        createPurchase('daily', 6n),
        createPurchase('daily', 14n),
      ]),
    ).toEqual([17n, 15n, 1n])
    expect(await held('daily')).toEqual([
      [10n, 3n],
      [1n, 0n],
      [4n, 2n],
      [0n, 14n],
    ])
    expect(await ledger.spendable('daily')).toEqual({
      usd: 1n,
      diem: 0n,
      diemDaily: 15n,
      isFrozen: false,
    })
    expect(await ledger.audit()).toEqual([])
  })

  it.each(['one statement each', 'one statement for all'])(
    'give the daily credit of a day once, when a hold of the day before comes last, in %s',
    async (how) => {
      const account = `midnight-${how.length}`
      await ledger.grant(account, 100n)
      await ledger.setDailyCredit(account, 10n)
      const midnight = Date.parse('2026-02-01T00:00:00Z')
      const holdAt = async (time: number, amount: bigint) => {
        const ledgerThen = { ...options, now: () => time }
        if (how === 'one statement each')
          return createLedger(database, ledgerThen).hold(
            { ...createPurchase(account, amount), least: amount },
            minute,
          )
        const id = `hold_${createId()}`
        const hold = { ...createPurchase(account, amount), id, lifetimeMs: minute }
        return (await createHoldMany(database, ledgerThen)([hold]))[0]
      }
      await holdAt(midnight, 8n)
      // it waited for the account while the day began
      const late = await holdAt(midnight - 1, 8n)
      await holdAt(midnight + 1, 8n)
      expect(await held(account)).toEqual([
        [8n, 0n],
        [2n, 6n],
        [0n, 8n],
      ])
      const next = createLedger(database, { ...options, now: () => midnight + 1 })
      await next.release(late?.status === 'held' ? late.id : '')
      expect(await next.spendable(account)).toMatchObject({ usd: 92n, diem: 2n })
      expect(await ledger.audit()).toEqual([])
    },
  )

  it('holds as far as the credit goes, and writes nothing of the rest', async () => {
    await credit(ledger, 'short', 10n)
    await credit(ledger, 'rich', 100n)
    const purchases = [
      createPurchase('short', 6n),
      createPurchase('short', 5n),
      createPurchase('rich', 1n),
      createPurchase('short', 1n),
      createPurchase('nobody', 1n),
    ]
    expect(await balances(purchases)).toEqual([4n, undefined, 99n, undefined, undefined])
    expect(await held('short')).toEqual([[0n, 6n]])
    expect(await ledger.audit()).toEqual([])
  })

  it('distinguishes holds that are the same object', async () => {
    await credit(ledger, 'object', 10n)
    const one = createPurchase('object', 6n)
    expect(await balances([one, one])).toEqual([4n, undefined])
    await credit(ledger, 'object', 8n)
    const results = await Promise.all([1, 2, 3].map(() => ledger.hold(one, minute)))
    expect(results.map(({ status, balance }) => [status, balance])).toEqual([
      ['held', 6n],
      ['held', 0n],
      ['insufficient', 0n],
    ])
    expect(new Set(results.map((result) => 'id' in result && result.id)).size).toBe(3)
  })
})
