import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainAnew } from '../../../test/chain-anew.js'
import { charge } from '../../../test/charge.js'
import { engines } from '../../../test/databases.js'
import type { Database, Statement } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger, type Ledger } from '../ledger/ledger.js'
import { createLedgerAudit, type LedgerAudit } from './ledger-audit.js'

type EntryRow = {
  readonly id: string
  readonly number: bigint
  readonly amount: bigint
  readonly balance_after: bigint
  readonly type: string
  readonly micros: string
  readonly request_id: string | null
  readonly model_id: string | null
  readonly diem_amount: bigint
  readonly day: string | null
  readonly key_id: string | null
  readonly refunds: string | null
  readonly cost: bigint | null
  readonly refunded_before: bigint | null
  readonly actor: string | null
  readonly reason: string | null
  readonly hash: Uint8Array
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The hashes that the entries of an account must have, without the code under test. */
function computeHashes(account: string, rows: readonly EntryRow[]): string[] {
  let hash = Buffer.alloc(32)
  return rows.map((row) => {
    const fields = [
      row.number,
      row.id,
      row.amount,
      row.balance_after,
      row.type,
      row.micros,
      row.request_id,
      row.model_id,
    ]
    const more = [row.diem_amount, row.day, row.key_id, row.refunds, row.cost]
    const byHand = [row.refunded_before, row.actor, row.reason]
    const texts = [account, ...fields, ...more, ...byHand].map((value) =>
      value === null ? null : String(value),
    )
    const content = `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`
    hash = createHash('sha256')
      .update(Buffer.concat([hash, Buffer.from(content)]))
      .digest()
    return hash.toString('hex')
  })
}

function pickEntry(rows: readonly EntryRow[], place: number): EntryRow {
  const [row] = rows.slice(place % rows.length)
  if (!row) throw new Error('There is no entry')
  return row
}

const step = fc.record({
  kind: fc.constantFrom('grant', 'charge', 'charge', 'refund', 'together'),
  amount: fc.bigInt({ min: 1n, max: 900n }),
  model: fc.constantFrom(null, 'tts-kokoro', 'model "é"\n\u0001'),
  cost: fc.option(fc.bigInt({ min: 0n, max: 900n }), { nil: undefined }),
})

const changes = [
  'amount',
  'balance',
  'type',
  'model',
  'cost',
  'time',
  'hash',
  'delete',
  'insert',
  'swap',
  'account',
  'head',
  'cut',
] as const

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let ledger: Ledger
  let audit: LedgerAudit
  let close: () => Promise<void>
  let now = Date.now()
  let serial = 0

  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, { now: () => now, id: () => String(++serial).padStart(8, '0') })
    audit = createLedgerAudit(database, { now: () => now, accountsAtOnce: 2, entriesOfRound: 3 })
  })
  afterAll(() => close())

  /** What somebody with rights to the whole database does. */
  const byHand = (...statements: Statement[]) =>
    database.transaction([{ sql: 'set local session_replication_role = replica' }, ...statements])

  const listEntries = (account: string) =>
    database.query<EntryRow>(
      `select e.*, to_char(e.diem_day, 'YYYY-MM-DD') as day, (extract(epoch from e.created_at) * 1000000)::bigint::text as micros
       from entry e join account a on a.id = e.account_id where a.name = $1 order by e.number`,
      [account],
    )

  const remove = (account: string) => {
    const of = `(select id from account where name = $1)`
    const tables = ['hold', 'entry', 'audited_account', 'ledger_fault']
    return byHand(
      ...tables.map((table) => ({
        sql: `delete from ${table} where account_id = ${of}`,
        params: [account],
      })),
      {
        sql: 'delete from account where name = $1',
        params: [account],
      },
    )
  }

  async function history(
    account: string,
    steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
  ): Promise<void> {
    await ledger.openKeyAccount(account, 1_000n)
    await ledger.setDailyCredit(account, 100n)
    const charged: string[] = []
    for (const { kind, amount, model, cost } of steps) {
      const purchase = { account, amount, requestId: `req_${++serial}`, modelId: model }
      if (kind === 'grant') await ledger.grant(account, amount)
      if (kind === 'refund') await ledger.refund(charged.pop() ?? 'none')
      if (kind === 'charge') {
        const held = await ledger.hold(purchase, 60_000)
        const result =
          held.status === 'held'
            ? await ledger.capture(held.id, amount, model, undefined, cost)
            : undefined
        if (result?.status === 'captured') charged.push(result.entryId)
      }
      if (kind === 'together')
        await Promise.all(
          [purchase, purchase, purchase].map((one) => charge(ledger, { ...one, amount: 3n })),
        )
    }
  }

  it('chains every entry by the hash of its fields and the entry before it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const account = `key:chained-${++serial}`
        await history(account, steps)
        await ledger.creditPayment({
          id: account,
          network: 'n',
          asset: 'a',
          payer: account,
          nonce: 'n',
          amount: 7n,
          settledBy: '',
          transaction: '',
        })
        const rows = await listEntries(account)
        expect(rows.map(({ hash }) => toHex(hash))).toEqual(computeHashes(account, rows))
        expect(await audit.auditNew()).toEqual([])
        await remove(account)
      }),
      { numRuns: 15 },
    )
  })

  it('finds and names any manual change', async () => {
    const accounts: string[] = []
    const place = fc.record({
      of: fc.nat(),
      other: fc.nat(),
      change: fc.constantFrom(...changes),
      by: fc.bigInt({ min: 1n, max: 99n }),
      isAudited: fc.boolean(),
    })
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(step, { maxLength: 6 }),
          place,
          async (steps, { of, other, change, by, isAudited }) => {
            const account = `key:changed-${++serial}`
            accounts.push(account)
            await history(account, [
              { kind: 'grant', amount: 5n, model: null, cost: undefined },
              ...steps,
            ])
            if (isAudited) expect(await audit.auditAll()).toEqual([])
            const rows = await listEntries(account)
            const row = pickEntry(rows, of)
            const others = rows.filter((one) => one !== row)
            const { number } = row
            const last = BigInt(rows.length)
            const update = (set: string, ...params: unknown[]) =>
              byHand({ sql: `update entry set ${set} where id = $1`, params: [row.id, ...params] })
            const ofAccount = (set: string, ...params: unknown[]) =>
              byHand({
                sql: `update account set ${set} where name = $1`,
                params: [account, ...params],
              })
            const named = (number: bigint, fault: RegExp | string) => ({
              account,
              number,
              fault: expect.stringMatching(fault) as string,
            })
            const expected: ReturnType<typeof named>[] = []
            if (change === 'amount') {
              await update('amount = amount + $2', by)
              expected.push(
                named(
                  number,
                  `^entry ${number} \\(${row.id}\\) was changed: amount is ${row.amount + by}, and was ${row.amount}$`,
                ),
              )
            } else if (change === 'balance') {
              await update('balance_after = balance_after + $2', by)
              expected.push(
                named(
                  number,
                  `was changed: balanceAfter is ${row.balance_after + by}, and was ${row.balance_after}$`,
                ),
              )
            } else if (change === 'type') {
              const type = row.type === 'GRANT' ? 'TOP_UP' : 'GRANT'
              await update('type = $2', type)
              expected.push(named(number, `was changed: type is ${type}, and was ${row.type}$`))
            } else if (change === 'model') {
              await update('model_id = $2', 'another')
              expected.push(named(number, `^entry ${number} \\(${row.id}\\) was changed: `))
            } else if (change === 'cost') {
              await update('cost = coalesce(cost, 0) + $2', by)
              expected.push(named(number, `^entry ${number} \\(${row.id}\\) was changed: `))
            } else if (change === 'time') {
              await update(`created_at = created_at + interval '1 microsecond'`)
              expected.push(named(number, `^entry ${number} \\(${row.id}\\) was changed: `))
            } else if (change === 'hash') {
              await update(`hash = sha256('x'::bytea)`)
              const isLast = number === last
              expected.push(
                named(
                  number,
                  isLast
                    ? `^entry ${number} `
                    : `^the hash of entry ${number} was changed, its content was not$`,
                ),
              )
            } else if (change === 'delete') {
              await byHand({ sql: 'delete from entry where id = $1', params: [row.id] })
              expected.push(
                number === last
                  ? named(
                      0n,
                      `^${last} entries are counted, ${last - 1n} are there, the last is number ${last - 1n}$`,
                    )
                  : named(
                      number + 1n,
                      `^entry ${number} is missing, and entry ${number + 1n} cannot be verified$`,
                    ),
              )
            } else if (change === 'insert') {
              await byHand({
                sql: `insert into entry (id, account_id, number, amount, balance_after, type, created_at, hash)
                  select 'led_by_hand_' || $2::text, id, entries + 1, $2::bigint, balance + $2::bigint, 'GRANT', now(), decode(md5(random()::text) || md5(random()::text), 'hex') from account where name = $1`,
                params: [account, by],
              })
              await ofAccount('balance = balance + $2, entries = entries + 1', by)
              expected.push(named(last + 1n, `^entry ${last + 1n} `))
            } else if (change === 'swap') {
              const second = pickEntry(others, other)
              const move = (id: string, to: bigint) => ({
                sql: 'update entry set number = $2 where id = $1',
                params: [id, to],
              })
              await byHand(
                move(row.id, 1_000_000n),
                move(second.id, number),
                move(row.id, second.number),
              )
              expected.push(
                named(number, `was changed: it was entry ${second.number}$`),
                named(second.number, `was changed: it was entry ${number}$`),
              )
            } else if (change === 'account') {
              await ofAccount('balance = balance + $2', by)
              expected.push(
                named(
                  0n,
                  `^the balance is \\d+, its entries add up to ${(rows.at(-1) as EntryRow).balance_after}$`,
                ),
              )
            } else if (change === 'head') {
              await ofAccount(`head = sha256('x'::bytea)`)
              expected.push(named(0n, `^its hash is not that of entry ${last}$`))
            } else {
              // the end of the ledger with all that counts it: without an audit before, nobody
              // knows
              const before = rows.at(-2) as EntryRow
              await byHand({ sql: 'delete from entry where id = $1', params: [rows.at(-1)?.id] })
              await ofAccount(
                'balance = $2, entries = $3, head = $4, held = 0, diem_day = null',
                before.balance_after,
                before.number,
                before.hash,
              )
              if (isAudited)
                expected.push(
                  named(0n, `^${last} entries were audited, ${before.number} are counted$`),
                )
            }
            const found = (await audit.auditAll()).filter((one) => one.account === account)
            for (const fault of expected)
              expect(found).toContainEqual(expect.objectContaining(fault))
            if (expected.length === 0) expect(found).toEqual([])
            // and nothing is blamed that was not changed, but for what no hash before it proves
            const blamed = found.filter(
              (one) => one.number !== 0n && expected.every((each) => each.number !== one.number),
            )
            expect(blamed).toEqual([])
          },
        )
        .afterEach(async () => {
          for (const account of accounts.splice(0)) await remove(account)
        }),
      { numRuns: countRounds(40) },
    )
  })

  it('verifies a thousand entries in several steps', async () => {
    const account = 'key:long'
    await ledger.openKeyAccount(account, 1_000n)
    await byHand(
      {
        sql: `with a as (update account set balance = balance + 1100, entries = entries + 1100 where name = $1 returning id)
       insert into entry (id, account_id, number, amount, balance_after, type, created_at, hash)
       select 'led_long_' || n, id, n + 1, 1, 1000 + n, 'GRANT', now(), '' from a, generate_series(1, 1100) n`,
        params: [account],
      },
      ...chainAnew(account),
    )
    const audited = async () =>
      (await database.query('select number from audited_account'))[0]?.['number']
    const partly = createLedgerAudit(database, { now: () => now, entriesOfRound: 600 })
    expect(await partly.round(0)).toEqual([])
    expect(await audited()).toBe(1000n)
    expect(await audit.auditNew()).toEqual([])
    expect(await audited()).toBe(1101n)
    const rows = await listEntries(account)
    expect(rows.map(({ hash }) => toHex(hash))).toEqual(computeHashes(account, rows))
    await byHand({
      sql: `update entry set amount = 2 where id in ('led_long_499', 'led_long_500', 'led_long_1000')`,
    })
    const found = await ledger.audit()
    expect(
      found.filter(({ number }) => number > 0n).map(({ number, fault }) => [number, fault]),
    ).toEqual([
      [500n, 'entry 500 (led_long_499) was changed: amount is 2, and was 1'],
      [501n, 'entry 501 (led_long_500) was changed: amount is 2, and was 1'],
      [1001n, 'entry 1001 (led_long_1000) was changed: amount is 2, and was 1'],
    ])
    await remove(account)
  })

  it('resumes where the last round ended, finds an old entry that was changed, and reports it once', async () => {
    const account = 'key:rounds'
    await ledger.openKeyAccount(account, 1_000n)
    for (let count = 0; count < 8; count++) await ledger.grant(account, 1n)
    expect(await audit.round(0)).toEqual([])
    const audited = async () =>
      (await database.query('select number from audited_account'))[0]?.['number']
    // a statement reads up to 500 entries, whatever the bound of the round
    expect(await audited()).toBe(9n)
    expect(await audit.round(60_000)).toBeUndefined()
    await byHand({
      sql: `update entry set amount = 5 where number = 4 and account_id = (select id from account where name = $1)`,
      params: [account],
    })
    expect(await audit.auditNew()).toEqual([])
    expect(await audit.round(0)).toEqual([])
    now += 86_400_000
    const [one, ...others] = (await audit.round(0)) ?? []
    expect(one).toMatchObject({
      account,
      number: 4n,
      fault: expect.stringContaining('amount is 5, and was 1') as string,
    })
    expect(others).toEqual([])
    now += 86_400_000
    expect(await audit.round(0)).toEqual([])
    expect(await audit.countFaults()).toBe(1)
    now -= 2 * 86_400_000
    await remove(account)
  })
})
