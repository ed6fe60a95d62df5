import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PaymentRequirements } from '../payment-requirements.js'
import { associatedTokenAddress } from '../solana/associated-token-address.js'
import { computeBudgetProgram, lighthouseProgram, memoProgram, tokenProgram } from '../solana/programs.js'
import { PaymentVerificationError } from './payment-verification-error.js'
import type { VerifyPaymentOptions } from './verified-payment.js'
import { verifyPaymentAuthorization } from './verify-payment-authorization.js'

const seedOf = (n: number) => new Uint8Array(32).fill(n)
const addressOf = (n: number) => base58.encode(ed25519.getPublicKey(seedOf(n)))
const [payer, feePayer, payTo, stranger] = [addressOf(7), addressOf(8), addressOf(9), addressOf(10)]
const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const source = associatedTokenAddress(payer, usdc, tokenProgram)
const destination = associatedTokenAddress(payTo, usdc, tokenProgram)

const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  amount: '5000000',
  asset: usdc,
  payTo,
  maxTimeoutSeconds: 300,
  extra: { feePayer, memo: 'top-up 1' },
}

// made by ExactSvmScheme of @x402/svm 2.27.0 with the seed of sevens, for the offer above and a blockhash in it
const recorded =
  'AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADFaHp/Z5HQETXtn9slViJfeUUjPDU8K7vSyXfdFnQlfUdYaWZJqDzS9DwlysG2lmwD64EHlOxRcDGzPkP09lkFgAIBBAgTmPYsbRpFfFG6aktfPb0vafypMhYhjciZfkFr0X2TyupKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIsX2T04wNrpLMW2lPp+jEzMMd93xpUhLu5Y6gojNTgQeZnMC5JGJTXSS6mvk+RTqT0X6FC5kWGfJFkonbV3XbwdgMGRm/lIRcy/+ytunLDm+e8jOW7xfcSayxDmzpAAAAAxvp6877brTo9ZfNqq8l0MbG75MLS9uDkfKYCA0UvXWEFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCp6Lu8TVFr61OY5cleeqlgYkWvq5nepWKh7RNZ+gT2GJUEBAAFAiBOAAAEAAkDAQAAAAAAAAAHBAMFAgEKDEBLTAAAAAAABgYACHRvcC11cCAxAA=='

type Call = { readonly program: string; readonly accounts?: readonly string[]; readonly data: readonly number[] }
type Parts = {
  readonly keys: readonly string[]
  readonly header: readonly number[]
  readonly calls: readonly Call[]
  readonly version: number
  readonly tables: readonly number[]
  readonly sign: (message: Uint8Array) => readonly Uint8Array[]
}

const little = (value: bigint, length: number) => Array.from({ length }, (_, at) => Number((value >> BigInt(8 * at)) & 255n))
const limit: Call = { program: computeBudgetProgram, data: [2, ...little(20_000n, 4)] }
const price: Call = { program: computeBudgetProgram, data: [3, ...little(1n, 8)] }
const transferOf = (amount: bigint, accounts = [source, usdc, destination, payer], decimals = 6): Call => ({
  program: tokenProgram,
  accounts,
  data: [12, ...little(amount, 8), decimals],
})
const transfer = transferOf(5_000_000n)
const memo: Call = { program: memoProgram, data: [...new TextEncoder().encode('top-up 1')] }
const assertion: Call = { program: lighthouseProgram, accounts: [source], data: [1, 2, 3] }

const good: Parts = {
  keys: [feePayer, payer, source, destination, computeBudgetProgram, usdc, memoProgram, lighthouseProgram, stranger, tokenProgram],
  header: [2, 1, 6],
  calls: [limit, price, transfer, memo],
  version: 0x80,
  tables: [],
  sign: (message) => [new Uint8Array(64), ed25519.sign(message, seedOf(7))],
}

/** A transaction of the parts, in base64. Every length is below 128, so that one byte holds it. */
function transactionOf(change: Partial<Parts> = {}): string {
  const { keys, header, calls, version, tables, sign } = { ...good, ...change }
  const body = calls.flatMap(({ program, accounts = [], data }) => [
    keys.indexOf(program),
    accounts.length,
    ...accounts.map((account) => keys.indexOf(account)),
    data.length,
    ...data,
  ])
  const message = Uint8Array.from([
    version,
    ...header,
    keys.length,
    ...keys.flatMap((key) => [...base58.decode(key)]),
    ...new Uint8Array(32).fill(3),
    calls.length,
    ...body,
    tables.length,
    ...tables,
  ])
  const signatures = sign(message)
  return base64.encode(Uint8Array.from([signatures.length, ...signatures.flatMap((one) => [...one]), ...message]))
}

const v2 = (transaction: string, accepted: object = {}) => ({
  x402Version: 2,
  accepted: { ...offer, ...accepted },
  payload: { transaction },
})

const codeOf = (payload: unknown, options: VerifyPaymentOptions = {}, offers: PaymentRequirements = offer) =>
  verifyPaymentAuthorization(payload, offers, options).then(
    () => 'accepted',
    (error: unknown) => (error instanceof PaymentVerificationError ? error.code.replace('invalid_exact_svm_payload_', '') : error),
  )

test('the transaction of @x402/svm is accepted', async () => {
  expect(await verifyPaymentAuthorization(v2(recorded), [offer])).toEqual({
    kind: 'solana',
    payer: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    nonce: '0x5ca309faf8ae0b736f025115aadd1e3fa401a76d762fb3b9b06599fc4c04e5a7',
    amount: 5_000_000n,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: usdc,
    payTo: 'J2xccRtuG43drESLYznHhLhQkLTdfepcKYbiQ9BsJVaf',
    shape: 'v2',
    transaction: recorded,
    feePayer: '2KW2XRd9kwqet15Aha2oK3tYvd3nWbTFH1MBiRAv1BE1',
    recentBlockhash: 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W',
  })
})

test('all three envelopes are accepted', async () => {
  const flat = { scheme: 'exact', network: 'solana', payload: { transaction: transactionOf() } }
  for (const x402Version of [1, 2]) {
    expect(await verifyPaymentAuthorization({ x402Version, ...flat }, offer)).toMatchObject({ shape: 'v1', network: offer.network, payer })
  }
  expect(await codeOf(v2(transactionOf()))).toBe('accepted')
})

test('a raised amount within the range is accepted, outside it is refused by name', async () => {
  const range = { minAmount: 5_000_000n, maxAmount: 100_000_000n }
  const paying = (amount: bigint) => v2(transactionOf({ calls: [limit, price, transferOf(amount), memo] }), { amount: String(amount) })
  expect(await codeOf(paying(25_000_000n), range)).toBe('accepted')
  expect(await codeOf(paying(4_999_999n), range)).toBe('amount_too_low')
  expect(await codeOf(paying(100_000_001n), range)).toBe('amount_too_high')
  expect(await codeOf(paying(25_000_000n))).toBe('amount_mismatch')
  expect(await codeOf(v2(transactionOf(), { amount: '6000000' }), range)).toBe('amount_mismatch')
})

test('a blockhash in an offer is no term, since each offer has a new one', async () => {
  const accepted = { extra: { ...offer.extra, recentBlockhash: addressOf(11), lastValidBlockHeight: '1' } }
  expect(await codeOf(v2(transactionOf(), accepted))).toBe('accepted')
})

test('three assertions of a wallet and the memo are 7 instructions, which are accepted', async () => {
  expect(await codeOf(v2(transactionOf({ calls: [limit, price, transfer, assertion, assertion, memo, assertion] })))).toBe('accepted')
})

test('without a memo in the offer any memo and none are accepted', async () => {
  const plain = { ...offer, extra: { feePayer } }
  for (const calls of [
    [limit, price, transfer],
    [limit, price, transfer, { ...memo, data: [1] }, memo],
  ]) {
    expect(await codeOf(v2(transactionOf({ calls }), { extra: { feePayer } }), {}, plain)).toBe('accepted')
  }
})

const withCalls = (...calls: Call[]) => v2(transactionOf({ calls }))
const budget = 'transaction_instructions_compute'

const refused: [string, () => unknown, string][] = [
  ['what is not base64', () => v2('?'), 'transaction_could_not_be_decoded'],
  ['base64url', () => v2(recorded.replaceAll('/', '_')), 'transaction_could_not_be_decoded'],
  ['no transaction', () => ({ ...v2(''), payload: {} }), 'invalid_payload'],
  ['a byte too many', () => v2(base64.encode(Uint8Array.from([...base64.decode(recorded), 0]))), 'transaction_could_not_be_decoded'],
  ['a byte too few', () => v2(base64.encode(base64.decode(recorded).slice(0, -1))), 'transaction_could_not_be_decoded'],
  [
    'more than a packet',
    () => withCalls(...Array.from({ length: 8 }, () => ({ ...memo, data: Array<number>(127).fill(0) }))),
    'transaction_could_not_be_decoded',
  ],
  ['version 1', () => v2(transactionOf({ version: 0x81 })), 'transaction_could_not_be_decoded'],
  ['address tables', () => v2(transactionOf({ tables: [...new Uint8Array(32).fill(1), 1, 0, 0] })), 'transaction_could_not_be_decoded'],
  ['a key that comes twice', () => v2(transactionOf({ keys: [...good.keys, payer] })), 'transaction_could_not_be_decoded'],
  ['a key that is not there', () => v2(transactionOf({ keys: good.keys.slice(0, -1) })), 'transaction_could_not_be_decoded'],
  ['fewer signatures than signers', () => v2(transactionOf({ sign: () => [new Uint8Array(64)] })), 'transaction_could_not_be_decoded'],
  [
    'another fee payer',
    () => v2(transactionOf({ keys: [stranger, ...good.keys.slice(1, 8), feePayer, tokenProgram] })),
    'invalid_exact_svm_fee_payer_mismatch',
  ],
  [
    'a fee payer that pays itself',
    () => withCalls(limit, price, transferOf(5_000_000n, [source, usdc, destination, feePayer]), memo),
    'transaction_fee_payer_transferring_funds',
  ],
  [
    'a fee payer in an assertion',
    () => withCalls(limit, price, transfer, memo, { ...assertion, accounts: [feePayer] }),
    'transaction_fee_payer_transferring_funds',
  ],
  ['two instructions', () => withCalls(limit, price), 'transaction_instructions_length'],
  [
    'eight instructions',
    () => withCalls(limit, price, transfer, memo, assertion, assertion, assertion, assertion),
    'transaction_instructions_length',
  ],
  ['price before limit', () => withCalls(price, limit, transfer, memo), `${budget}_limit_instruction`],
  [
    'a limit with a byte too many',
    () => withCalls({ ...limit, data: [...limit.data, 0] }, price, transfer, memo),
    `${budget}_limit_instruction`,
  ],
  [
    'a limit above what the chain gives',
    () => withCalls({ ...limit, data: [2, ...little(1_400_001n, 4)] }, price, transfer, memo),
    `${budget}_limit_instruction_too_high`,
  ],
  ['no price', () => withCalls(limit, transfer, memo), `${budget}_price_instruction`],
  [
    'a price of more than 5 lamports',
    () => withCalls(limit, { ...price, data: [3, ...little(5_000_001n, 8)] }, transfer, memo),
    `${budget}_price_instruction_too_high`,
  ],
  ['no transfer', () => withCalls(limit, price, memo), 'no_transfer_instruction'],
  [
    'a transfer that is not checked',
    () => withCalls(limit, price, { ...transfer, data: [3, ...little(5_000_000n, 8)] }, memo),
    'no_transfer_instruction',
  ],
  [
    'other decimals',
    () => withCalls(limit, price, transferOf(5_000_000n, [source, usdc, destination, payer], 9), memo),
    'no_transfer_instruction',
  ],
  [
    'a multisignature',
    () => withCalls(limit, price, transferOf(5_000_000n, [source, usdc, destination, payer, stranger]), memo),
    'no_transfer_instruction',
  ],
  [
    'a program that is not the mint’s',
    () => withCalls(limit, price, { ...transfer, program: memoProgram }, memo),
    'no_transfer_instruction',
  ],
  [
    'an authority that does not sign',
    () => withCalls(limit, price, transferOf(5_000_000n, [source, usdc, destination, stranger]), memo),
    'no_transfer_instruction',
  ],
  ['a destination that is not writable', () => v2(transactionOf({ header: [2, 1, 7] })), 'no_transfer_instruction'],
  ['another mint', () => withCalls(limit, price, transferOf(5_000_000n, [source, stranger, destination, payer]), memo), 'mint_mismatch'],
  ['another payee', () => withCalls(limit, price, transferOf(5_000_000n, [source, usdc, stranger, payer]), memo), 'recipient_mismatch'],
  [
    'the payee’s wallet instead of its token account',
    () => withCalls(limit, price, transferOf(5_000_000n, [source, usdc, source, payer]), memo),
    'recipient_mismatch',
  ],
  [
    'the payee’s own tokens',
    () => withCalls(limit, price, transferOf(5_000_000n, [destination, usdc, destination, payer]), memo),
    'recipient_mismatch',
  ],
  ['another amount', () => withCalls(limit, price, transferOf(4_999_999n), memo), 'amount_mismatch'],
  ['a second transfer', () => withCalls(limit, price, transfer, memo, transfer), 'unknown_optional_instruction'],
  ['no memo', () => withCalls(limit, price, transfer, assertion), 'memo_count'],
  ['two memos', () => withCalls(limit, price, transfer, memo, memo), 'memo_count'],
  ['another memo', () => withCalls(limit, price, transfer, { ...memo, data: [1] }), 'memo_mismatch'],
  [
    'a third signer',
    () => v2(transactionOf({ header: [3, 0, 6], sign: (message) => [...good.sign(message), new Uint8Array(64)] })),
    'excessive_signers',
  ],
  ['no signature', () => v2(transactionOf({ sign: () => [new Uint8Array(64), new Uint8Array(64)] })), 'signature_invalid'],
  [
    'the signature of another',
    () => v2(transactionOf({ sign: (message) => [new Uint8Array(64), ed25519.sign(message, seedOf(10))] })),
    'signature_invalid',
  ],
  [
    'a signature of the fee payer',
    () => v2(transactionOf({ sign: (message) => [ed25519.sign(message, seedOf(8)), ed25519.sign(message, seedOf(7))] })),
    'signature_invalid',
  ],
  ['another network', () => v2(recorded, { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }), 'invalid_network'],
  ['the mint in lower case', () => v2(recorded, { asset: usdc.toLowerCase() }), 'invalid_asset'],
  ['another payee in accepted', () => v2(recorded, { payTo: stranger }), 'recipient_mismatch'],
  ['another fee payer in accepted', () => v2(recorded, { extra: { ...offer.extra, feePayer: stranger } }), 'invalid_payment_requirements'],
  ['another memo in accepted', () => v2(recorded, { extra: { feePayer } }), 'invalid_payment_requirements'],
]

for (const [name, payload, code] of refused) test(`${name} is refused: ${code}`, async () => expect(await codeOf(payload())).toBe(code))

test('an offer that names no fee payer, or no address, takes no payment', async () => {
  expect(
    await codeOf({ x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction: recorded } }, {}, { ...offer, extra: {} }),
  ).toBe('missing_fee_payer')
  expect(
    await codeOf(
      { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction: recorded } },
      {},
      { ...offer, payTo: '0x0' },
    ),
  ).toBe('invalid_payment_requirements')
})

test('the compute units can be capped lower', async () => {
  expect(await codeOf(v2(recorded), { maxComputeUnits: 20_000 })).toBe('accepted')
  expect(await codeOf(v2(recorded), { maxComputeUnits: 19_999 })).toBe(`${budget}_limit_instruction_too_high`)
})

test('any change of any byte of a transaction is refused', async () => {
  const bytes = base64.decode(recorded)
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.map((byte, place) => (place === at ? byte ^ (1 << (at % 8)) : byte))
    expect([at, await codeOf(v2(base64.encode(changed)))]).not.toEqual([at, 'accepted'])
  }
})

test('no transaction makes anything but a PaymentVerificationError', async () => {
  const whole = [...base64.decode(recorded)]
  const cut = fc.tuple(fc.nat(whole.length), fc.nat(40), fc.uint8Array({ maxLength: 40 }))
  const spliced = cut.map(([at, out, into]) => base64.encode(Uint8Array.from(whole.toSpliced(at, out, ...into))))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        spliced,
        fc.string(),
        fc.base64String(),
        fc.uint8Array({ maxLength: 300 }).map((bytes) => base64.encode(bytes)),
      ),
      async (text) => {
        const code = await codeOf(v2(text))
        expect(code).toEqual(expect.any(String))
        if (text !== recorded) expect(code).not.toBe('accepted')
      },
    ),
    { numRuns: 3000 },
  )
})
