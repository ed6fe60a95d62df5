import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call, Send } from '@farebox/middleware'
import { createPaymentRequired, topUpOffer } from '@farebox/testing/top-up-offer'
import { countRounds } from '@farebox/testing/rounds'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeJsonHeader } from './encoding.js'
import { memoryPaymentStore, type PaymentStore } from './payment/payment-store.js'
import { folderPaymentStore } from './node/folder-payment-store.js'
import { pay } from './payment/pay.js'
import { PaymentError } from './errors.js'
import { privateKeySigner } from './keys.js'
import { decodePaymentHeader } from './verify.js'
import { readRecords } from '../test/store-contract.js'

const origin = 'https://api.example'
const start = Date.UTC(2026, 5, 30, 12)
const signer = privateKeySigner(`0x${'11'.repeat(32)}`)
const call: Call = { url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() }
const home = mkdtempSync(join(tmpdir(), 'farebox-exposure-'))
afterAll(() => rmSync(home, { recursive: true }))

type Reply = () => Response
const lost: Reply = () => {
  throw new TypeError('fetch failed')
}
const json =
  (status: number, body: object | null = null, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(body && JSON.stringify(body), { status, headers })
const createReceipt = (content: object) => ({
  'payment-response': encodeJsonHeader({ network: topUpOffer.network, ...content }),
})
const settlement = { success: true, transaction: '0x1', payer: signer.address }

const usedNonce = json(402, { error: 'invalid_exact_evm_nonce_already_used' })

/** Responses of a service that can still settle the payment. */
const ambiguousReplies: Record<string, Reply> = {
  'no response': lost,
  'a 402 with the offers': json(402, null, createPaymentRequired()),
  'a bare 402': json(402),
  'a 402 for insufficient funds': json(402, { error: 'insufficient_funds' }),
  'a 402 with a used nonce': usedNonce,
  'a 402 with an expired authorization': json(402, {
    error: 'invalid_exact_evm_payload_authorization_valid_before',
  }),
  'a 402 with a failed simulation': json(402, {
    error: 'invalid_exact_evm_transaction_simulation_failed',
  }),
  'a 402 with a sentence': json(402, { error: 'the payment is invalid_payload or so' }),
  'a 402 with a failed settlement': json(402, null, createReceipt({ success: false })),
  'a 402 with a failed settlement that names a transaction': json(
    402,
    null,
    createReceipt({ success: false, errorReason: 'invalid_payload', transaction: '0x1' }),
  ),
  'a 402 with a settlement': json(402, { error: 'invalid_payload' }, createReceipt(settlement)),
  'a 400': json(400),
  'a 401': json(401),
  'a 403': json(403, { error: 'Forbidden' }),
  'a 404': json(404),
  'a 408': json(408),
  'a 409': json(409, { error: 'invalid_payload' }),
  'a 429': json(429, { error: 'invalid_payload' }),
  'a 500': json(500, { error: 'invalid_payload' }),
  'a 504': json(504),
  'a redirect to another origin': json(307, null, { location: 'https://evil.example/' }),
  'a redirect to itself': json(302, null, { location: call.url }),
  'a 200 with a failed settlement': json(200, {}, createReceipt({ success: false })),
  'a 200 with a settlement of another wallet': json(
    200,
    {},
    createReceipt({ ...settlement, payer: topUpOffer.payTo }),
  ),
  'a 200 with a settlement on another network': json(
    200,
    {},
    createReceipt({ ...settlement, network: 'eip155:84532' }),
  ),
  'a 500 with a settlement of another amount': json(
    500,
    {},
    createReceipt({ ...settlement, amount: '1' }),
  ),
}

/** Responses that prove that the payment was not submitted. */
const proofs: Record<string, Reply> = {
  'a 402 with the fault that a verifier found': json(402, {
    error: 'invalid_exact_evm_payload_recipient_mismatch',
  }),
  'a 402 with it in the header of the offers': json(402, null, {
    'payment-required': encodeJsonHeader({
      x402Version: 2,
      error: 'invalid_payload',
      accepts: [topUpOffer],
    }),
  }),
  'a 200 with it in its settlement': json(
    200,
    {},
    createReceipt({ success: false, errorReason: 'invalid_scheme', transaction: '' }),
  ),
  'a 400 with the code of our service': json(400, {
    error: 'AMOUNT_TOO_HIGH',
    message: 'At most 10,000 USD',
  }),
  'a 400 with it in its details': json(400, {
    error: 'PAYMENT_VERIFICATION_FAILED',
    details: { reason: 'invalid_exact_evm_payload_signature' },
  }),
}

/** A service that keeps every payment, and could settle one of each nonce. */
function createService(reply: (nonce: string) => Response, changes: () => object = () => ({})) {
  const payments = new Map<string, Set<string>>()
  const clock = { now: start }
  const send: Send = async ({ headers }) => {
    const header = headers.get('payment-signature')
    if (header === null) {
      const document = { x402Version: 2, accepts: [{ ...topUpOffer, ...changes() }] }
      return new Response(null, {
        status: 402,
        headers: { 'payment-required': encodeJsonHeader(document) },
      })
    }
    const { payload } = decodePaymentHeader(header) as unknown as {
      payload: { authorization: { nonce: string } }
    }
    const { nonce } = payload.authorization
    payments.set(nonce, (payments.get(nonce) ?? new Set()).add(header))
    return reply(nonce)
  }
  /** How many different payments it has for each nonce. */
  const counts = () => [...payments.values()].map(({ size }) => size)
  const payer = (store: PaymentStore) => {
    const payment = pay(signer, {
      origin,
      maxUsdPerPayment: Infinity,
      maxUsdPerDay: Infinity,
      store,
      now: () => clock.now,
      wait: async () => {},
      random: (bytes) => crypto.getRandomValues(bytes),
    })(send)
    return async () =>
      payment(call).then(
        ({ status }) => status,
        (error: unknown) => (error instanceof PaymentError ? error.outcome : error),
      )
  }
  return { counts, clock, payer }
}

/** Purchases in sequence or in parallel. Each folder store stands for a separate process. */
const scenarios: Record<
  string,
  (payer: (store: PaymentStore) => () => Promise<unknown>, folder: string) => Promise<unknown>
> = {
  'called three times': async (payer) => {
    const payment = payer(memoryPaymentStore())
    for (let n = 0; n < 3; n++) await payment()
  },
  'called twice at once': async (payer) => {
    const payment = payer(memoryPaymentStore())
    await Promise.all([payment(), payment()])
  },
  'called by two processes': async (payer, folder) => {
    const [one, other] = [payer(folderPaymentStore(folder)), payer(folderPaymentStore(folder))]
    await Promise.all([one(), other()])
    await Promise.all([one(), other()])
  },
  'called again after a restart': async (payer, folder) => {
    await payer(folderPaymentStore(folder))()
    await payer(folderPaymentStore(folder))()
  },
}

describe('a response that proves nothing leaves one payment that may be settled', () => {
  for (const [name, reply] of Object.entries(ambiguousReplies)) {
    it(name, async () => {
      for (const [scenario, purchases] of Object.entries(scenarios)) {
        const { counts, payer } = createService(reply)
        await purchases(payer, mkdtempSync(join(home, 'store-')))
        expect([scenario, counts()]).toEqual([scenario, [1]])
      }
    })
  }

  it.each(Object.entries(ambiguousReplies))(
    'once that has expired, its nonce is signed again, unless it was used: %s',
    async (name, reply) => {
      const { counts, clock, payer } = createService(reply)
      const payment = payer(memoryPaymentStore())
      const first = await payment()
      expect(first === 429 || first === 'unknown').toBe(true)
      clock.now += 359_999
      await payment()
      expect(counts()).toEqual([1])
      clock.now += 1
      await payment()
      expect(counts()).toEqual(name === 'a 402 with a used nonce' ? [1, 1] : [2])
      clock.now += 86_400_000
      await payment()
      expect(counts()).toHaveLength(name === 'a 402 with a used nonce' ? 3 : 2)
    },
  )
})

describe.each(Object.entries(proofs))('after %s', (_name, reply) => {
  it('the same nonce is signed again', async () => {
    const { counts, clock, payer } = createService(reply)
    const payment = payer(memoryPaymentStore())
    expect(['not_paid', 400]).toContain(await payment())
    clock.now += 1000
    expect(['not_paid', 400]).toContain(await payment())
    expect(counts()).toEqual([2])
  })

  it('another payee or amount is signed only once the earlier payment has expired', async () => {
    for (const change of [{ amount: '6000000' }, { payTo: `0x${'2'.repeat(40)}` }]) {
      let offered = {}
      const { counts, clock, payer } = createService(reply, () => offered)
      const store = memoryPaymentStore()
      await payer(store)()
      offered = change
      clock.now += 359_999
      expect(await payer(store)()).toBe('not_paid')
      expect(counts()).toEqual([1])
      clock.now += 1
      await payer(store)()
      expect(counts()).toEqual([2])
    }
  })
})

it('a proof after a lost response proves nothing: the settlement itself may cause it', async () => {
  const replies = [lost, ...Object.values(proofs)]
  const { payer, counts } = createService(() => (replies.shift() ?? lost)())
  const payment = payer(memoryPaymentStore())
  for (let n = 0; n < Object.keys(proofs).length; n++) expect(await payment()).toBe('unknown')
  expect(counts()).toEqual([1])
})

it('the daily cap counts the largest payment of each nonce', async () => {
  let amount = '5000000'
  const { clock, payer } = createService(lost, () => ({ amount }))
  const store = memoryPaymentStore()
  await payer(store)()
  for (const [next, exposure] of [
    ['8000000', '8000000'],
    ['6000000', '8000000'],
  ] as const) {
    amount = next
    clock.now += 360_000
    await payer(store)()
    expect(await readRecords(store)).toMatchObject([
      { amount, exposure, purpose: 'POST /api/v1/x402/top-up' },
    ])
  }
})

it('a service has one nonce more than it settled, whatever it responds and offers, however many are requested, and wherever the clock goes', async () => {
  const responses = fc.constantFrom(
    ...Object.values(ambiguousReplies).map((reply) => ({ isEnd: reply === usedNonce, reply })),
    ...Object.values(proofs).map((reply) => ({ isEnd: false, reply })),
    { isEnd: true, reply: json(200, {}, createReceipt(settlement)) },
    { isEnd: true, reply: json(200, {}) },
    { isEnd: true, reply: json(400, {}, createReceipt(settlement)) },
  )
  const step = fc.record({
    /** The processes that buy at the same time. */
    payers: fc.array(fc.constantFrom(0, 1, 2), { minLength: 1, maxLength: 4 }),
    restarts: fc.boolean(),
    passes: fc.constantFrom(0, 1000, 200_000, 400_000, 7_200_000, -7_200_000),
    change: fc.constantFrom({}, {}, { amount: '6000000' }, { payTo: `0x${'2'.repeat(40)}` }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(responses, { minLength: 1, maxLength: 12 }),
      fc.array(step, { maxLength: 8 }),
      async (script, steps) => {
        let at = 0
        let offered = {}
        const ended = new Set<string>()
        const { counts, clock, payer } = createService(
          (nonce) => {
            const { isEnd, reply } = script[at++ % script.length] ?? { isEnd: false, reply: lost }
            expect(counts().length).toBeLessThanOrEqual(ended.size + 1)
            if (isEnd) ended.add(nonce)
            return reply()
          },
          () => offered,
        )
        const { update } = memoryPaymentStore()
        let processes = [0, 1, 2].map(() => payer({ update }))
        for (const { payers, restarts, passes, change } of steps) {
          if (restarts) processes = processes.map(() => payer({ update }))
          offered = change
          await Promise.all(payers.map((one) => processes[one]?.()))
          clock.now += passes
        }
        expect(counts().length).toBeLessThanOrEqual(ended.size + 1)
      },
    ),
    { numRuns: countRounds(150) },
  )
})
