import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call, Send } from '@farebox/middleware'
import { paymentRequired, topUpOffer } from '@farebox/testing/top-up-offer'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeJsonHeader } from './encoding.js'
import { memoryPaymentStore, type PaymentStore } from './payment/payment-store.js'
import { folderPaymentStore } from './node/folder-payment-store.js'
import { pay } from './payment/pay.js'
import { PaymentError } from './payment/payment-error.js'
import { privateKeySigner } from './signers/private-key-signer.js'
import { decodePaymentHeader } from './verify.js'

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
const receipt = (content: object) => ({
  'payment-response': encodeJsonHeader({ network: topUpOffer.network, ...content }),
})
const settlement = { success: true, transaction: '0x1', payer: signer.address }

/** Responses of a service that can still settle the payment. */
const ambiguousReplies: Record<string, Reply> = {
  'no response': lost,
  'a 402 with the offers': json(402, null, paymentRequired()),
  'a bare 402': json(402),
  'a 402 for insufficient funds': json(402, { error: 'insufficient_funds' }),
  'a 402 with a used nonce': json(402, { error: 'invalid_exact_evm_nonce_already_used' }),
  'a 402 with an expired authorization': json(402, {
    error: 'invalid_exact_evm_payload_authorization_valid_before',
  }),
  'a 402 with a failed simulation': json(402, {
    error: 'invalid_exact_evm_transaction_simulation_failed',
  }),
  'a 402 with a sentence': json(402, { error: 'the payment is invalid_payload or so' }),
  'a 402 with a failed settlement': json(402, null, receipt({ success: false })),
  'a 402 with a failed settlement that names a transaction': json(
    402,
    null,
    receipt({ success: false, errorReason: 'invalid_payload', transaction: '0x1' }),
  ),
  'a 402 with a settlement': json(402, { error: 'invalid_payload' }, receipt(settlement)),
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
  'a 200 with a failed settlement': json(200, {}, receipt({ success: false })),
  'a 200 with a settlement of another wallet': json(
    200,
    {},
    receipt({ ...settlement, payer: topUpOffer.payTo }),
  ),
  'a 200 with a settlement on another network': json(
    200,
    {},
    receipt({ ...settlement, network: 'eip155:84532' }),
  ),
  'a 500 with a settlement of another amount': json(
    500,
    {},
    receipt({ ...settlement, amount: '1' }),
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
    receipt({ success: false, errorReason: 'invalid_scheme', transaction: '' }),
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

/** A service that tracks which signatures it could still settle. */
function service(reply: (nonce: string) => Response) {
  const signatures = new Map<string, number>()
  const clock = { now: start }
  const send: Send = async ({ headers }) => {
    const header = headers.get('payment-signature')
    if (header === null) return new Response(null, { status: 402, headers: paymentRequired() })
    const { payload } = decodePaymentHeader(header) as unknown as {
      payload: { authorization: { nonce: string; validBefore: string } }
    }
    signatures.set(payload.authorization.nonce, Number(payload.authorization.validBefore) * 1000)
    return reply(payload.authorization.nonce)
  }
  const live = () => [...signatures].filter(([, end]) => clock.now < end).map(([nonce]) => nonce)
  const payer = (store: PaymentStore) => {
    const payment = pay(signer, {
      origin,
      maxUsdPerPayment: 5,
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
  return { live, clock, payer, held: signatures }
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

describe('a response that proves nothing leaves one signature that may be settled', () => {
  for (const [name, reply] of Object.entries(ambiguousReplies)) {
    it(name, async () => {
      for (const [scenario, purchases] of Object.entries(scenarios)) {
        const { live, payer, held: signatures } = service(reply)
        await purchases(payer, mkdtempSync(join(home, 'store-')))
        expect([scenario, live().length, signatures.size]).toEqual([scenario, 1, 1])
      }
    })
  }

  it.each(Object.entries(ambiguousReplies))(
    'another purchase can be made once that has expired: %s',
    async (_name, reply) => {
      const { live, clock, payer, held: signatures } = service(reply)
      const payment = payer(memoryPaymentStore())
      const first = await payment()
      expect(first === 429 || first === 'unknown').toBe(true)
      clock.now += 359_999
      await payment()
      expect(signatures.size).toBe(1)
      clock.now += 1
      await payment()
      expect([signatures.size, live().length]).toEqual([2, 1])
    },
  )
})

it.each(Object.entries(proofs))(
  '%s ends the payment, and another can be signed',
  async (_name, reply) => {
    const { payer, held: signatures } = service(reply)
    const payment = payer(memoryPaymentStore())
    expect(['not_paid', 400]).toContain(await payment())
    await payment()
    expect(signatures.size).toBe(2)
  },
)

it('a proof after a lost response proves nothing: the settlement itself may cause it', async () => {
  const replies = [lost, ...Object.values(proofs)]
  const { payer, held: signatures } = service(() => (replies.shift() ?? lost)())
  const payment = payer(memoryPaymentStore())
  for (let n = 0; n < Object.keys(proofs).length; n++) expect(await payment()).toBe('unknown')
  expect(signatures.size).toBe(1)
})

it('a service never holds more than one signature that may be settled, whatever it responds, and however many are requested', async () => {
  const responses = fc.constantFrom(
    ...Object.values(ambiguousReplies).map((reply) => ({ kind: 'unproven', reply })),
    ...Object.values(proofs).map((reply) => ({ kind: 'proof', reply })),
    { kind: 'settled', reply: json(200, {}, receipt(settlement)) },
    { kind: 'settled', reply: json(200, {}) },
    { kind: 'settled', reply: json(400, {}, receipt(settlement)) },
  )
  const step = fc.record({
    /** The processes that buy at the same time. */
    payers: fc.array(fc.constantFrom(0, 1, 2), { minLength: 1, maxLength: 4 }),
    restarts: fc.boolean(),
    passes: fc.constantFrom(0, 1000, 200_000, 400_000),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(responses, { minLength: 1, maxLength: 12 }),
      fc.array(step, { maxLength: 8 }),
      async (script, steps) => {
        let at = 0
        let most = 0
        const ended = new Set<string>()
        const sent = new Set<string>()
        const { live, clock, payer } = service((nonce) => {
          const { kind, reply } = script[at++ % script.length] ?? { kind: 'unproven', reply: lost }
          most = Math.max(most, live().filter((one) => !ended.has(one)).length)
          if (kind === 'settled' || (kind === 'proof' && !sent.has(nonce))) ended.add(nonce)
          sent.add(nonce)
          return reply()
        })
        const { update } = memoryPaymentStore()
        let processes = [0, 1, 2].map(() => payer({ update }))
        for (const { payers, restarts, passes } of steps) {
          if (restarts) processes = processes.map(() => payer({ update }))
          await Promise.all(payers.map((one) => processes[one]?.()))
          clock.now += passes
        }
        expect(most).toBeLessThanOrEqual(1)
      },
    ),
    { numRuns: 150 },
  )
})
