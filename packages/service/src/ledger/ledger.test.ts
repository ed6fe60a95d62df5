import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../database/database.js'
import { migrate } from '../database/migrate.js'
import { openPglite } from '../database/pglite.js'
import { createLedger, type Booking, type Ledger } from './ledger.js'
import { createNonces } from './nonces.js'

let database: Database
let ledger: Ledger
let count = 0

beforeAll(async () => {
  database = await openPglite()
  await migrate(database)
  ledger = createLedger(database)
})

afterAll(async () => database.close())

describe('the ledger', () => {
  it('charges down to zero and not below', async () => {
    await ledger.credit(booking('a', 25_000n))
    expect(await ledger.charge(booking('a', 10_000n))).toBe(15_000n)
    expect(await ledger.charge(booking('a', 15_001n))).toBeUndefined()
    expect(await ledger.charge(booking('a', 15_000n))).toBe(0n)
    expect(await ledger.charge(booking('nobody', 1n))).toBeUndefined()
  })

  it('lets 200 charges at once take exactly the 50 that are affordable', async () => {
    await ledger.credit(booking('b', 500_000n))
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => ledger.charge(booking('b', 10_000n))))
    expect(outcomes.filter((balance) => balance !== undefined)).toHaveLength(50)
    expect(await ledger.balance('b')).toBe(0n)
  })

  it('credits one authorization once, however often it comes at once, and answers alike', async () => {
    const claim = { ...booking('c', 5_000_000n), key: 'payer/nonce', payloadHash: 'h', paymentId: 'pay_1' }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => ledger.creditPayment({ ...claim, entryId: `entry-${++count}`, paymentId: 'pay_1' })),
    )
    expect(outcomes.filter(({ kind }) => kind === 'credited')).toHaveLength(1)
    expect(outcomes.every((outcome) => outcome.kind !== 'conflict' && outcome.balanceAfter === 5_000_000n)).toBe(true)
    expect(await ledger.creditPayment({ ...claim, entryId: 'other', payloadHash: 'another' })).toEqual({ kind: 'conflict' })
    expect(await ledger.balance('c')).toBe(5_000_000n)
  })

  it('lists entries newest first, page by page', async () => {
    for (const amount of [1n, 2n, 3n]) await ledger.credit(booking('d', amount))
    expect((await ledger.entries('d', 2, 0)).map(({ amount }) => amount)).toEqual([3n, 2n])
    expect((await ledger.entries('d', 2, 2)).map(({ amount, balanceAfter }) => [amount, balanceAfter])).toEqual([[1n, 1n]])
  })

  it('keeps the sum of the entries equal to the balance through any history', async () => {
    const step = fc.record({ kind: fc.constantFrom('credit', 'charge'), amount: fc.bigInt({ min: 1n, max: 9_000_000_000_000n }) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const account = `p${++count}`
        await Promise.all(
          steps.map(({ kind, amount }) => (kind === 'credit' ? ledger.credit(booking(account, amount)) : ledger.charge(booking(account, amount)))),
        )
        const entries = await ledger.entries(account, 100, 0)
        expect(entries.reduce((sum, { amount }) => sum + amount, 0n)).toBe(await ledger.balance(account))
        expect(entries.every(({ balanceAfter }) => balanceAfter >= 0n)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })
})

describe('nonces', () => {
  it('are used once, by exactly one of many at once', async () => {
    const nonces = createNonces(database)
    const uses = await Promise.all(Array.from({ length: 30 }, () => nonces.use('0xA', 'nonce-1', 2_000, 1_000)))
    expect(uses.filter(Boolean)).toHaveLength(1)
    expect(await nonces.use('0xB', 'nonce-1', 2_000, 1_000)).toBe(true)
  })
})

function booking(account: string, amount: bigint): Booking {
  return { account, amount, entryId: `entry-${++count}`, createdAt: '2026-11-21T00:00:00.000Z' }
}
