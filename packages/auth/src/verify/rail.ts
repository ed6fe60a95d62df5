import type { PaymentRequirements } from '../payment/payment-rail.js'
import {
  PaymentVerificationError,
  createVerificationError,
  type PaymentVerificationCode,
} from './errors.js'
import type { Permit2Authorization } from '../evm/permit2.js'
import type { TransferAuthorization } from '../evm/usdc.js'

export type Fields = Readonly<Record<string, unknown>>

/** The known USDC of one network. */
export type KnownToken = {
  /** CAIP-2. */
  readonly network: string
  /** The name of the network in x402 version 1. */
  readonly networkV1: string
  readonly asset: string
}

/** The known USDC of a network of the rail (CAIP-2 or version 1 name). */
export function findToken<Token extends KnownToken>(
  { tokens }: Rail<Token>,
  name: string,
): Token | undefined {
  return tokens.find(({ network, networkV1 }) => network === name || networkV1 === name)
}

/** What a payment must match: the offer, the token, and the fields around the payload. */
export type PaymentTerms<Token extends KnownToken = KnownToken> = {
  readonly offer: PaymentRequirements
  readonly token: Token
  /** Version 2: the offer that the client accepted. */
  readonly accepted?: Fields
  readonly shape: 'v2' | 'v1'
}

/** A payment rail: how payments of one family of chains are read and verified. */
export type Rail<Token extends KnownToken = KnownToken, Payload extends object = object> = {
  /** The scheme of its offers. */
  readonly scheme: VerifiedPayment['scheme']
  /** The names of its networks: CAIP-2, or of x402 version 1, with known USDC or not. */
  readonly networks: RegExp
  readonly tokens: readonly Token[]
  /** Whether two addresses are the same wallet. */
  readonly isSame: (left: string, right: string) => boolean
  /** The fields of `extra` that `accepted` must repeat: those that are the same in each offer. */
  readonly terms: readonly string[]
  /** The code of a payment to a payee other than the offered one. */
  readonly otherPayee: PaymentVerificationCode
  /** The `payload` of the x402 document. Throws a PaymentVerificationError `invalid_payload`. */
  readonly read: (payload: Fields) => Payload
  // method syntax: a rail receives only the payload that it has read, and its own tokens
  verify(
    payload: Payload,
    terms: PaymentTerms<Token>,
    options: VerifyPaymentOptions,
  ): Promise<VerifiedPayment>
}

/**
 * Returns the signed atomic units if they match `accepted` and the offer or allowed range.
 * `mismatch` is the rail's code for another amount.
 */
export function checkAmount(
  signedAmount: string,
  { accepted, offer }: PaymentTerms,
  { minAmount, maxAmount }: VerifyPaymentOptions,
  mismatch: PaymentVerificationCode,
): bigint {
  const amount = BigInt(signedAmount)
  if (accepted && accepted['amount'] !== signedAmount)
    throw createVerificationError(mismatch, 'the signed amount is not "accepted.amount"')
  if (minAmount === undefined && maxAmount === undefined && offer.amount !== signedAmount) {
    throw createVerificationError(mismatch, `the signed amount is not the offered ${offer.amount}`)
  }
  if (minAmount !== undefined && amount < minAmount)
    throw createVerificationError('amount_too_low', `${amount} is less than ${minAmount}`)
  if (maxAmount !== undefined && amount > maxAmount)
    throw createVerificationError('amount_too_high', `${amount} is more than ${maxAmount}`)
  return amount
}

/** An own field that is a string. Throws a PaymentVerificationError `invalid_payload`. */
export function readStringField(object: Fields, name: string): string {
  const value = readOwnField(object, name)
  if (typeof value !== 'string') throw createPayloadError(`"${name}" is not a string`)
  return value
}

export function readOwnField(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

export function createPayloadError(what: string): PaymentVerificationError {
  return new PaymentVerificationError('invalid_payload', `Payment payload: ${what}`)
}

export type VerifyPaymentOptions = {
  /**
   * Smallest and largest amount in atomic units. With either of them, the client may choose an
   * amount in the range (in version 2 it must sign its `accepted.amount`). Without them, the amount
   * must equal that of the offer.
   */
  readonly minAmount?: bigint
  readonly maxAmount?: bigint
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /**
   * Asks the chain whether a smart wallet accepts the signature. EVM only. Called only if the
   * signature is not that of the payer's key.
   */
  readonly verifyContract?: (
    address: string,
    hash: string,
    signature: string,
    chainId: number,
  ) => Promise<boolean>
  /** Solana only: the most compute units. Default 1,400,000, the limit of the chain. */
  readonly maxComputeUnits?: number
}

export type VerifiedPayment = VerifiedEvmPayment | VerifiedUptoPayment | VerifiedSolanaPayment

type VerifiedFields = {
  /** The paying wallet: EIP-55 for EVM, base58 for Solana. */
  readonly payer: string
  /**
   * 0x and 64 hex digits in lower case; for Solana the SHA-256 of the signed message. Credit a
   * payment once for each combination of `payer`, `network`, `asset` and `nonce`.
   */
  readonly nonce: string
  /** Atomic units: for the scheme `upto` the maximum, of which the server settles a part. */
  readonly amount: bigint
  /** CAIP-2, even for a payment of version 1. */
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly shape: 'v2' | 'v1'
  /** The `payload` of the x402 document for a facilitator, with only the verified fields. */
  readonly payload: object
}

export type EvmPayload = {
  readonly signature: string
  readonly authorization: TransferAuthorization
}
export type UptoPayload = {
  readonly signature: string
  readonly permit2Authorization: Permit2Authorization
}
/** `transaction`: base64, as the client sent it. The signature of the fee payer is missing. */
export type SolanaPayload = { readonly transaction: string }

type EvmTimes = {
  /** Unix seconds. */
  readonly validAfter: bigint
  /** Unix seconds. After this moment the authorization can no longer be settled. */
  readonly validBefore: bigint
}

export type VerifiedEvmPayment = VerifiedFields &
  EvmPayload &
  EvmTimes & { readonly kind: 'evm'; readonly scheme: 'exact' }

export type VerifiedUptoPayment = VerifiedFields &
  UptoPayload &
  EvmTimes & {
    readonly kind: 'evm'
    readonly scheme: 'upto'
    /** The only account that may settle the payment. */
    readonly facilitator: string
  }

export type VerifiedSolanaPayment = VerifiedFields &
  SolanaPayload & {
    readonly kind: 'solana'
    readonly scheme: 'exact'
    readonly feePayer: string
    /** It expires after 60 to 90 seconds. Then the transaction cannot be settled. */
    readonly recentBlockhash: string
  }
