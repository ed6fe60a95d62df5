import fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../platform/database/database.js'
import { charge } from '../../../test/charge.js'
import { engines } from '../../../test/databases.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger, type Ledger, type Payment } from './ledger.js'

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let ledger: Ledger
  let serial = 0

  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, {
      now: () => Date.parse('2026-01-02T03:04:05.000Z'),
      id: () => String(++serial).padStart(8, '0'),
    })
  })
  afterAll(() => close())

  function payment(payer: string, amount: bigint, nonce = `n${++serial}`): Payment {
    const id = `pay_${payer}_${nonce}`
    return {
      id,
      network: 'eip155:8453',
      asset: '0xA',
      payer,
      nonce,
      amount,
      settledBy: 'test',
      transaction: '',
    }
  }

  const sell = (account: string, amount: bigint, key?: string, fingerprint = 'f') =>
    charge(ledger, {
      account,
      amount,
      requestId: `req_${++serial}`,
      modelId: null,
      ...(key !== undefined && { idempotency: { operation: 'parseText', key, fingerprint } }),
    })

  describe('hold and capture', () => {
    const purchase = (account: string) => ({
      account,
      amount: 10_000n,
      requestId: `req_${++serial}`,
      modelId: null,
    })
    const wallets = async (name: string, count: number) => {
      const names = Array.from({ length: count }, (_, index) => `${name}-${index}`)
      for (const account of names) await ledger.creditPayment(payment(account, 30_000n))
      return names
    }
    const holdOn = async (each: Ledger, account: string) => {
      const held = await each.hold(purchase(account), 60_000)
      return held.status === 'held' ? held.id : ''
    }
    const atOnce = <T, R>(all: readonly T[], work: (one: T) => Promise<R>) =>
      Promise.all(all.map(work))

    it('let exactly 50 of 200 parallel sales through on a wallet that affords 50', async () => {
      await ledger.creditPayment(payment('s50', 500_000n))
      const sales = await atOnce(Array(200).fill('s50'), async (account: string) => {
        const held = await ledger.hold(purchase(account), 60_000)
        return held.status === 'held'
          ? (await ledger.capture(held.id, 10_000n)).status
          : held.status
      })
      expect(sales.filter((status) => status === 'captured')).toHaveLength(50)
      expect(sales.filter((status) => status === 'insufficient')).toHaveLength(150)
      expect(await ledger.entries('s50', { limit: 1, offset: 0 })).toMatchObject({
        balance: 0n,
        entries: [{ amount: -10_000n }],
      })
      expect(await ledger.audit()).toEqual([])
    })

    it('take nothing from an account that does not exist', async () => {
      expect(await sell('nobody', 1n)).toEqual({
        status: 'insufficient',
        balance: 0n,
        reason: 'balance',
      })
    })

    it('take the last micro-USD, and no more', async () => {
      await ledger.creditPayment(payment('last', 7n))
      expect(await sell('last', 7n)).toMatchObject({ status: 'captured', balance: 0n })
      expect(await sell('last', 1n)).toEqual({
        status: 'insufficient',
        balance: 0n,
        reason: 'balance',
      })
    })

    it('charge once for one key, even for 20 concurrent captures', async () => {
      await ledger.creditPayment(payment('keyed', 2_000n))
      const results = await Promise.all(
        Array.from({ length: 20 }, () => sell('keyed', 100n, 'order-1')),
      )
      expect(results.filter(({ status }) => status === 'captured')).toHaveLength(1)
      expect(results.filter(({ status }) => status === 'known')).toHaveLength(19)
      expect(await ledger.balance('keyed')).toBe(1_900n)
      expect(
        await ledger.findCharge({ account: 'keyed', operation: 'parseText', key: 'order-1' }),
      ).toMatchObject({ fingerprint: 'f' })
    })

    it('return the fingerprint that a key was charged for', async () => {
      await ledger.creditPayment(payment('spent', 200n))
      await sell('spent', 100n, 'k', 'first')
      expect(await sell('spent', 100n, 'k', 'second')).toEqual({
        status: 'known',
        fingerprint: 'first',
        entryId: expect.any(String) as string,
      })
      expect(await ledger.balance('spent')).toBe(100n)
    })

    it('share one statement when they come together, and go out alone otherwise', async () => {
      const statements: string[] = []
      const query: Database['query'] = (sql, params) => {
        statements.push(sql)
        return database.query(sql, params)
      }
      const names = await wallets('together', 20)
      const recorded = createLedger(
        { ...database, query },
        { now: () => 0, id: () => `together-${++serial}` },
      )
      const held = await atOnce([...names, ...names], (account) => holdOn(recorded, account))
      expect(statements).toHaveLength(1)
      const captured = await atOnce(held.slice(20), (id) =>
        recorded.capture(id, 4_000n, 'm', { operation: 'o', key: id, fingerprint: 'f' }),
      )
      expect(captured.map((one) => one.status === 'captured' && one.balance)).toEqual(
        names.map(() => 16_000n),
      )
      expect(statements).toHaveLength(2)
      expect(await atOnce(held.slice(0, 20), recorded.release)).toEqual(names.map(() => true))
      expect(statements).toHaveLength(3)
      await recorded.capture(await holdOn(recorded, 'together-0'), 1n)
      expect(statements).toHaveLength(5)
      expect(statements.slice(3).join()).not.toContain('json_to_recordset')
      expect(await ledger.audit()).toEqual([])
    })

    it('for an API key share a statement too, unless its limit is near', async () => {
      const statements: string[] = []
      const query: Database['query'] = (sql, params) => {
        statements.push(sql)
        return database.query(sql, params)
      }
      await ledger.openKeyAccount('key:alone', 30_000n)
      const [key] = await database.query<{ id: string }>(
        `insert into api_key (id, account_id, type, secret_hash, description, limit_usd, limit_period, created_at)
         select gen_random_uuid(), id, 'INFERENCE', name, '', 25000, 'EPOCH', now() from account where name = 'key:alone' returning id`,
      )
      const recorded = createLedger(
        { ...database, query },
        { now: () => 0, id: () => `alone-${++serial}` },
      )
      const hold = () => recorded.hold({ ...purchase('key:alone'), keyId: key?.id ?? '' }, 60_000)
      const held = await Promise.all([hold(), hold()])
      expect(statements).toHaveLength(1)
      await atOnce(held, (one) => recorded.capture(one.status === 'held' ? one.id : '', 4_000n))
      expect(statements).toHaveLength(2)
      // 8,000 of 25,000 are used up, and the rest of both holds is given back
      expect(
        await database.query('select consumed_usd from api_key where id = $1', [key?.id]),
      ).toEqual([{ consumed_usd: 8_000n }])
      expect(await Promise.all([hold(), hold()])).toMatchObject([
        { status: 'held' },
        { reason: 'key limit usd' },
      ])
    })

    it('of one Idempotency-Key are charged once, and release what the others held', async () => {
      const [account = ''] = await wallets('same', 1)
      const held = await atOnce([account, account, account], (one) => holdOn(ledger, one))
      const results = await atOnce(held, (id) =>
        ledger.capture(id, 10_000n, null, { operation: 'o', key: 'same', fingerprint: 'f' }),
      )
      expect(results.map(({ status }) => status)).toEqual(['captured', 'known', 'known'])
      expect(await ledger.balance(account)).toBe(20_000n)
      expect(await ledger.audit()).toEqual([])
    })

    it('can be undone after a connection loss, whether or not they were made', async () => {
      let lost: 'before' | 'after' | undefined
      const query: Database['query'] = async (sql, params) => {
        const rows = lost === 'before' ? [] : await database.query(sql, params)
        if (lost !== undefined) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
        return rows as never
      }
      const broken = createLedger(
        { ...database, query },
        { now: () => 0, id: () => `broken-${++serial}` },
      )
      const names = await wallets('lost', 3)
      const outcomes: string[] = []
      for (const when of ['before', 'after'] as const) {
        const held = await atOnce(names, (account) => holdOn(broken, account))
        lost = when
        const told = (work: Promise<unknown>) => work.then(String, ({ message }: Error) => message)
        outcomes.push(...(await atOnce(held, (id) => told(broken.capture(id, 10_000n)))))
        outcomes.push(
          ...(await atOnce(names, (account) => told(broken.hold(purchase(account), 60_000)))),
        )
        lost = undefined
        await atOnce(held, broken.undo)
      }
      expect(new Set(outcomes)).toEqual(new Set(['lost']))
      // holds that nobody knows of end with their time
      expect(await atOnce(names, ledger.balance)).toEqual([20_000n, 20_000n, 20_000n])
      await ledger.releaseExpired()
      expect(await atOnce(names, ledger.balance)).toEqual([30_000n, 30_000n, 30_000n])
      expect(await ledger.audit()).toEqual([])
    })
  })

  describe('undo', () => {
    const purchase = (account: string) => ({
      account,
      amount: 100n,
      requestId: `req_${++serial}`,
      modelId: null,
    })
    const idempotency = { operation: 'parseText', key: 'u', fingerprint: 'f' }

    it('gives back what was held, and what was charged, once', async () => {
      await ledger.creditPayment(payment('undone', 300n))
      const held = await ledger.hold(purchase('undone'), 60_000)
      const charged = await ledger.hold(purchase('undone'), 60_000)
      const ids = [held, charged].map((one) => (one.status === 'held' ? one.id : ''))
      await ledger.capture(ids[1] ?? '', 100n)
      expect(await ledger.balance('undone')).toBe(100n)
      for (const id of [...ids, ...ids, 'nope']) await ledger.undo(id)
      expect(await ledger.balance('undone')).toBe(300n)
    })

    it('forgets the key, so that a retry is charged', async () => {
      await ledger.creditPayment(payment('again', 300n))
      for (let attempt = 1; attempt <= 2; attempt++) {
        const held = await ledger.hold(purchase('again'), 60_000)
        const id = held.status === 'held' ? held.id : ''
        expect(await ledger.capture(id, 100n, null, idempotency)).toMatchObject({
          status: 'captured',
          balance: 200n,
        })
        if (attempt === 1) await ledger.undo(id)
      }
      expect(
        await ledger.findCharge({ account: 'again', operation: 'parseText', key: 'u' }),
      ).toMatchObject({ fingerprint: 'f' })
    })
  })

  describe('creditPayment', () => {
    it('credits one payment once, however often it comes, in parallel or not', async () => {
      const one = payment('payer', 5_000_000n)
      const results = await Promise.all(Array.from({ length: 20 }, () => ledger.creditPayment(one)))
      expect(new Set(results.map((result) => result?.balanceAfter))).toEqual(new Set([5_000_000n]))
      expect(await ledger.balance('payer')).toBe(5_000_000n)
    })

    it('returns the payment that used a nonce', async () => {
      const first = payment('payer2', 5_000_000n, 'same')
      await ledger.creditPayment(first)
      const again = await ledger.creditPayment({ ...first, id: 'pay_other', amount: 9_000_000n })
      expect(again).toMatchObject({ id: first.id, amount: 5_000_000n })
    })

    it('credits nothing for a key that another payment has used', async () => {
      await ledger.creditPayment(payment('payer3', 1n), {
        operation: 'topUp',
        key: 'k1',
        fingerprint: 'one',
      })
      expect(
        await ledger.creditPayment(payment('payer3', 2n), {
          operation: 'topUp',
          key: 'k1',
          fingerprint: 'two',
        }),
      ).toBeUndefined()
      expect(await ledger.balance('payer3')).toBe(1n)
    })
  })

  describe('entries', () => {
    it('come newest first, page by page', async () => {
      await ledger.creditPayment(payment('paged', 100n))
      for (let amount = 1n; amount <= 4n; amount++) await sell('paged', amount)
      const first = await ledger.entries('paged', { limit: 2, offset: 0 })
      expect(first.entries.map(({ amount, balanceAfter }) => [amount, balanceAfter])).toEqual([
        [-4n, 90n],
        [-3n, 94n],
      ])
      expect(first).toMatchObject({ balance: 90n, hasMore: true })
      const last = await ledger.entries('paged', { limit: 2, offset: 4 })
      expect(last.entries.map(({ amount, type }) => [amount, type])).toEqual([[100n, 'TOP_UP']])
      expect(last.hasMore).toBe(false)
      expect(await ledger.entries('paged', { limit: 2, offset: 9 })).toMatchObject({
        balance: 90n,
        entries: [],
        hasMore: false,
      })
    })

    it('are correct when many pages and balances are read together, in two statements', async () => {
      for (const [name, amount] of [
        ['many-a', 5n],
        ['many-b', 7n],
      ] as const) {
        for (let at = 0; at < 3; at++) await ledger.creditPayment(payment(name, amount))
      }
      const asked = [
        ['many-a', { limit: 2, offset: 0 }],
        ['many-b', { limit: 5, offset: 1 }],
        ['stranger', { limit: 5, offset: 0 }],
        ['many-a', { limit: 1, offset: 2 }],
        ['many-b', { limit: 2, offset: Number.MAX_VALUE }],
      ] as const
      const alone = []
      for (const [account, place] of asked) alone.push(await ledger.entries(account, place))
      const sent: string[] = []
      const query: Database['query'] = (sql, params) => {
        sent.push(sql)
        return database.query(sql, params)
      }
      const counted = createLedger({ ...database, query }, { now: Date.now, id: String })
      const pages = Promise.all(asked.map(([account, place]) => counted.entries(account, place)))
      const balances = Promise.all(
        ['many-b', 'stranger', 'many-a', 'many-b'].map((account) => counted.balance(account)),
      )
      expect(await pages).toEqual(alone)
      expect(await balances).toEqual([21n, 0n, 15n, 21n])
      expect(
        alone.map(({ balance, entries, hasMore }) => [balance, entries.length, hasMore]),
      ).toEqual([
        [15n, 2, true],
        [21n, 2, false],
        [0n, 0, false],
        [15n, 1, false],
        [21n, 0, false],
      ])
      expect(sent).toHaveLength(2)
    })

    it('are empty for an account that does not exist', async () => {
      expect(await ledger.entries('stranger', { limit: 10, offset: 0 })).toEqual({
        balance: 0n,
        entries: [],
        hasMore: false,
      })
    })

    it('cannot be changed or removed', async () => {
      await expect(database.query('update entry set amount = 1')).rejects.toThrow('never changed')
      await expect(database.query('delete from entry')).rejects.toThrow('never changed')
      await expect(database.query('truncate entry cascade')).rejects.toThrow('never changed')
    })
  })

  describe('openKeyAccount', () => {
    it('gives the first credit once', async () => {
      await ledger.openKeyAccount('key:k', 100_000_000n)
      await ledger.openKeyAccount('key:k', 100_000_000n)
      expect(await ledger.balance('key:k')).toBe(100_000_000n)
      await ledger.openKeyAccount('key:empty', 0n)
      expect(await ledger.balance('key:empty')).toBe(0n)
    })
  })

  describe('audit', () => {
    it('finds entries and balances consistent after any history', async () => {
      const step = fc.record({
        account: fc.constantFrom('a', 'b', 'c'),
        amount: fc.bigInt({ min: 1n, max: 2_000_000n }),
        kind: fc.constantFrom('pay', 'charge', 'keyed'),
        key: fc.constantFrom('k1', 'k2', 'k3'),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const run = ++serial
          const results = await Promise.all(
            steps.map(({ account, amount, kind, key }) =>
              kind === 'pay'
                ? ledger.creditPayment(payment(`${account}${run}`, amount))
                : sell(`${account}${run}`, amount, kind === 'keyed' ? key : undefined),
            ),
          )
          expect(results).toHaveLength(steps.length)
          expect(await ledger.audit()).toEqual([])
          for (const account of ['a', 'b', 'c']) {
            const { balance, entries } = await ledger.entries(`${account}${run}`, {
              limit: 100,
              offset: 0,
            })
            expect(entries.reduce((sum, { amount }) => sum + amount, 0n)).toBe(balance)
            expect(entries.every(({ balanceAfter }) => balanceAfter >= 0n)).toBe(true)
          }
        }),
        { numRuns: countRounds(100) },
      )
    })

    it('names an account whose balance was tampered with', async () => {
      await ledger.creditPayment(payment('tampered', 10n))
      await database.query("update account set balance = 11 where name = 'tampered'")
      expect(await ledger.audit()).toMatchObject([
        { account: 'tampered', number: 0n, fault: 'the balance is 11, its entries add up to 10' },
      ])
    })
  })
})
