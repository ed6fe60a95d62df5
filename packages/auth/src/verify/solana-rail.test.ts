import { base64 } from '@scure/base'
import { countRounds } from '@farebox/testing/rounds'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createAddress,
  assertion,
  budget,
  verifyCode,
  feePayer,
  limit,
  memo,
  offer,
  payer,
  price,
  recorded,
  encodeTransaction,
  transfer,
  createTransfer,
  usdc,
  createV2Payment,
} from '../../test/solana-transactions.js'
import { verifyPaymentAuthorization } from './verify-payment-authorization.js'

test('the transaction of @x402/svm is accepted', async () => {
  expect(await verifyPaymentAuthorization(createV2Payment(recorded), [offer])).toEqual({
    kind: 'solana',
    scheme: 'exact',
    payer: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    nonce: '0x5ca309faf8ae0b736f025115aadd1e3fa401a76d762fb3b9b06599fc4c04e5a7',
    amount: 5_000_000n,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: usdc,
    payTo: 'J2xccRtuG43drESLYznHhLhQkLTdfepcKYbiQ9BsJVaf',
    shape: 'v2',
    payload: { transaction: recorded },
    transaction: recorded,
    feePayer: '2KW2XRd9kwqet15Aha2oK3tYvd3nWbTFH1MBiRAv1BE1',
    recentBlockhash: 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W',
  })
})

test('all three envelopes are accepted', async () => {
  const flat = { scheme: 'exact', network: 'solana', payload: { transaction: encodeTransaction() } }
  for (const x402Version of [1, 2]) {
    expect(await verifyPaymentAuthorization({ x402Version, ...flat }, offer)).toMatchObject({
      shape: 'v1',
      network: offer.network,
      payer,
    })
  }
  expect(await verifyCode(createV2Payment(encodeTransaction()))).toBe('accepted')
})

test('a raised amount is accepted within the range, and rejected outside with its own code', async () => {
  const range = { minAmount: 5_000_000n, maxAmount: 100_000_000n }
  const payer = (amount: bigint) =>
    createV2Payment(encodeTransaction({ calls: [limit, price, createTransfer(amount), memo] }), {
      amount: String(amount),
    })
  expect(await verifyCode(payer(25_000_000n), range)).toBe('accepted')
  expect(await verifyCode(payer(4_999_999n), range)).toBe('amount_too_low')
  expect(await verifyCode(payer(100_000_001n), range)).toBe('amount_too_high')
  expect(await verifyCode(payer(25_000_000n))).toBe('amount_mismatch')
  expect(await verifyCode(createV2Payment(encodeTransaction(), { amount: '6000000' }), range)).toBe(
    'amount_mismatch',
  )
})

test('the blockhash of an offer is not compared, because each offer has a new one', async () => {
  const accepted = {
    extra: { ...offer.extra, recentBlockhash: createAddress(11), lastValidBlockHeight: '1' },
  }
  expect(await verifyCode(createV2Payment(encodeTransaction(), accepted))).toBe('accepted')
})

test('accepts 7 instructions: with three assertions of a wallet and the memo', async () => {
  expect(
    await verifyCode(
      createV2Payment(
        encodeTransaction({
          calls: [limit, price, transfer, assertion, assertion, memo, assertion],
        }),
      ),
    ),
  ).toBe('accepted')
})

test('without a memo in the offer, accepts any memo or none', async () => {
  const plain = { ...offer, extra: { feePayer } }
  for (const calls of [
    [limit, price, transfer],
    [limit, price, transfer, { ...memo, data: [1] }, memo],
  ]) {
    expect(
      await verifyCode(
        createV2Payment(encodeTransaction({ calls }), { extra: { feePayer } }),
        {},
        plain,
      ),
    ).toBe('accepted')
  }
})

test('an offer without a fee payer, or with an invalid payee, accepts no payment', async () => {
  expect(
    await verifyCode(
      { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction: recorded } },
      {},
      { ...offer, extra: {} },
    ),
  ).toBe('missing_fee_payer')
  expect(
    await verifyCode(
      { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction: recorded } },
      {},
      { ...offer, payTo: '0x0' },
    ),
  ).toBe('invalid_payment_requirements')
})

test('the compute units can have a lower limit', async () => {
  expect(await verifyCode(createV2Payment(recorded), { maxComputeUnits: 20_000 })).toBe('accepted')
  expect(await verifyCode(createV2Payment(recorded), { maxComputeUnits: 19_999 })).toBe(
    `${budget}_limit_instruction_too_high`,
  )
})

test('a transaction with any changed byte is rejected', async () => {
  const bytes = base64.decode(recorded)
  for (let at = 0; at < bytes.length; at++) {
    const altered = bytes.map((byte, place) => (place === at ? byte ^ (1 << (at % 8)) : byte))
    expect([at, await verifyCode(createV2Payment(base64.encode(altered)))]).not.toEqual([
      at,
      'accepted',
    ])
  }
})

test('any transaction causes a PaymentVerificationError or nothing', async () => {
  const whole = [...base64.decode(recorded)]
  const cut = fc.tuple(fc.nat(whole.length), fc.nat(40), fc.uint8Array({ maxLength: 40 }))
  const spliced = cut.map(([at, out, into]) =>
    base64.encode(Uint8Array.from(whole.toSpliced(at, out, ...into))),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        spliced,
        fc.string(),
        fc.base64String(),
        fc.uint8Array({ maxLength: 300 }).map((bytes) => base64.encode(bytes)),
      ),
      async (text) => {
        const code = await verifyCode(createV2Payment(text))
        expect(code).toEqual(expect.any(String))
        if (text !== recorded) expect(code).not.toBe('accepted')
      },
    ),
    { numRuns: countRounds(3000) },
  )
})
