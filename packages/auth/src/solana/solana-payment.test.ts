import type { Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import {
  createWalletAdapter,
  createAddress,
  assertion,
  blockhash,
  call,
  feePayer,
  network,
  offer,
  origin,
  payOnSolana,
  payer,
  rewrite,
  seed,
  sources,
  start,
} from '../../test/solana-paying.js'
import { decodeJsonHeader, encodeJsonHeader } from '../encoding.js'
import { memoryPaymentStore } from '../payment/payment-store.js'
import { pay, type PayOptions } from '../payment/pay.js'
import {
  decodePaymentHeader,
  verifyPaymentAuthorization,
  type PaymentRequirements,
} from '../verify.js'
import { solanaPaymentSigner } from './solana-payment-signer.js'
import type { SolanaPayerSource } from './transaction-signer.js'

test.each(Object.entries(sources))('%s pays', async (_name, source) => {
  const { status, document, transaction } = await payOnSolana(source())
  expect(status).toBe(200)
  expect(document).toMatchObject({ x402Version: 2, accepted: offer })
  expect(transaction.signatures.map((signature) => signature.some((byte) => byte !== 0))).toEqual([
    false,
    true,
  ])
})

/** The result of our verifier for a payment of our client. */
const verified = async (
  source: SolanaPayerSource,
  entry: PaymentRequirements = offer,
  options: Partial<PayOptions> = {},
) => {
  const { header } = await payOnSolana(source, entry, options)
  return verifyPaymentAuthorization(decodePaymentHeader(header), entry, { minAmount: 5_000_000n })
}

test.each(Object.entries(sources))(
  'our own verifier accepts a payment by %s',
  async (_name, source) => {
    expect(await verified(source())).toMatchObject({
      kind: 'solana',
      payer,
      feePayer,
      amount: 5_000_000n,
      payTo: offer.payTo,
      shape: 'v2',
    })
  },
)

test('our own verifier accepts a raised amount, the client’s own memo, and assertions added by a wallet', async () => {
  expect(await verified(seed, offer, { amountUsd: 7.5 })).toMatchObject({ amount: 7_500_000n })
  expect(
    await verified(seed, { ...offer, extra: { feePayer, recentBlockhash: blockhash } }),
  ).toMatchObject({ payer })
  expect(await verified(createWalletAdapter(rewrite((all) => [...all, assertion])))).toMatchObject({
    payer,
  })
})

test('two payments of an offer without a memo have different nonces, and the same payment has one', async () => {
  const open = { ...offer, extra: { feePayer, recentBlockhash: blockhash } }
  const [first, second] = [await verified(seed, open), await verified(seed, open)]
  expect(first.nonce).not.toBe(second.nonce)
  expect((await verified(seed)).nonce).toBe((await verified(seed)).nonce)
})

test('an offer without a recent block hash is paid with one from latestBlockhash', async () => {
  const networks: string[] = []
  const latestBlockhash = async (name: string) => (networks.push(name), createAddress(8))
  const { transaction } = await payOnSolana(
    seed,
    { ...offer, extra: { feePayer } },
    { latestBlockhash },
  )
  expect(transaction.recentBlockhash).toBe(createAddress(8))
  expect(networks).toEqual([network])
})

test('without a memo from the service each payment has its own, 16 random bytes in hex', async () => {
  const { transaction } = await payOnSolana(
    seed,
    { ...offer, extra: { feePayer, recentBlockhash: blockhash } },
    { random: (bytes) => bytes.fill(171) },
  )
  expect(new TextDecoder().decode(transaction.instructions[3]?.data)).toBe('ab'.repeat(16))
})

test('a version 1 offer is paid in version 1', async () => {
  const { amount: maxAmountRequired, ...rest } = offer
  const sent: unknown[] = []
  const send: Send = async ({ headers }) => {
    if (headers.has('x-payment'))
      return (sent.push(decodeJsonHeader(headers.get('x-payment'))), new Response())
    return Response.json(
      { x402Version: 1, accepts: [{ ...rest, network: 'solana', maxAmountRequired }] },
      { status: 402 },
    )
  }
  await pay(solanaPaymentSigner(seed), {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 5,
    store: memoryPaymentStore(),
  })(send)(call)
  expect(sent).toMatchObject([
    {
      x402Version: 1,
      scheme: 'exact',
      network: 'solana',
      payload: { transaction: expect.any(String) as string },
    },
  ])
  expect(await verifyPaymentAuthorization(sent[0], offer)).toMatchObject({ payer, shape: 'v1' })
})

const invalidOffers: [string, object, string][] = [
  ['of another token', { asset: createAddress(5) }, 'the asset is not USDC'],
  [
    'on a network that was not allowed',
    { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' },
    'the network is not allowed',
  ],
  ['on an EVM network', { network: 'eip155:8453' }, 'the network is not allowed'],
  [
    'with a payee that is not an address',
    { payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    'the payee is not an address',
  ],
  ['that would pay the payer', { payTo: payer }, 'the payee is the paying wallet'],
  [
    'without a fee payer',
    { extra: { recentBlockhash: blockhash } },
    'the offer names no fee payer',
  ],
  [
    'whose fee the payer would pay',
    { extra: { ...offer.extra, feePayer: payer } },
    'the fee payer is the paying wallet',
  ],
  [
    'with a memo of 257 bytes',
    { extra: { ...offer.extra, memo: 'm'.repeat(257) } },
    'the memo is too long',
  ],
  [
    'with an invalid block hash',
    { extra: { ...offer.extra, recentBlockhash: 'x' } },
    'recentBlockhash is not a block hash',
  ],
  [
    'without a block hash or latestBlockhash',
    { extra: { feePayer } },
    'the signer has no latestBlockhash',
  ],
]

test.each(invalidOffers)('an offer %s is not signed', async (_name, change, why) => {
  const networks: unknown[] = []
  const source = {
    publicKey: { toBase58: () => payer },
    signTransaction: async (first: never) => (networks.push(first), expect.fail('signed')),
  }
  await expect(payOnSolana(source, { ...offer, ...change })).rejects.toMatchObject({
    code: 'no_acceptable_offer',
    outcome: 'not_paid',
    message: expect.stringContaining(why) as string,
  })
  expect(networks).toEqual([])
})

test('payees are case-sensitive', async () => {
  await expect(
    payOnSolana(seed, offer, { payTo: [offer.payTo.toLowerCase()] }),
  ).rejects.toMatchObject({
    code: 'no_acceptable_offer',
  })
  expect((await payOnSolana(seed, offer, { payTo: [offer.payTo] })).status).toBe(200)
})

test('if no block hash is available, nothing is signed, and the error says so', async () => {
  const without = { ...offer, extra: { feePayer } }
  await expect(
    payOnSolana(seed, without, { latestBlockhash: async () => Promise.reject(new Error('down')) }),
  ).rejects.toMatchObject({
    code: 'blockhash_unavailable',
    cause: { message: 'down' },
  })
  await expect(
    payOnSolana(seed, without, { latestBlockhash: async () => '' }),
  ).rejects.toMatchObject({
    code: 'blockhash_unavailable',
  })
})

test('a lost payment is resent byte for byte until its block hash expires, and only then is another signed', async () => {
  let time = start
  const countingAdapter = createWalletAdapter()
  const sent: string[] = []
  const send: Send = async ({ headers }) => {
    const header = headers.get('payment-signature')
    if (header !== null) return (sent.push(header), new Response(null, { status: 504 }))
    const { memo: _memo, ...extra } = offer.extra
    return new Response(null, {
      status: 402,
      headers: {
        'payment-required': encodeJsonHeader({ x402Version: 2, accepts: [{ ...offer, extra }] }),
      },
    })
  }
  const topUp = pay(solanaPaymentSigner(countingAdapter), {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 50,
    attempts: 2,
    now: () => time,
    store: memoryPaymentStore(),
    wait: async () => {},
  })(send)
  await expect(topUp(call)).rejects.toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' })
  // a second before the end, by the real clock too, so that a slow machine can send twice
  time += 179_000
  await expect(topUp(call)).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect([new Set(sent).size, sent.length, countingAdapter.signatures]).toEqual([1, 4, 1])
  time += 1000
  await expect(topUp(call)).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect([new Set(sent).size, sent.length, countingAdapter.signatures]).toEqual([2, 6, 2])
})

test.each([
  ['a bare 402', 402, null, 'outcome_unknown'],
  [
    'a 402 with a proof',
    402,
    { error: 'invalid_exact_svm_payload_recipient_mismatch' },
    'payment_refused',
  ],
])(
  'while a block hash lasts, %s leads to no other transaction',
  async (_name, status, body, code) => {
    const sent: string[] = []
    let time = start
    let memos = 0
    const send: Send = async ({ headers }) => {
      const header = headers.get('payment-signature')
      if (header !== null) return (sent.push(header), Response.json(body, { status }))
      const extra = { ...offer.extra, memo: `order ${memos++}` }
      const document = { x402Version: 2, accepts: [{ ...offer, extra }] }
      return Response.json(document, { status: 402 })
    }
    const topUp = pay(solanaPaymentSigner(seed), {
      origin,
      maxUsdPerPayment: 5,
      maxUsdPerDay: 100,
      now: () => time,
      store: memoryPaymentStore(),
    })(send)
    await expect(topUp(call)).rejects.toMatchObject({ code })
    time += 179_999
    await expect(topUp(call)).rejects.toMatchObject({
      code: body ? 'earlier_payment_open' : 'outcome_unknown',
    })
    expect(new Set(sent).size).toBe(1)
    time += 1
    await topUp(call).catch(() => undefined)
    expect(new Set(sent).size).toBe(2)
  },
)

test('a second purchase of the same offer is the same transaction, which settles once', async () => {
  const store = memoryPaymentStore()
  const [first, second] = [
    await payOnSolana(seed, offer, { store }),
    await payOnSolana(seed, offer, { store }),
  ]
  expect(second.header).toBe(first.header)
})
