import { countRounds } from '@farebox/testing/rounds'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { setFrozen } from '../accounts/accounts.js'
import type { CorrectionResult } from './corrections.js'
import { createLedger, type Ledger } from './ledger.js'
import { openProcessLease, type ProcessLease } from './process-lease.js'

/** The ledger in arithmetic: the values that the SQL must reach, step by step. */
type Model = {
  isFrozen: boolean
  usd: bigint
  daily: bigint
  spent: { day: number; diem: bigint }
  keys: Readonly<Record<KeyName, { window: number; usd: bigint; diem: bigint }>>
  takings: {
    kind: 'charge' | 'hold' | 'done'
    id: string
    usd: bigint
    diem: bigint
    day: number
    keyDay: number
    at: number
  }[]
}

/** The parent made the child. */
type KeyName = 'child' | 'parent'
const dayMs = 86_400_000
const toDay = (time: number) => Math.floor(time / dayMs)
const toMonth = (day: number) =>
  Number(new Date(day * dayMs).toISOString().slice(0, 7).replace('-', ''))
const keyLimits = {
  child: { usd: 30n, diem: 20n, period: 'EPOCH', toWindow: (day: number) => day },
  parent: { usd: 45n, diem: 30n, period: 'MONTH', toWindow: toMonth },
} as const
/** Whose limits hold for a purchase with this key. */
const lineage = { child: ['child', 'parent'], parent: ['parent'] } as const
const holdMs = 3 * dayMs

const amount = fc.bigInt({ min: 1n, max: 30n })
const keyed = fc.constantFrom<(KeyName | undefined)[]>(undefined, 'child', 'child', 'parent')
const step = fc.oneof(
  fc.record({ kind: fc.constant('grant'), amount }),
  fc.record({ kind: fc.constant('daily'), amount }),
  fc.record({ kind: fc.constant('debit'), amount }),
  fc.record({ kind: fc.constant('freeze'), isFrozen: fc.boolean() }),
  fc.record({
    kind: fc.constant('refund a part'),
    which: fc.nat(9),
    percent: fc.integer({ min: 1, max: 130 }),
  }),
  fc.record({ kind: fc.constant('hold'), amount, keyed }),
  fc.record({
    kind: fc.constant('hold at once'),
    purchases: fc.array(fc.record({ amount, keyed }), { minLength: 2, maxLength: 8 }),
  }),
  fc.record({
    kind: fc.constant('end at once'),
    endings: fc.uniqueArray(
      fc.record({
        which: fc.nat(15),
        part: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
        idempotent: fc.boolean(),
      }),
      { minLength: 2, maxLength: 8, selector: ({ which }) => which },
    ),
  }),
  fc.record({
    kind: fc.constant('capture'),
    which: fc.nat(9),
    part: fc.integer({ min: 1, max: 100 }),
  }),
  fc.record({ kind: fc.constantFrom('release', 'refund'), which: fc.nat(9) }),
  // the process dies, and its lease ends
  fc.record({ kind: fc.constant('death'), dies: fc.constant(true) }),
  fc.record({ kind: fc.constant('time'), hours: fc.constantFrom(1, 6, 24) }),
)

const findLeast = (...values: bigint[]) =>
  values.reduce((one, other) => (other < one ? other : one))
const clampToZero = (value: bigint) => (value < 0n ? 0n : value)

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let ledger: Ledger
  let lease: ProcessLease
  let close: () => Promise<void>
  let now = Date.parse('2026-01-30T12:00:00Z')
  let serial = 0

  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, {
      now: () => now,
      id: () => String(++serial).padStart(8, '0'),
      processId: 'process',
    })
    lease = await openProcessLease(database, 'process', false)
  })
  afterAll(() => close())

  const newKey = () => ({ operation: 'o', key: `k${++serial}`, fingerprint: 'f' })
  const makeKey = async (account: string, name: KeyName, ancestors: readonly string[]) => {
    const { usd, diem, period } = keyLimits[name]
    const [key] = await database.query<{ id: string }>(
      `insert into api_key (id, account_id, type, secret_hash, description, limit_usd, limit_diem, limit_period, ancestors, created_at)
       select gen_random_uuid(), id, 'ADMIN', $2, '', $3, $4, $5, $6::uuid[], now() from account where name = $1 returning id`,
      [account, `${name} of ${account}`, usd, diem, period, `{${ancestors.join()}}`],
    )
    return key?.id ?? ''
  }

  it('the ledger agrees with arithmetic after every step of any history', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.nat(),
        async (steps, run) => {
          const account = `key:model-${run}-${++serial}`
          await ledger.openKeyAccount(account, 50n)
          const keyIds = { parent: await makeKey(account, 'parent', []), child: '' }
          keyIds.child = await makeKey(account, 'child', [keyIds.parent])
          const model: Model = {
            isFrozen: false,
            usd: 50n,
            daily: 0n,
            spent: { day: 0, diem: 0n },
            keys: {
              child: { window: 0, usd: 0n, diem: 0n },
              parent: { window: 0, usd: 0n, diem: 0n },
            },
            takings: [],
          }
          const keyed = new Map<string, KeyName>()

          for (const one of steps) {
            const day = toDay(now)
            /** What was captured of a hold is a charge from now on, which can be refunded. */
            const charged = (taking: Model['takings'][number], result: unknown) => {
              if (typeof result !== 'object' || result === null || !('entryId' in result)) return
              const name = keyed.get(taking.id)
              Object.assign(taking, { kind: 'charge', id: result.entryId, keyDay: day })
              if (name) keyed.set(taking.id, name)
            }
            const correction = { actor: 'an operator', reason: 'why', key: `c${++serial}` }
            /** It is asked for twice, and done once. */
            const correctTwice = async (correct: () => Promise<CorrectionResult>) => {
              const [first, second] = await Promise.all([correct(), correct()])
              const { status } = first.status === 'repeated' ? second : first
              if (status === 'done')
                expect([first.status, second.status].toSorted()).toEqual(['done', 'repeated'])
              else expect(second).toEqual(first)
              return first.status === 'too much' ? { status, left: first.left } : { status }
            }
            if ('isFrozen' in one) {
              await setFrozen(database, account, one.isFrozen ? correction : null, now)
              model.isFrozen = one.isFrozen
            } else if ('percent' in one) {
              const taking = model.takings[one.which]
              if (taking === undefined) continue
              const left = taking.usd + taking.diem
              const part = (left * BigInt(one.percent)) / 100n
              if (part === 0n) continue
              const result = await correctTwice(() =>
                ledger.refundCharge(taking.id, part, correction),
              )
              if (taking.kind === 'charge') {
                expect(result).toEqual(
                  part > left ? { status: 'too much', left } : { status: 'done' },
                )
                if (part > left) continue
                endHold(model, keyed, taking, left - part)
                if (part < left) taking.kind = 'charge'
              } else if (taking.kind === 'hold') expect(result).toEqual({ status: 'unknown' })
            } else if (one.kind === 'debit') {
              const isLess = one.amount <= model.usd
              expect(
                await correctTwice(() => ledger.debit(account, one.amount, correction)),
              ).toEqual(isLess ? { status: 'done' } : { status: 'too much', left: model.usd })
              if (isLess) model.usd -= one.amount
            } else if (one.kind === 'grant') {
              await correctTwice(() => ledger.grant(account, one.amount, correction))
              model.usd += one.amount
            } else if (one.kind === 'daily') {
              await ledger.setDailyCredit(account, one.amount)
              model.daily = one.amount
            } else if ('hours' in one) {
              now += one.hours * 3_600_000
              await ledger.releaseExpired()
              for (const taking of model.takings)
                if (taking.kind === 'hold' && taking.at + holdMs <= now)
                  endHold(model, keyed, taking, 0n)
            } else if ('dies' in one) {
              await lease.end()
              await ledger.releaseExpired()
              await lease.renew()
              for (const taking of model.takings)
                if (taking.kind === 'hold') endHold(model, keyed, taking, 0n)
            } else if ('purchases' in one) {
              const results = await Promise.all(
                one.purchases.map(async (rest) => {
                  const keyId = rest.keyed && { keyId: keyIds[rest.keyed] }
                  const purchase = {
                    account,
                    amount: rest.amount,
                    requestId: 'r',
                    modelId: null,
                    ...keyId,
                  }
                  return { ...rest, result: await ledger.hold(purchase, holdMs) }
                }),
              )
              // they came in some order, which the USD that each left tells: of those that left as
              // much, all but the first spent the day's credit alone
              const taken = results.flatMap(({ result, ...rest }) => {
                return result.status === 'held'
                  ? { ...rest, id: result.id, balance: result.balance }
                  : []
              })
              const rows = await database.query<{ id: string; usd: bigint; diem: bigint }>(
                `select id, usd, diem from hold where id = any ($1::text[])`,
                [taken.map(({ id }) => id)],
              )
              const parts = new Map(rows.map(({ id, usd, diem }) => [id, { usd, diem }]))
              for (const { id, amount, keyed: isKeyed } of taken.toSorted(
                (a, b) => Number(b.balance) - Number(a.balance),
              )) {
                const part = take(model, amount, isKeyed, day)
                expect(part).toEqual(parts.get(id))
                if (isKeyed) keyed.set(id, isKeyed)
                if (part)
                  model.takings.push({ kind: 'hold', id, ...part, day, keyDay: day, at: now })
              }
              // what is left only shrinks meanwhile, so that what was rejected once is rejected
              // last
              for (const { amount, keyed: isKeyed, result } of results) {
                if (result.status === 'insufficient')
                  expect(take(model, amount, isKeyed, day)).toBeUndefined()
              }
            } else if ('endings' in one) {
              const asked = one.endings.flatMap(({ which, ...rest }) => {
                const taking = model.takings[which]
                return taking
                  ? {
                      ...rest,
                      taking,
                      amount: ((taking.usd + taking.diem) * BigInt(rest.part ?? 0)) / 100n,
                    }
                  : []
              })
              // each is asked for twice
              const results = await Promise.all(
                asked.map(({ part, taking: { id }, amount, idempotent }) => {
                  const idempotency = idempotent ? newKey() : undefined
                  const endHold = () =>
                    part === undefined
                      ? ledger.release(id)
                      : ledger.capture(id, amount, null, idempotency)
                  return Promise.all([endHold(), endHold()])
                }),
              )
              for (const [place, { part, taking, amount }] of asked.entries()) {
                const isHeld = taking.kind === 'hold'
                const first =
                  part === undefined ? isHeld : isHeld && amount > 0n ? 'captured' : 'ended'
                const told = results[place]?.map((result) =>
                  typeof result === 'boolean' ? result : result.status,
                )
                expect(told).toEqual([first, part === undefined ? false : 'ended'])
                if (isHeld) endHold(model, keyed, taking, amount)
                charged(taking, results[place]?.[0])
              }
            } else if ('keyed' in one) {
              const purchase = {
                account,
                amount: one.amount,
                requestId: 'r',
                modelId: null,
                ...(one.keyed && { keyId: keyIds[one.keyed] }),
              }
              const result = await ledger.hold(purchase, holdMs)
              const parts = take(model, one.amount, one.keyed, day)
              expect(result.status).toBe(parts === undefined ? 'insufficient' : 'held')
              if (parts) {
                const id = 'id' in result ? result.id : ''
                if (one.keyed) keyed.set(id, one.keyed)
                model.takings.push({ kind: 'hold', id, ...parts, day, keyDay: day, at: now })
              }
            } else {
              const taking = model.takings[one.which]
              if (taking === undefined) continue
              if (one.kind === 'refund') {
                expect(await ledger.refund(taking.id)).toBe(taking.kind === 'charge')
                if (taking.kind === 'charge') endHold(model, keyed, taking, 0n)
              } else if (one.kind === 'release') {
                expect(await ledger.release(taking.id)).toBe(taking.kind === 'hold')
                if (taking.kind === 'hold') endHold(model, keyed, taking, 0n)
              } else if ('part' in one) {
                const part = ((taking.usd + taking.diem) * BigInt(one.part)) / 100n
                const isHeld = taking.kind === 'hold'
                const result = await ledger.capture(taking.id, part)
                expect(result.status).toBe(isHeld && part > 0n ? 'captured' : 'ended')
                if (isHeld) endHold(model, keyed, taking, part)
                charged(taking, result)
              }
            }
            const diem = clampToZero(
              model.daily - (model.spent.day === toDay(now) ? model.spent.diem : 0n),
            )
            expect(
              await ledger.spendable(account),
              JSON.stringify(one, (_, value: unknown) =>
                typeof value === 'bigint' ? String(value) : value,
              ),
            ).toEqual({
              usd: model.usd,
              diem,
              diemDaily: model.daily,
              isFrozen: model.isFrozen,
            })
          }
          expect(await ledger.audit()).toEqual([])
        },
      ),
      { numRuns: countRounds(40) },
    )
  })
})

/** Daily credit first, as far as keys and day leave any; the rest in USD, or nothing at all. */
function take(
  model: Model,
  price: bigint,
  keyed: KeyName | undefined,
  day: number,
): { usd: bigint; diem: bigint } | undefined {
  if (model.isFrozen) return undefined
  const left = clampToZero(model.daily - (model.spent.day === day ? model.spent.diem : 0n))
  const counted = (keyed === undefined ? [] : lineage[keyed]).map((name) => {
    const { usd, diem, toWindow } = keyLimits[name]
    const key = model.keys[name]
    if (key.window !== toWindow(day))
      Object.assign(key, { window: toWindow(day), usd: 0n, diem: 0n })
    return { key, usd: clampToZero(usd - key.usd), diem: clampToZero(diem - key.diem) }
  })
  const diem = findLeast(price, left, ...counted.map((one) => one.diem))
  const usd = price - diem
  if (findLeast(model.usd, ...counted.map((one) => one.usd)) < usd) return undefined
  model.usd -= usd
  model.spent = { day, diem: (model.spent.day === day ? model.spent.diem : 0n) + diem }
  for (const { key } of counted) {
    key.usd += usd
    key.diem += diem
  }
  return { usd, diem }
}

/** Keeps `part` of what was taken, of the daily credit first, and gives the rest back. */
function endHold(
  model: Model,
  keyed: ReadonlyMap<string, KeyName>,
  taking: Model['takings'][number],
  part: bigint,
): void {
  const diem = taking.diem - findLeast(taking.diem, part)
  const usd = taking.usd - (part - findLeast(taking.diem, part))
  model.usd += usd
  if (model.spent.day === taking.day) model.spent.diem -= diem
  const name = keyed.get(taking.id)
  for (const one of name === undefined ? [] : lineage[name]) {
    const key = model.keys[one]
    if (key.window !== keyLimits[one].toWindow(taking.keyDay)) continue
    key.usd = clampToZero(key.usd - usd)
    key.diem = clampToZero(key.diem - diem)
  }
  Object.assign(taking, { kind: 'done', usd: taking.usd - usd, diem: taking.diem - diem })
}
