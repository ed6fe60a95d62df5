import { countRounds } from '@farebox/testing/rounds'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { failure } from '../contract/failures.js'
import { createBazaar } from '../contract/x402-extensions.js'
import { createLedger, type Ledger } from '../domain/ledger/ledger.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import { paymentRails } from '../domain/payments/payment-rails.js'
import { localPayments } from '../domain/payments/local-payments.js'
import type { Database } from '../platform/database/database.js'
import { createBilling, holdLifetimeMs } from './billing.js'
import { HttpError } from './reply.js'
import type { RequestContext } from './request-context.js'

let database: Database
let now = Date.parse('2026-01-02T03:04:05Z')
let serial = 0
const createId = () => String(++serial).padStart(10, '0')
const readClock = () => now

beforeAll(async () => {
  database = await openEmptyDatabase()
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
  work: fc.constantFrom('works', 'works', 'fails', 'streams', 'streams', 'is left', 'breaks off'),
})

/** A parsed document, or one of the three ends of a stream. */
type Work = 'works' | 'fails' | 'streams' | 'is left' | 'breaks off'
type Purchase = { readonly key: string | undefined; readonly work: Work }

const chooseOperation = (work: Work) =>
  work === 'works' || work === 'fails' ? 'parseText' : 'createSpeech'
const price = 10_000n
/** Of a speech. A document has its fixed price. */
const quote = { most: price, least: price }
/** What a request costs of which half was made. */
const half = 5_000n
const keyed = ['k1', 'k2'].flatMap((key) =>
  ['parseText', 'createSpeech'].map((operation) => [key, operation]),
)
/**
 * What the client learns. `unknown`: something was lost on the way, and a charge may or may not
 * stand. `sent`: whether it or a request at the same time paid for the key.
 */
type Outcome =
  | 'paid'
  | 'half paid'
  | 'sent'
  | 'replayed'
  | 'known'
  | 'rejected'
  | 'failed'
  | 'unknown'
type SimulatedPurchase = Purchase & { readonly requestId: string; readonly outcome: Outcome }

/** One process: its statements wait for their turn, and after its end none runs. */
function startProcess(
  s: fc.Scheduler,
  statementOutcomes: readonly StatementOutcome[],
  diesAt: number,
) {
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
  const ledger = createLedger({ ...database, query }, { now: readClock, id: createId })
  const payments = localPayments({ payTo: paymentRails.evm.nobody, now: readClock })
  const offer = { payments, catalogue: contractCatalogue, bazaar: createBazaar({}) }
  const terms = {
    ...offer,
    origin: 'http://127.0.0.1',
    serviceName: 'Farebox',
    now: readClock,
    nonce: () => '0',
    paymentInfo: () => ({}),
  }
  return { billing: createBilling({ ledger, terms }), losses: () => losses }
}

/** Charges a document or a text, for 0.01 USD, as the operation runner does. */
async function buy(
  { billing, losses }: ReturnType<typeof startProcess>,
  account: string,
  { key, work }: Purchase,
): Promise<SimulatedPurchase> {
  const requestId = `req_${createId()}`
  const before = losses()
  const bought = (outcome: Outcome): SimulatedPurchase => ({ key, work, requestId, outcome })
  const requestContext: RequestContext = {
    requestId,
    callerId: account,
    caller: { kind: 'wallet', account, chain: 'evm' },
    rateTier: 'default',
  }
  // as for the processes of one key that do not know of each other
  const keyed =
    key === undefined ? undefined : { requestKey: { key, fingerprint: 'f' }, mayRepeat: true }
  try {
    const order = await billing.admit(
      chooseOperation(work),
      requestContext,
      { isRepeat: async () => key !== undefined },
      false,
    )
    await order.open(work === 'works' || work === 'fails' ? undefined : quote, keyed)
    try {
      if (work === 'fails' || work === 'breaks off')
        throw new HttpError(failure(400, 'No text.', 'NO_TEXT'))
      if (work === 'works') await order.capture(null)
      else {
        await order.announce()
        await order.captureSent(null, {
          owed: work === 'streams' ? price : half,
          isWhole: work === 'streams',
        })
      }
    } finally {
      await order.release()
    }
    if (requestContext.replayed === true) return bought('replayed')
    if (work === 'is left') return bought('half paid')
    return bought(work === 'streams' && key !== undefined ? 'sent' : 'paid')
  } catch (error) {
    if (losses() > before || error instanceof ConnectionLost) return bought('unknown')
    if (error instanceof HttpError)
      return bought(
        error.failure.status === 402
          ? 'rejected'
          : error.failure.status === 409
            ? 'known'
            : 'failed',
      )
    throw error
  }
}

/** Charges less refunds, by the request that they were for. */
async function sumCharges(ledger: Ledger, account: string): Promise<ReadonlyMap<string, bigint>> {
  const { entries } = await ledger.entries(account, { limit: 100, offset: 0 })
  const net = new Map<string, bigint>()
  for (const { amount, requestId } of entries) {
    if (requestId !== null) net.set(requestId, (net.get(requestId) ?? 0n) - amount)
  }
  return net
}

it('balances are exact in any order of statements, whatever is lost and whenever the process dies', async () => {
  const ledger = createLedger(database, { now: readClock, id: createId })
  const seen: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(purchase, { minLength: 2, maxLength: 5 }),
      fc.array(statementOutcome, { maxLength: 40 }),
      fc.option(fc.nat({ max: 20 }), { nil: Infinity }),
      fc.integer({ min: 1, max: 4 }),
      async (s, purchases, statementOutcomes, diesAt, affords) => {
        const account = `0xsim${createId()}`
        const nonce = createId()
        const payment = {
          id: nonce,
          network: 'n',
          asset: 'a',
          payer: account,
          nonce,
          settledBy: 't',
          transaction: '',
        }
        await ledger.creditPayment({ ...payment, amount: BigInt(affords) * price })

        const first = startProcess(s, statementOutcomes, diesAt)
        const bought = await s.waitFor(
          Promise.all(purchases.map((one) => buy(first, account, one))),
        )
        // another process starts, what was left behind is swept, and clients with a key ask again
        now += holdLifetimeMs + 1
        await ledger.releaseExpired()
        const second = startProcess(s, [], Infinity)
        const again = purchases
          .filter(({ key }) => key !== undefined)
          .map(({ key, work }) => ({
            key,
            work: chooseOperation(work) === 'parseText' ? ('works' as const) : ('streams' as const),
          }))
        bought.push(
          ...(await s.waitFor(Promise.all(again.map((one) => buy(second, account, one))))),
        )

        for (const { outcome } of bought) seen[outcome] = (seen[outcome] ?? 0) + 1
        const net = await sumCharges(ledger, account)
        const charges = [...net.values()].reduce((sum, amount) => sum + amount, 0n)
        expect(await ledger.balance(account)).toBe(BigInt(affords) * price - charges)
        for (const { requestId, work, outcome } of bought) {
          const amount = net.get(requestId) ?? 0n
          const due = work === 'is left' ? half : price
          if (outcome === 'unknown' || outcome === 'sent') expect([0n, due]).toContain(amount)
          else
            expect([outcome, amount]).toEqual([
              outcome,
              outcome === 'paid' || outcome === 'half paid' ? due : 0n,
            ])
        }
        for (const [key, operation] of keyed) {
          const own = bought.filter(
            (one) => one.key === key && chooseOperation(one.work) === operation,
          )
          const paid = own.filter(({ requestId }) => net.get(requestId) === price).length
          expect(paid).toBeLessThanOrEqual(1)
          // what was replayed was paid
          const certain = own.every(({ outcome }) => outcome !== 'unknown')
          if (certain && own.some(({ outcome }) => ['replayed', 'known', 'sent'].includes(outcome)))
            expect(paid).toBe(1)
        }
      },
    ),
    { numRuns: countRounds(500) },
  )
  expect(await ledger.audit()).toEqual([])
  // every outcome of a purchase occurred
  expect(Object.keys(seen).toSorted()).toEqual([
    'failed',
    'half paid',
    'known',
    'paid',
    'rejected',
    'replayed',
    'sent',
    'unknown',
  ])
})
