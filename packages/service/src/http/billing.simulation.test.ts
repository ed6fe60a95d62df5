import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPglite } from '../platform/database/pglite.js'
import type { Database } from '../platform/database/database.js'
import { migrate } from '../platform/database/migrate.js'
import { createLedger, type Ledger } from '../domain/ledger/ledger.js'
import { nobody } from '../domain/payments/evm-payments.js'
import { localPayments } from '../domain/payments/local-payments.js'
import { createBilling, holdLifetimeMs } from './billing.js'
import type { RequestContext } from './request-context.js'
import { failure } from '../contract/failures.js'
import { HttpError } from './http-error.js'

/** RUNS=100000 for a night. */
const histories = Number(process.env['RUNS'] ?? 500)

let database: Database
let now = Date.parse('2026-01-02T03:04:05Z')
let serial = 0
const id = () => String(++serial).padStart(10, '0')
const clock = () => now

beforeAll(async () => {
  database = await openPglite()
  await migrate(database)
})
afterAll(() => database.close())

/** Outcome of one statement: it runs, or the connection is lost before or after it ran. */
type StatementOutcome = 'runs' | 'lost before' | 'lost after'
class ConnectionLost extends Error {}

const statementOutcome = fc.oneof(
  { weight: 12, arbitrary: fc.constant<StatementOutcome>('runs') },
  { weight: 1, arbitrary: fc.constantFrom<StatementOutcome[]>('lost before', 'lost after') },
)
const purchase = fc.record({
  key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
  work: fc.constantFrom('works', 'works', 'works', 'fails', 'breaks off'),
})

type Purchase = { readonly key: string | undefined; readonly work: string }
/**
 * What the client learns. `unknown`: something was lost on the way, and a charge may or may not
 * stand.
 */
type Outcome = 'paid' | 'replayed' | 'refused' | 'failed' | 'cut' | 'unknown'
type Bought = Purchase & { readonly requestId: string; readonly outcome: Outcome }

/** One process: its statements wait for their turn, and after its end none runs. */
function processOf(s: fc.Scheduler, statementOutcomes: readonly StatementOutcome[], diesAt: number) {
  let statements = 0
  let losses = 0
  const query: Database['query'] = async (sql, params) => {
    const index = statements++
    const what = index >= diesAt ? 'lost before' : (statementOutcomes[index] ?? 'runs')
    if (what !== 'runs') losses++
    await s.schedule(Promise.resolve(), `${index} ${what}`)
    if (what === 'lost before') throw new ConnectionLost()
    const rows = await database.query(sql, params)
    if (what === 'lost after') throw new ConnectionLost()
    return rows as never
  }
  const ledger = createLedger({ ...database, query }, { now: clock, id })
  const payments = localPayments({ payTo: nobody, now: clock })
  const terms = { payments, origin: 'http://127.0.0.1', serviceName: 'Farebox', now: clock, nonce: () => '0' }
  return { billing: createBilling({ ledger, terms }), losses: () => losses }
}

/** Charges a parsed document, for 0.01 USD, as the operation runner does. */
async function buy({ billing, losses }: ReturnType<typeof processOf>, account: string, { key, work }: Purchase): Promise<Bought> {
  const requestId = `req_${id()}`
  const before = losses()
  const bought = (outcome: Outcome): Bought => ({ key, work, requestId, outcome })
  const requestContext: RequestContext = {
    requestId,
    callerId: account,
    caller: { kind: 'wallet', account, chain: 'evm' },
    rateTier: 'default',
  }
  const request = new Request('http://127.0.0.1/', { method: 'POST', headers: key === undefined ? {} : { 'idempotency-key': key } })
  try {
    const order = await billing.admit('parseText', request, requestContext)
    await order.open({ file: new Uint8Array(1) })
    try {
      if (work === 'fails') throw new HttpError(failure(400, 'No text.', 'NO_TEXT'))
      await order.capture(null)
    } catch (error) {
      await order.release()
      throw error
    }
    if (work === 'breaks off') {
      await order.refund()
      return bought('cut')
    }
    return bought(requestContext.replayed === true ? 'replayed' : 'paid')
  } catch (error) {
    if (losses() > before || error instanceof ConnectionLost) return bought('unknown')
    if (error instanceof HttpError) return bought(error.failure.status === 402 ? 'refused' : 'failed')
    throw error
  }
}

/** Charges less refunds, by the request that they were for. */
async function standing(ledger: Ledger, account: string): Promise<ReadonlyMap<string, number>> {
  const { entries } = await ledger.entries(account, { limit: 100, offset: 0 })
  const net = new Map<string, number>()
  for (const { type, requestId } of entries) {
    if (requestId !== null) net.set(requestId, (net.get(requestId) ?? 0) + (type === 'CHARGE' ? 1 : -1))
  }
  return net
}

it('sums are exact in any order of statements, whatever is lost and whenever the process dies', async () => {
  const ledger = createLedger(database, { now: clock, id })
  const seen: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(purchase, { minLength: 2, maxLength: 5 }),
      fc.array(statementOutcome, { maxLength: 40 }),
      fc.option(fc.nat({ max: 20 }), { nil: Infinity }),
      fc.integer({ min: 1, max: 4 }),
      async (s, purchases, statementOutcomes, diesAt, affords) => {
        const account = `0xsim${id()}`
        const nonce = id()
        const payment = { id: nonce, network: 'n', asset: 'a', payer: account, nonce, settledBy: 't', transaction: '' }
        await ledger.creditPayment({ ...payment, amount: BigInt(affords) * 10_000n })

        const first = processOf(s, statementOutcomes, diesAt)
        const bought = await s.waitFor(Promise.all(purchases.map((one) => buy(first, account, one))))
        // another process starts, what was left behind is swept, and clients with a key ask again
        now += holdLifetimeMs + 1
        await ledger.releaseExpired()
        const second = processOf(s, [], Infinity)
        const again = purchases.filter(({ key }) => key !== undefined).map((one) => ({ ...one, work: 'works' }))
        bought.push(...(await s.waitFor(Promise.all(again.map((one) => buy(second, account, one))))))

        for (const { outcome } of bought) seen[outcome] = (seen[outcome] ?? 0) + 1
        const net = await standing(ledger, account)
        const charges = [...net.values()].reduce((sum, count) => sum + count, 0)
        expect(await ledger.balance(account)).toBe(BigInt(affords - charges) * 10_000n)
        for (const { requestId, outcome } of bought) {
          const count = net.get(requestId) ?? 0
          if (outcome === 'unknown') expect([0, 1]).toContain(count)
          // a replay's work may be cut, and the charge of the first one stands
          else expect([outcome, count]).toEqual([outcome, outcome === 'paid' ? 1 : 0])
        }
        for (const key of ['k1', 'k2']) {
          const own = bought.filter((one) => one.key === key)
          const paid = own.reduce((sum, { requestId }) => sum + (net.get(requestId) ?? 0), 0)
          expect(paid).toBeLessThanOrEqual(1)
          // what was replayed was paid, unless what it repeats was given back since
          const certain = own.every(({ outcome }) => outcome !== 'cut' && outcome !== 'unknown')
          if (certain && own.some(({ outcome }) => outcome === 'replayed')) expect(paid).toBe(1)
        }
      },
    ),
    { numRuns: histories },
  )
  expect(await ledger.audit()).toEqual([])
  // every outcome of a purchase occurred
  expect(Object.keys(seen).toSorted()).toEqual(['cut', 'failed', 'paid', 'refused', 'replayed', 'unknown'])
})
