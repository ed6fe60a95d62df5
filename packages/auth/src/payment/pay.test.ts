import type { Call, Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import {
  decodePaymentHeader,
  encodeJsonHeader,
  verifyPaymentAuthorization,
  type PaymentRequirements,
} from '../verify.js'
import { pay, type PayOptions } from './pay.js'
import { PaymentError } from '../errors.js'
import { readRecords } from '../../test/store-contract.js'
import { memoryPaymentStore, type PaymentRecord, type PaymentStore } from './payment-store.js'
import { privateKeySigner } from '../keys.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const start = Date.UTC(2026, 5, 30, 12)
const origin = 'https://api.example'

const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}

type Reply = Response | Error | undefined

/**
 * A service that verifies and credits each payment once. It plays the scripted replies to payments
 * first; undefined settles the payment, but loses the response.
 */
function createService(script: Reply[] = [], accepts: readonly object[] = [offer]) {
  const state = { discoveries: 0, payments: [] as string[], credited: new Map<string, bigint>() }
  const send: Send = async (call) => {
    const header = call.headers.get('payment-signature') ?? call.headers.get('x-payment')
    if (header === null) {
      state.discoveries++
      const document = { x402Version: 2, accepts }
      return Response.json(document, {
        status: 402,
        headers: { 'payment-required': encodeJsonHeader(document) },
      })
    }
    state.payments.push(header)
    const lost = script.length > 0
    const reply = script.shift()
    if (reply instanceof Error) throw reply
    if (reply) return reply
    const paid = await verifyPaymentAuthorization(decodePaymentHeader(header), offer, {
      minAmount: 5_000_000n,
      now: () => start,
    })
    state.credited.set(paid.nonce, paid.amount)
    if (lost) throw new TypeError('fetch failed')
    return Response.json({ success: true })
  }
  return { state, send }
}

const call: Call = { url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() }

function createPayer(options: Partial<PayOptions> = {}) {
  const signedData: unknown[] = []
  const raw = privateKeySigner(key)
  const signer = {
    ...raw,
    signTypedData: async (data: Parameters<typeof raw.signTypedData>[0]) => (
      signedData.push(data),
      raw.signTypedData(data)
    ),
  }
  const waits: number[] = []
  const wait = async (milliseconds: number) => void waits.push(milliseconds)
  const middleware = pay(signer, {
    origin,
    maxUsdPerPayment: 10,
    maxUsdPerDay: 20,
    now: () => start,
    wait,
    store: memoryPaymentStore(),
    ...options,
  })
  return { middleware, signed: signedData, waits }
}

const catchError = async (promise: Promise<unknown>): Promise<PaymentError> => {
  const error: unknown = await promise.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )
  if (error instanceof PaymentError) return error
  throw error
}

test('a top-up is discovered, signed and paid', async () => {
  const { state, send } = createService()
  const { middleware, signed: signedData } = createPayer()
  const response = await middleware(send)(call)
  expect(response.status).toBe(200)
  expect(state.discoveries).toBe(1)
  expect([...state.credited.values()]).toEqual([5_000_000n])
  expect(signedData).toHaveLength(1)
  const { accepted, x402Version } = decodePaymentHeader(state.payments[0] ?? '')
  expect({ accepted, x402Version }).toEqual({ x402Version: 2, accepted: offer })
})

test('amountUsd raises the payment', async () => {
  const { state, send } = createService()
  await createPayer({ amountUsd: 7.5 }).middleware(send)(call)
  expect([...state.credited.values()]).toEqual([7_500_000n])
})

test('two top-ups, in sequence or in parallel, are two payments', async () => {
  const { state, send } = createService()
  const topUp = createPayer().middleware(send)
  await topUp(call)
  await Promise.all([topUp(call), topUp(call)])
  expect(state.credited.size).toBe(3)
})

test('after a lost response and a 5xx the same bytes are resent, and nothing else is signed', async () => {
  const { state, send } = createService([undefined, new Response(null, { status: 504 })])
  const { middleware, signed: signedData, waits } = createPayer()
  expect((await middleware(send)(call)).status).toBe(200)
  expect(new Set(state.payments).size).toBe(1)
  expect(state.payments).toHaveLength(3)
  expect(signedData).toHaveLength(1)
  expect(state.credited.size).toBe(1)
  expect(waits).toEqual([1000, 2000])
})

test.each([
  ['20', 20_000],
  [new Date(start + 20_000).toUTCString(), 20_000],
  ['Sun, 31 Feb', 1000],
  ['-20', 1000],
])('a resend waits as long as Retry-After says: %s', async (retryAfter, expected) => {
  const headers = { 'retry-after': retryAfter }
  const { send } = createService([new Response(null, { status: 503, headers })])
  const { middleware, waits } = createPayer()
  expect((await middleware(send)(call)).status).toBe(200)
  expect(waits).toEqual([expected])
})

test('a date of Retry-After counts from the Date of its response', async () => {
  const headers = {
    date: new Date(start + 300_000).toUTCString(),
    'retry-after': new Date(start + 310_000).toUTCString(),
  }
  const { send } = createService([new Response(null, { status: 503, headers })])
  const { middleware, waits } = createPayer()
  await middleware(send)(call)
  expect(waits).toEqual([10_000])
})

test('without a definite response the outcome is unknown, and the next top-up sends the same payment first', async () => {
  const lost = () => new TypeError('fetch failed')
  const { state, send } = createService([undefined, lost(), lost()])
  const { middleware, signed: signedData } = createPayer()
  const error = await catchError(middleware(send)(call))
  expect(error).toMatchObject({
    code: 'outcome_unknown',
    outcome: 'unknown',
    payload: state.payments[0],
    retryable: false,
  })
  expect((await middleware(send)(call)).status).toBe(200)
  expect(new Set(state.payments).size).toBe(1)
  expect(state.discoveries).toBe(1)
  expect(signedData).toHaveLength(1)
})

test('an unknown payment is not resent once it can no longer be settled', async () => {
  const lost = () => new TypeError('fetch failed')
  const { state, send } = createService([lost(), lost(), lost()])
  let time = start
  const { middleware, signed: signedData } = createPayer({ now: () => time })
  await catchError(middleware(send)(call))
  time += 360_000
  await middleware(send)(call)
  expect(signedData).toHaveLength(2)
  expect(state.credited.size).toBe(1)
})

test('an unknown payment of another amount is settled first, and then the requested one', async () => {
  const lost = () => new TypeError('fetch failed')
  const { state, send } = createService([lost(), lost(), lost()])
  const store = memoryPaymentStore()
  await catchError(createPayer({ store }).middleware(send)(call))
  await createPayer({ store, amountUsd: 8 }).middleware(send)(call)
  expect([...state.credited.values()]).toEqual([5_000_000n, 8_000_000n])
})

test('a second 402 is an error with the reason, and nothing is signed or resent', async () => {
  const rejection = Response.json(
    { error: 'SETTLEMENT_FAILED' },
    {
      status: 402,
      headers: {
        'payment-response': encodeJsonHeader({
          success: false,
          errorReason: 'invalid_exact_evm_payload_signature',
        }),
      },
    },
  )
  const { state, send } = createService([rejection])
  const { middleware, signed: signedData } = createPayer()
  expect(await catchError(middleware(send)(call))).toMatchObject({
    code: 'payment_refused',
    reason: 'invalid_exact_evm_payload_signature',
    outcome: 'not_paid',
    status: 402,
  })
  expect(state.payments).toHaveLength(1)
  expect(signedData).toHaveLength(1)
})

test('a rejection after a lost response leaves the outcome unknown: the lost send may have used the nonce', async () => {
  const { state, send } = createService([
    undefined,
    Response.json({ error: 'nonce already used' }, { status: 402 }),
  ])
  expect(await catchError(createPayer().middleware(send)(call))).toMatchObject({
    code: 'outcome_unknown',
    reason: 'nonce already used',
    outcome: 'unknown',
  })
  expect(state.credited.size).toBe(1)
})

test.each([
  'duplicate_settlement',
  'settlement_pending',
  'invalid_transaction_state',
  'Settlement timed out',
  'nonce already used',
])(
  'a second 402 with the reason "%s" leaves the outcome unknown, and the next call sends the same payment',
  async (error) => {
    const { state, send } = createService([Response.json({ error }, { status: 402 })])
    const { middleware, signed: signedData } = createPayer()
    expect(await catchError(middleware(send)(call))).toMatchObject({
      code: 'outcome_unknown',
      reason: error,
      payload: state.payments[0],
    })
    expect((await middleware(send)(call)).status).toBe(200)
    expect([signedData.length, new Set(state.payments).size, state.credited.size]).toEqual([
      1, 1, 1,
    ])
  },
)

test('the reason of a version 1 service is in X-PAYMENT-RESPONSE', async () => {
  const headers = {
    'x-payment-response': encodeJsonHeader({
      success: false,
      errorReason: 'invalid_exact_evm_payload_signature',
    }),
  }
  const { send } = createService([new Response(null, { status: 402, headers })])
  expect(await catchError(createPayer().middleware(send)(call))).toMatchObject({
    code: 'payment_refused',
    reason: 'invalid_exact_evm_payload_signature',
  })
})

test('the outcome of a call that is aborted during its payment is unknown', async () => {
  const { state, send } = createService([undefined])
  const controller = new AbortController()
  const aborting: Send = async (given) => {
    if (given.headers.has('payment-signature')) controller.abort()
    return send(given)
  }
  const { middleware } = createPayer()
  const error = await catchError(middleware(aborting)({ ...call, signal: controller.signal }))
  expect(error).toMatchObject({ code: 'outcome_unknown', payload: state.payments[0] })
  expect(state.payments).toHaveLength(1)
})

test('a store that outlives the process sends the same payment after a restart', async () => {
  let kept = '[]'
  const file = (): PaymentStore => ({
    update: async (change) => {
      kept = JSON.stringify(change(JSON.parse(kept) as PaymentRecord[]))
    },
  })
  const { state, send } = createService([undefined])
  const first = createPayer({ store: file(), attempts: 1 })
  expect(await catchError(first.middleware(send)(call))).toMatchObject({ code: 'outcome_unknown' })
  const second = createPayer({ store: file() })
  expect((await second.middleware(send)(call)).status).toBe(200)
  expect([
    first.signed.length,
    second.signed.length,
    new Set(state.payments).size,
    state.credited.size,
  ]).toEqual([1, 0, 1, 1])
})

test('a payment is recorded before it is sent', async () => {
  const store = memoryPaymentStore()
  const { send } = createService()
  const looking: Send = async (given) => {
    const header = given.headers.get('payment-signature')
    if (header !== null)
      expect(await readRecords(store)).toMatchObject([
        { header, state: 'unanswered', payer: privateKeySigner(key).address },
      ])
    return send(given)
  }
  await createPayer({ store }).middleware(looking)(call)
  expect(await readRecords(store)).toMatchObject([{ state: 'settled' }])
})

test('while the service’s clock is ahead, a payment is held until its signed end', async () => {
  const lost = () => new TypeError('fetch failed')
  const { state, send } = createService([lost(), lost(), lost()])
  const ahead: Send = async (given) => {
    const response = await send(given)
    response.headers.set('date', new Date(start + 600_000).toUTCString())
    return response
  }
  let time = start
  const { middleware, signed: signedData } = createPayer({ now: () => time })
  await catchError(middleware(ahead)(call))
  time += 600_000 + 359_999
  await middleware(ahead)(call).catch(() => undefined)
  expect([signedData.length, new Set(state.payments).size]).toEqual([1, 1])
})

test('a definite rejection is returned', async () => {
  const { send } = createService([Response.json({ error: 'INVALID_AMOUNT' }, { status: 400 })])
  expect((await createPayer().middleware(send)(call)).status).toBe(400)
})

test('a response that breaks off leaves the purchase open: the next call sends the same payment', async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"succ')),
        pull: (controller) => controller.error(new TypeError('terminated')),
      }),
    )
  const { state, send } = createService([broken(), broken()])
  const { middleware } = createPayer()
  await expect((await middleware(send)(call)).json()).rejects.toThrow('terminated')
  const controller = new AbortController()
  const given = await middleware(send)({ ...call, signal: controller.signal })
  controller.abort()
  await expect(given.json()).rejects.toThrow('terminated')
  expect(new Set(state.payments).size).toBe(1)
  // the caller gave up the rest of a response: that purchase is complete
  await middleware(send)(call)
  expect(new Set(state.payments).size).toBe(2)
})

test('a 429 is returned, and the payment is kept for the next call', async () => {
  const { state, send } = createService([new Response(null, { status: 429 })])
  const { middleware, signed: signedData } = createPayer()
  expect((await middleware(send)(call)).status).toBe(429)
  expect((await middleware(send)(call)).status).toBe(200)
  expect(signedData).toHaveLength(1)
  expect(new Set(state.payments).size).toBe(1)
})

test('the cap of a payment applies to the signed amount', async () => {
  const { state, send } = createService()
  expect(await catchError(createPayer({ amountUsd: 10.01 }).middleware(send)(call))).toMatchObject({
    code: 'over_payment_cap',
    outcome: 'not_paid',
  })
  expect(
    await catchError(createPayer({ maxUsdPerPayment: 4.99 }).middleware(send)(call)),
  ).toMatchObject({
    code: 'over_payment_cap',
  })
  expect(state.payments).toEqual([])
})

test('a call has a cap of its own: maxUsd, or else what the contract states for its operation', async () => {
  const { state, send } = createService()
  const { middleware } = createPayer({ appliesTo: () => true })
  const operation = { id: 'topUp', method: 'POST', path: '', security: [], idempotent: false }
  const rejected = async (given: Call) => {
    const error = await catchError(middleware(send)(given))
    expect(error).toMatchObject({ code: 'over_payment_cap', outcome: 'not_paid' })
    return (error as Error).message
  }
  expect(await rejected({ ...call, maxUsd: 4.99 })).toContain(
    '5 USD is more than maxUsd of the call, 4.99 USD',
  )
  expect(await rejected({ ...call, maxUsd: NaN })).toContain('maxUsd of the call, NaN USD')
  expect(await rejected({ ...call, operation: { ...operation, maxUsd: 0.01 } })).toContain(
    'maxUsd of the contract, 0.01 USD',
  )
  expect(state.payments).toEqual([])
  const allowed = { ...call, operation: { ...operation, maxUsd: 0.01 }, maxUsd: 5 }
  expect((await middleware(send)(allowed)).status).toBe(200)
})

test('a call does not send an earlier payment again that is above its cap', async () => {
  const { state, send } = createService([new Response(null, { status: 429 })])
  const { middleware } = createPayer()
  await middleware(send)(call)
  expect(await catchError(middleware(send)({ ...call, maxUsd: 1 }))).toMatchObject({
    code: 'over_payment_cap',
  })
  expect(state.payments).toHaveLength(1)
})

test('the daily cap counts payments, also parallel ones, for 24 hours', async () => {
  const { state, send } = createService()
  let time = start
  const topUp = createPayer({ maxUsdPerDay: 10, now: () => time }).middleware(send)
  const outcomes = await Promise.allSettled([topUp(call), topUp(call), topUp(call)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(await catchError(topUp(call))).toMatchObject({ code: 'over_daily_cap' })
  time += 86_400_001
  await topUp(call).catch(() => undefined)
  expect(state.payments).toHaveLength(3)
})

test('a rejected payment counts towards the daily cap, because the service still has it', async () => {
  const rejection = () =>
    Response.json({ error: 'invalid_exact_evm_payload_signature' }, { status: 402 })
  const { state, send } = createService([rejection(), rejection()])
  const store = memoryPaymentStore()
  const topUp = createPayer({ maxUsdPerDay: 14, store }).middleware(send)
  expect(await catchError(topUp(call))).toMatchObject({ code: 'payment_refused' })
  expect(await catchError(topUp(call))).toMatchObject({ code: 'payment_refused' })
  const other = { origin: 'https://other.example', store, maxUsdPerDay: 9 }
  expect(
    await catchError(
      createPayer(other).middleware(send)({ ...call, url: `${other.origin}/x402/top-up` }),
    ),
  ).toMatchObject({ code: 'over_daily_cap' })
  expect(state.payments).toHaveLength(2)
})

test('an amount below the offer is rejected before signing', async () => {
  const { send } = createService()
  expect(await catchError(createPayer({ amountUsd: 4 }).middleware(send)(call))).toMatchObject({
    code: 'amount_below_offer',
  })
})

const invalidOffers: [string, object, string][] = [
  ['another network', { network: 'eip155:1' }, 'no_acceptable_offer'],
  [
    'a test network that was not allowed',
    { network: 'eip155:84532', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
    'no_acceptable_offer',
  ],
  ['another token', { asset: `0x${'1'.repeat(40)}` }, 'no_acceptable_offer'],
  ['another scheme', { scheme: 'upto' }, 'no_acceptable_offer'],
  ['the domain of another contract', { extra: { name: 'USDC', version: '2' } }, 'domain_mismatch'],
  [
    'the domain of a foreign contract',
    { extra: { ...offer.extra, verifyingContract: `0x${'2'.repeat(40)}` } },
    'domain_mismatch',
  ],
  ['the domain of another chain', { extra: { ...offer.extra, chainId: 1 } }, 'domain_mismatch'],
  [
    'a transfer by Permit2',
    { extra: { ...offer.extra, assetTransferMethod: 'permit2' } },
    'no_acceptable_offer',
  ],
  [
    'a transfer by ERC-7710',
    { extra: { ...offer.extra, assetTransferMethod: 'erc7710' } },
    'no_acceptable_offer',
  ],
  [
    'a transfer by a method that is not a string',
    { extra: { ...offer.extra, assetTransferMethod: [] } },
    'no_acceptable_offer',
  ],
  ['an amount that is not a number', { amount: '5e6' }, 'no_acceptable_offer'],
  ['an amount below zero', { amount: '-5000000' }, 'no_acceptable_offer'],
  ['a payee that is not an address', { payTo: 'me' }, 'no_acceptable_offer'],
]

for (const [name, change, code] of invalidOffers) {
  test(`an offer with ${name} is not signed`, async () => {
    const { send } = createService([], [{ ...offer, ...change }])
    const { middleware, signed: signedData } = createPayer()
    expect(await catchError(middleware(send)(call))).toMatchObject({ code, outcome: 'not_paid' })
    expect(signedData).toEqual([])
  })
}

test.each([
  [2, { amount: 5_000_000 }, 'amount is not a string of atomic units'],
  [2, { amount: undefined, maxAmountRequired: '5000000' }, 'amount is not a string of'],
  [1, { network: 'base' }, 'maxAmountRequired is not a string of atomic units'],
])('an offer of version %d with %j names the field that is wrong', async (version, change, why) => {
  const document = { x402Version: version, accepts: [{ ...offer, ...change }] }
  const error = await catchError(
    createPayer().middleware(async () => Response.json(document, { status: 402 }))(call),
  )
  expect(error.message).toContain(`: ${why}`)
})

test('an offer for another transfer method or domain does not hide an acceptable one', async () => {
  for (const extra of [
    { assetTransferMethod: 'permit2' },
    { verifyingContract: `0x${'2'.repeat(40)}` },
  ]) {
    const fitting = {
      ...offer,
      extra: {
        ...offer.extra,
        assetTransferMethod: 'eip3009',
        verifyingContract: offer.asset.toLowerCase(),
      },
    }
    const { state, send } = createService(
      [],
      [{ ...offer, amount: '1', extra: { ...offer.extra, ...extra } }, fitting],
    )
    const error = await catchError(
      createPayer().middleware(createService([], [{ ...offer, extra }]).send)(call),
    )
    expect(error.message).toMatch(/it requires "permit2"|EIP-712 domain/)
    await createPayer().middleware(send)(call)
    expect(decodePaymentHeader(state.payments[0] ?? '')).toMatchObject({ accepted: fitting })
  }
})

test('if no offer may be paid, the error has the objection to each', async () => {
  const offers = [
    { ...offer, scheme: 'batch' },
    { ...offer, network: 'eip155:1' },
    { ...offer, extra: { assetTransferMethod: 'erc7710' } },
    { ...offer, scheme: 'exact\nINFO paid' },
  ]
  const { message } = await catchError(
    createPayer().middleware(createService([], offers).send)(call),
  )
  expect(message).toBe(
    'Payment: none of the 4 offers may be paid (1. "batch" on "eip155:8453": the scheme is not "exact"; ' +
      '2. "exact" on "eip155:1": the network is not allowed; ' +
      '3. "exact" on "eip155:8453": it requires "erc7710", not an EIP-3009 authorization; ' +
      '4. an unreadable name on "eip155:8453": the scheme is not "exact"); allowed networks: eip155:8453',
  )
})

test('a payment has an id where the service offers the extension payment-identifier, the same in each send', async () => {
  const { state, send } = createService([new Response(null, { status: 504 })])
  const offered = { info: { required: true }, schema: { type: 'object' } }
  const response: Send = async (given) =>
    given.headers.has('payment-signature')
      ? send(given)
      : Response.json(
          { x402Version: 2, accepts: [offer], extensions: { 'payment-identifier': offered } },
          { status: 402 },
        )
  await createPayer().middleware(response)(call)
  expect(decodePaymentHeader(state.payments[0] ?? '')).toMatchObject({
    extensions: {
      'payment-identifier': {
        ...offered,
        info: { required: true, id: expect.stringMatching(/^[\w-]{16,128}$/) as string },
      },
    },
  })
  expect([state.payments.length, new Set(state.payments).size]).toEqual([2, 1])
})

test.each([
  [{ info: { required: true } }, 'it requires the extension "escrow"'],
  [{ required: true }, 'it requires the extension "escrow"'],
  [{ info: { required: false } }, undefined],
])('an extension that is %j is an objection: %s', async (extension, objection) => {
  const { state, send } = createService()
  const response: Send = async (given) =>
    given.headers.has('payment-signature')
      ? send(given)
      : Response.json(
          { x402Version: 2, accepts: [offer], extensions: { escrow: extension } },
          { status: 402 },
        )
  const outcome = await createPayer()
    .middleware(response)(call)
    .catch((error: unknown) => error)
  if (objection)
    expect(outcome).toMatchObject({
      code: 'no_acceptable_offer',
      message: expect.stringContaining(objection) as string,
    })
  expect(state.payments).toHaveLength(objection ? 0 : 1)
})

test('a payee that is not allowed is not paid, but the first acceptable offer is', async () => {
  const other = { ...offer, payTo: `0x${'2'.repeat(40)}`, amount: '1' }
  const { state, send } = createService([], [other, offer])
  await createPayer({ payTo: [offer.payTo.toLowerCase()] }).middleware(send)(call)
  expect([...state.credited.values()]).toEqual([5_000_000n])
})

test('a 402 of another origin, or of another operation, is not paid', async () => {
  const { state, send } = createService()
  const { middleware } = createPayer()
  expect(
    (await middleware(send)({ ...call, url: 'https://other.example/api/v1/x402/top-up' })).status,
  ).toBe(402)
  expect((await middleware(send)({ ...call, url: `${origin}/api/v1/audio/speech` })).status).toBe(
    402,
  )
  const operation = {
    id: 'createSpeech',
    method: 'POST',
    path: '/x',
    security: [],
    idempotent: false,
  }
  expect((await middleware(send)({ ...call, operation })).status).toBe(402)
  expect(state.payments).toEqual([])
})

test('a version 1 service, with offers only in the body, receives a version 1 payment', async () => {
  const { state, send } = createService()
  const { amount: maxAmountRequired, ...rest } = offer
  const v1: Send = async (given) =>
    given.headers.has('x-payment')
      ? send(given)
      : Response.json(
          {
            x402Version: 1,
            error: 'pay',
            accepts: [{ ...rest, network: 'base', maxAmountRequired }],
          },
          { status: 402 },
        )
  expect((await createPayer().middleware(v1)(call)).status).toBe(200)
  expect(decodePaymentHeader(state.payments[0] ?? '')).toMatchObject({
    x402Version: 1,
    scheme: 'exact',
    network: 'base',
  })
})

const wrongHeaders: [string, string, string][] = [
  [
    'too large',
    encodeJsonHeader({ x402Version: 2, accepts: [offer], padding: 'x'.repeat(9000) }),
    'of 12\\d{3} characters, is not base64',
  ],
  [
    'cut off',
    encodeJsonHeader({ x402Version: 2, accepts: [offer] }).slice(0, 77),
    'of 77 characters, is not base64',
  ],
  ['without offers', encodeJsonHeader({ x402Version: 2, accepts: [] }), 'has no offers'],
]

test.each(wrongHeaders)(
  'with a PAYMENT-REQUIRED header that is %s, the body is read',
  async (_name, header, said) => {
    const { state, send } = createService()
    const respondWith =
      (body: object): Send =>
      async (given) =>
        given.headers.has('payment-signature')
          ? send(given)
          : Response.json(body, { status: 402, headers: { 'payment-required': header } })
    await createPayer().middleware(respondWith({ x402Version: 2, accepts: [offer] }))(call)
    expect(state.credited.size).toBe(1)
    const { code, message } = await catchError(
      createPayer().middleware(respondWith({ error: 'pay' }))(call),
    )
    expect([code, message]).toEqual([
      'malformed_offer',
      expect.stringMatching(new RegExp(`${said}.*, and the body has no offers$`)),
    ])
  },
)

test('the error of a 402 without offers says what was read', async () => {
  const send: Send = async () => new Response('Payment Required', { status: 402 })
  expect(await catchError(createPayer().middleware(send)(call))).toMatchObject({
    code: 'malformed_offer',
    message:
      'Payment: the 402 has no offer: it has no PAYMENT-REQUIRED header, and the body is not JSON of at most 64 KiB',
  })
})

test('a wallet that declines is an error, and nothing is sent', async () => {
  const { state, send } = createService()
  const signer = {
    kind: 'evm',
    address: privateKeySigner(key).address,
    signTypedData: async () => Promise.reject(new Error('no')),
  } as const
  const topUp = pay(signer, {
    origin,
    maxUsdPerPayment: 10,
    maxUsdPerDay: 10,
    store: memoryPaymentStore(),
  })(send)
  expect(await catchError(topUp(call))).toMatchObject({ code: 'signing_failed' })
  expect(state.payments).toEqual([])
})

test('an offer behind a redirect is never paid', async () => {
  const redirects: unknown[] = []
  const send: Send = async ({ init }) => {
    redirects.push(init?.redirect)
    return new Response(null, { status: 307, headers: { location: 'https://evil.example' } })
  }
  const { middleware, signed: signedData } = createPayer()
  await expect(middleware(send)(call)).rejects.toMatchObject({ code: 'redirect_refused' })
  expect([redirects, signedData]).toEqual([['manual'], []])
})

test('a redirect is not followed with a payment', async () => {
  const { state, send } = createService([
    new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
  ])
  const error = await catchError(createPayer().middleware(send)(call))
  expect(error).toMatchObject({
    code: 'outcome_unknown',
    cause: { message: expect.stringContaining('redirects') as string },
  })
  expect(state.payments).toHaveLength(1)
})

test('the signed times follow the service’s clock', async () => {
  const { state, send } = createService()
  const dated: Send = async (given) => {
    const response = await send(given)
    response.headers.set('date', new Date(start).toUTCString())
    return response
  }
  await createPayer({ now: () => start - 600_000 }).middleware(dated)(call)
  expect(state.credited.size).toBe(1)
})

test('a body that can be sent only once is rejected before anything is sent', async () => {
  const { state, send } = createService()
  expect(
    await catchError(createPayer().middleware(send)({ ...call, body: new ReadableStream() })),
  ).toMatchObject({ code: 'body_not_resendable' })
  expect(state.discoveries).toBe(0)
})

test('an aborted call is not paid', async () => {
  const { state, send } = createService()
  const controller = new AbortController()
  const aborting: Send = async (given) => {
    const response = await send(given)
    controller.abort()
    return response
  }
  await expect(
    createPayer().middleware(aborting)({ ...call, signal: controller.signal }),
  ).rejects.toThrow('aborted')
  expect(state.payments).toEqual([])
})

test('rejects invalid caps', () => {
  expect(() => createPayer({ maxUsdPerDay: NaN })).toThrow('maxUsdPerDay is NaN')
  expect(() => createPayer({ amountUsd: -1 })).toThrow('amountUsd is -1')
})

const createNetworkError = () => new TypeError('fetch failed')
const createRejection = () =>
  Response.json({ error: 'invalid_exact_evm_payload_signature' }, { status: 402 })

test('a 200 with a failed settlement in PAYMENT-RESPONSE is a rejection', async () => {
  for (const name of ['payment-response', 'x-payment-response']) {
    const headers = {
      [name]: encodeJsonHeader({
        success: false,
        errorReason: 'invalid_exact_evm_payload_signature',
      }),
    }
    const store = memoryPaymentStore()
    const { send } = createService([Response.json({ success: true }, { headers })])
    const error = await catchError(createPayer({ store }).middleware(send)(call))
    expect(error).toMatchObject({
      code: 'payment_refused',
      reason: 'invalid_exact_evm_payload_signature',
      outcome: 'not_paid',
      status: 200,
    })
    expect(await readRecords(store)).toMatchObject([{ state: 'refused' }])
  }
  const headers = { 'payment-response': encodeJsonHeader({ success: true }) }
  const { send } = createService([Response.json({ success: true }, { headers })])
  expect((await createPayer().middleware(send)(call)).status).toBe(200)
})

test('the error of a rejected or unanswered payment says until when the service could settle it', async () => {
  const until = start + 360_000
  const first = await catchError(
    createPayer().middleware(createService([createRejection()]).send)(call),
  )
  expect(first).toMatchObject({ code: 'payment_refused', heldUntil: until })
  expect(first.message).toBe(
    'Payment: the service rejected the payment (invalid_exact_evm_payload_signature). Until 2026-06-30T12:06:00.000Z ' +
      'it could still settle the 5 USD, which count towards maxUsdPerDay',
  )
  const second = await catchError(
    createPayer({ attempts: 1 }).middleware(createService([createNetworkError()]).send)(call),
  )
  expect(second).toMatchObject({ code: 'outcome_unknown', heldUntil: until })
  expect(second.message).toContain(
    '5 USD may have been settled, or may be until 2026-06-30T12:06:00.000Z',
  )
})

test('a rejected payment counts towards the daily cap until it expires, an unanswered one for 24 hours', async () => {
  let time = start
  const outcome = async (script: Reply[], at = origin) => {
    const options = { maxUsdPerDay: 5, now: () => time, store, attempts: 1, origin: at }
    const topUp = createPayer(options).middleware(createService(script).send)
    return topUp({ ...call, url: `${at}/x402/top-up` }).then(
      ({ status }) => status,
      ({ code }: PaymentError) => code,
    )
  }
  const other = 'https://other.example'
  let store = memoryPaymentStore()
  expect(await outcome([createRejection()])).toBe('payment_refused')
  time = start + 359_999
  expect(await outcome([], other)).toBe('over_daily_cap')
  time = start + 360_000
  expect(await outcome([new Response(null, { status: 200 })])).toBe(200)

  store = memoryPaymentStore()
  time = start
  expect(await outcome([createNetworkError()])).toBe('outcome_unknown')
  time = start + 360_000
  expect(await outcome([], other)).toBe('over_daily_cap')
  time = start + 86_400_000
  expect(await outcome([new Response(null, { status: 200 })])).toBe(200)
})

test('four payers on one slow store with a cap of 5 USD pay 5 USD', async () => {
  const memory = memoryPaymentStore()
  const store: PaymentStore = {
    update: async (change) => (await new Promise(setImmediate), memory.update(change)),
  }
  const { state, send } = createService()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => createPayer({ maxUsdPerDay: 5, store }).middleware(send)(call)),
  )
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
  ])
  expect(state.credited.size).toBe(1)
})

test('payers in several processes at the same time send one payment, and drop the other signatures', async () => {
  const memory = memoryPaymentStore()
  const { state, send } = createService()
  const payers = Array.from({ length: 4 }, () => createPayer({ store: { update: memory.update } }))
  let signedData: () => void = () => {}
  const all = new Promise<void>((resolve) => (signedData = resolve))
  // each reads the offer and signs before one of them claims
  const together: Send = async (given) => {
    if (!given.headers.has('payment-signature') && state.discoveries === 3) signedData()
    const response = await send(given)
    if (!given.headers.has('payment-signature')) await all
    return response
  }
  const responses = await Promise.all(payers.map(({ middleware }) => middleware(together)(call)))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect([
    payers.map((one) => one.signed.length),
    new Set(state.payments).size,
    state.credited.size,
  ]).toEqual([[1, 1, 1, 1], 1, 1])
})

test.each(['is sent', 'is settled'])(
  'a payer that looks at the journal again while the payment of another process %s sends that payment, and a later call its own',
  async (moment) => {
    const memory = memoryPaymentStore()
    const { state, send } = createService()
    const [begun, paying, checked, paid] = ['begun', 'paying', 'checked', 'paid'].map(() => {
      let reach: () => void = () => {}
      return { reached: new Promise<void>((resolve) => (reach = resolve)), reach }
    }) as [Signal, Signal, Signal, Signal]
    let updates = 0
    const slow = createPayer({
      store: {
        update: async (change) => {
          await memory.update(change)
          updates++
          if (updates === 1) begun.reach()
          if (updates !== 2) return
          checked.reach()
          await paid.reached
        },
      },
    })
    const slowSend: Send = async (given) => {
      if (!given.headers.has('payment-signature'))
        await (moment === 'is sent' ? paying : paid).reached
      return send(given)
    }
    const slowCall = slow.middleware(slowSend)(call)
    await begun.reached
    const other = createPayer({ store: { update: memory.update } })
    const otherSend: Send = async (given) => {
      if (given.headers.has('payment-signature')) {
        paying.reach()
        if (moment === 'is sent') await checked.reached
      }
      return send(given)
    }
    expect((await other.middleware(otherSend)(call)).status).toBe(200)
    paid.reach()
    expect((await slowCall).status).toBe(200)
    expect([state.credited.size, new Set(state.payments).size]).toEqual([1, 1])
    expect((await slow.middleware(send)(call)).status).toBe(200)
    expect(state.credited.size).toBe(2)
  },
)

type Signal = { readonly reached: Promise<void>; readonly reach: () => void }

test('without a journal nothing is sent, and a journal that fails after the payment does not hide its outcome', async () => {
  const { state, send } = createService()
  const broken: PaymentStore = {
    update: async () => Promise.reject(new Error('EROFS: read-only file system')),
  }
  const error = await catchError(createPayer({ store: broken }).middleware(send)(call))
  expect(error).toMatchObject({
    code: 'journal_unavailable',
    outcome: 'not_paid',
    message: expect.stringContaining('EROFS') as string,
  })
  expect([state.discoveries, state.payments]).toEqual([0, []])
  const memory = memoryPaymentStore()
  const full: PaymentStore = {
    update: async (change) => (state.credited.size > 0 ? broken : memory).update(change),
  }
  expect((await createPayer({ store: full }).middleware(send)(call)).status).toBe(200)
  expect(await readRecords(memory)).toMatchObject([{ state: 'unanswered' }])
})

test('a payment is not resent after its end by our own clock', async () => {
  let time = start
  const { state, send } = createService([
    createNetworkError(),
    createNetworkError(),
    createNetworkError(),
  ])
  const { middleware } = createPayer({ now: () => time, wait: async () => void (time += 200_000) })
  expect(await catchError(middleware(send)(call))).toMatchObject({ code: 'outcome_unknown' })
  expect(state.payments).toHaveLength(2)
})

/** A failed request whose payment was still settled. */
const createCreditedResponse = (status: number) =>
  Response.json(
    { error: 'The payment was credited.' },
    {
      status,
      headers: {
        'payment-response': encodeJsonHeader({
          success: true,
          transaction: '0x1',
          network: 'eip155:8453',
        }),
      },
    },
  )

test('a request that fails after its payment is resent with that payment, which is settled once', async () => {
  const { state, send } = createService([createCreditedResponse(500)])
  const { middleware, signed: signedData } = createPayer({ appliesTo: () => true })
  const response = await middleware(send)({ ...call, url: `${origin}/api/v1/audio/speech` })
  expect([
    response.status,
    signedData.length,
    new Set(state.payments).size,
    state.payments.length,
  ]).toEqual([200, 1, 1, 2])
})

test.each([400, 500])(
  'a request that goes on failing with %i after its payment gives that response, and leaves no open payment',
  async (status) => {
    const { state, send } = createService([
      createCreditedResponse(status),
      createCreditedResponse(status),
      createCreditedResponse(status),
    ])
    const { middleware } = createPayer({ appliesTo: () => true })
    expect((await middleware(send)(call)).status).toBe(status)
    expect(state.payments).toHaveLength(status < 500 ? 1 : 3)
    await middleware(send)(call)
    expect(new Set(state.payments).size).toBe(2)
  },
)

test('a payment that was settled for another request is not reused: this request has its own', async () => {
  const { state, send } = createService([
    createNetworkError(),
    createNetworkError(),
    createNetworkError(),
    createCreditedResponse(409),
  ])
  const { middleware, signed: signedData } = createPayer({ appliesTo: () => true })
  expect((await catchError(middleware(send)(call))).outcome).toBe('unknown')
  expect((await middleware(send)(call)).status).toBe(200)
  expect([signedData.length, state.payments.length, new Set(state.payments).size]).toEqual([
    2, 5, 2,
  ])
})

test('an error before the send says that nothing was sent, and why', async () => {
  const thrown = () => {
    throw new Error('NotCapable: no access')
  }
  const memory = memoryPaymentStore()
  let updates = 0
  const ways: Record<string, Partial<PayOptions>> = {
    'a store that throws': { store: { update: thrown } },
    'a store that rejects': { store: { update: async () => thrown() } },
    'a store that fails at its second step': {
      store: { update: async (change) => (updates++ > 0 ? thrown() : memory.update(change)) },
    },
    'a store that fails at its third step': {
      store: { update: async (change) => (updates++ > 3 ? thrown() : memory.update(change)) },
    },
    'randomness that throws': { random: thrown },
  }
  for (const [way, options] of Object.entries(ways)) {
    const { state, send } = createService()
    const error = await catchError(createPayer(options).middleware(send)(call))
    expect([way, error.outcome, error.message]).toEqual([
      way,
      'not_paid',
      expect.stringMatching(/nothing was sent.*NotCapable: no access/),
    ])
    expect(state.payments).toEqual([])
  }
})

test('a store that does nothing is not a journal: nothing is sent, and the wallet is not prompted repeatedly', async () => {
  const { state, send } = createService()
  const { middleware, signed: signedData } = createPayer({ store: { update: async () => {} } })
  expect(await catchError(middleware(send)(call))).toMatchObject({
    code: 'journal_unavailable',
    message: expect.stringContaining('the store did not call `change`') as string,
  })
  expect([signedData, state.payments]).toEqual([[], []])
})

test('a store may be an instance of a class', async () => {
  class Store {
    readonly memory = memoryPaymentStore()
    async update(change: Parameters<PaymentStore['update']>[0]) {
      return this.memory.update(change)
    }
  }
  const { send } = createService()
  expect((await createPayer({ store: new Store() }).middleware(send)(call)).status).toBe(200)
})

test.each([
  ['of an EIP-1193 provider', { code: 4001, message: 'User rejected the request.' }],
  [
    'of viem, with its arguments',
    new Error('User rejected the request.\n\nRequest Arguments:\n  from: 0x00'),
  ],
])('the message says that the user rejected a prompt: an error %s', async (_name, thrown) => {
  const { send } = createService()
  const signer = { ...privateKeySigner(key), signTypedData: async () => Promise.reject(thrown) }
  const topUp = pay(signer, {
    origin,
    maxUsdPerPayment: 10,
    maxUsdPerDay: 10,
    store: memoryPaymentStore(),
  })(send)
  expect((await catchError(topUp(call))).message).toBe(
    `Payment: the wallet ${signer.address} did not sign the authorization (User rejected the request.), and nothing was sent`,
  )
})
