import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import type { PaymentRequirements } from '../src/payment/payment-rail.js'
import {
  deriveAssociatedTokenAddress,
  computeBudgetProgram,
  lighthouseProgram,
  memoProgram,
  tokenProgram,
} from '../src/solana/address.js'
import { PaymentVerificationError } from '../src/verify/errors.js'
import type { VerifyPaymentOptions } from '../src/verify/rail.js'
import { verifyPaymentAuthorization } from '../src/verify/verify-payment-authorization.js'

export const createSeed = (n: number) => new Uint8Array(32).fill(n)
export const createAddress = (n: number) => base58.encode(ed25519.getPublicKey(createSeed(n)))
export const [payer, feePayer, payTo, stranger] = [
  createAddress(7),
  createAddress(8),
  createAddress(9),
  createAddress(10),
]
export const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const source = deriveAssociatedTokenAddress(payer, usdc, tokenProgram)
export const destination = deriveAssociatedTokenAddress(payTo, usdc, tokenProgram)

export const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  amount: '5000000',
  asset: usdc,
  payTo,
  maxTimeoutSeconds: 300,
  extra: { feePayer, memo: 'top-up 1' },
}

// created by ExactSvmScheme of @x402/svm 2.27.0 with the seed of sevens, for the offer above and a
// blockhash in it
export const recorded =
  'AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADFaHp/Z5HQETXtn9slViJfeUUjPDU8K7vSyXfdFnQlfUdYaWZJqDzS9DwlysG2lmwD64EHlOxRcDGzPkP09lkFgAIBBAgTmPYsbRpFfFG6aktfPb0vafypMhYhjciZfkFr0X2TyupKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIsX2T04wNrpLMW2lPp+jEzMMd93xpUhLu5Y6gojNTgQeZnMC5JGJTXSS6mvk+RTqT0X6FC5kWGfJFkonbV3XbwdgMGRm/lIRcy/+ytunLDm+e8jOW7xfcSayxDmzpAAAAAxvp6877brTo9ZfNqq8l0MbG75MLS9uDkfKYCA0UvXWEFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCp6Lu8TVFr61OY5cleeqlgYkWvq5nepWKh7RNZ+gT2GJUEBAAFAiBOAAAEAAkDAQAAAAAAAAAHBAMFAgEKDEBLTAAAAAAABgYACHRvcC11cCAxAA=='

export type Call = {
  readonly program: string
  readonly accounts?: readonly string[]
  readonly data: readonly number[]
}
type Parts = {
  readonly keys: readonly string[]
  readonly header: readonly number[]
  readonly calls: readonly Call[]
  readonly version: number
  readonly tables: readonly number[]
  readonly sign: (message: Uint8Array) => readonly Uint8Array[]
}

export const toLittleEndian = (value: bigint, length: number) =>
  Array.from({ length }, (_, at) => Number((value >> BigInt(8 * at)) & 255n))
export const limit: Call = {
  program: computeBudgetProgram,
  data: [2, ...toLittleEndian(20_000n, 4)],
}
export const price: Call = { program: computeBudgetProgram, data: [3, ...toLittleEndian(1n, 8)] }
export const createTransfer = (
  amount: bigint,
  accounts = [source, usdc, destination, payer],
  decimals = 6,
): Call => ({
  program: tokenProgram,
  accounts,
  data: [12, ...toLittleEndian(amount, 8), decimals],
})
export const transfer = createTransfer(5_000_000n)
export const memo: Call = { program: memoProgram, data: [...new TextEncoder().encode('top-up 1')] }
export const assertion: Call = { program: lighthouseProgram, accounts: [source], data: [1, 2, 3] }

export const validParts: Parts = {
  keys: [
    feePayer,
    payer,
    source,
    destination,
    computeBudgetProgram,
    usdc,
    memoProgram,
    lighthouseProgram,
    stranger,
    tokenProgram,
  ],
  header: [2, 1, 6],
  calls: [limit, price, transfer, memo],
  version: 0x80,
  tables: [],
  sign: (message) => [new Uint8Array(64), ed25519.sign(message, createSeed(7))],
}

/** A transaction of these parts, in base64. Every length is below 128, so it has one byte. */
export function encodeTransaction(change: Partial<Parts> = {}): string {
  const { keys, header, calls, version, tables, sign } = { ...validParts, ...change }
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
  return base64.encode(
    Uint8Array.from([
      signatures.length,
      ...signatures.flatMap((signature) => [...signature]),
      ...message,
    ]),
  )
}

export const createV2Payment = (transaction: string, accepted: object = {}) => ({
  x402Version: 2,
  accepted: { ...offer, ...accepted },
  payload: { transaction },
})

export const verifyCode = (
  payload: unknown,
  options: VerifyPaymentOptions = {},
  offers: PaymentRequirements = offer,
) =>
  verifyPaymentAuthorization(payload, offers, options).then(
    () => 'accepted',
    (error: unknown) =>
      error instanceof PaymentVerificationError
        ? error.code.replace('invalid_exact_svm_payload_', '')
        : error,
  )

export const withCalls = (...calls: Call[]) => createV2Payment(encodeTransaction({ calls }))
export const budget = 'transaction_instructions_compute'
