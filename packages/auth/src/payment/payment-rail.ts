import type { TypedData } from '../evm/signature.js'

/** The unvalidated offers of a 402. */
export type Offers = {
  readonly version: 1 | 2
  readonly accepts: readonly Readonly<Record<string, unknown>>[]
  /** Version 2: what the payment sends back. */
  readonly resource: unknown
  readonly extensions: unknown
}

/** An acceptable offer. Every field that the signature depends on was checked. */
export type Offer = {
  /** As the service sent it. */
  readonly entry: Readonly<Record<string, unknown>>
  /** CAIP-2, even for an offer of version 1. */
  readonly network: string
  readonly payTo: string
  /** Atomic units, as requested by the service. */
  readonly amount: bigint
  readonly timeoutSeconds: number
}

export type PaymentTerms = {
  /** Atomic units, as signed. */
  readonly amount: bigint
  /** Milliseconds since 1970, by the service's clock: at most 15 minutes from `now`. */
  readonly serviceNow: number
  /** Milliseconds since 1970, by our own clock. */
  readonly now: number
  /** Fills the bytes. */
  readonly random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array
  /** The nonce of an earlier payment, for a rail that can sign it again. Default: a new one. */
  readonly nonce?: string | undefined
}

/** A payment authorization with its signature. */
export type SignedPayment = {
  /** 0x and 64 hex digits, unique. */
  readonly nonce: string
  /** The `payload` of the x402 document. */
  readonly payload: object
  /**
   * Milliseconds since 1970 by our own clock. From then on the payment can no longer be settled.
   */
  readonly heldUntil: number
  /** The header that pays, for a rail of another protocol than x402. */
  readonly header?: { readonly name: string; readonly value: string }
}

/** How wallets of one family of chains pay: which offers they accept, and how they sign one. */
export type PaymentRail = {
  /** The paying wallet, in the canonical form of its chain. */
  readonly payer: string
  /** The scheme of the offers. Default: exact. */
  readonly scheme?: 'upto'
  /**
   * Reads the offers of a 402 of another protocol than x402, with the fields of x402 version 2.
   * Consumes the response.
   */
  readonly readOffers?: (response: Response, serviceNow: number) => Promise<Offers>
  /** CAIP-2 names of the default networks. */
  readonly networks: readonly string[]
  /** The CAIP-2 name of a network with known USDC, also from its name in x402 version 1. */
  readonly networkOf: (name: string) => string | undefined
  /** Why an offer on a known network must not be paid; undefined if it may be. */
  readonly objection: (entry: Readonly<Record<string, unknown>>) => Objection | undefined
  readonly isSame: (left: string, right: string) => boolean
  /**
   * Whether `sign` takes a nonce, so that of all payments with this nonce on one network at most one
   * is settled.
   */
  readonly signsNonceAgain?: boolean
  readonly sign: (offer: Offer, terms: PaymentTerms) => Promise<SignedPayment>
}

export type Objection = {
  readonly code: 'no_acceptable_offer' | 'domain_mismatch'
  readonly why: string
}

/** An objection to an offer that the rules do not allow. */
export function createObjection(why: string): Objection {
  return { code: 'no_acceptable_offer', why }
}

/** A name in an offer, unless it is long or could forge a log line. */
export function quote(name: unknown): string {
  return typeof name === 'string' && /^[\w:.-]{1,50}$/.test(name)
    ? `"${name}"`
    : 'an unreadable name'
}

/**
 * One offer of an x402 server (version 2).
 * @see https://github.com/coinbase/x402 section "PaymentRequirements"
 */
export type PaymentRequirements = {
  readonly scheme: string
  /** CAIP-2. */
  readonly network: string
  /** Atomic units, as a decimal string. */
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Signs payments for one wallet: EVM typed data, or the signer's own payment rail. */
export type PaymentSigner = EvmPaymentSigner | RailSigner

/** Signs payments with its own rail, so that other bundles do not contain the rail. */
export type RailSigner = {
  readonly kind: string
  readonly address: string
  readonly rail: PaymentRail
}

/** Signs payment authorizations (EIP-712 typed data) for one wallet. */
export type EvmPaymentSigner = {
  readonly kind: 'evm'
  readonly address: string
  /** The signature as 0x and hex. */
  signTypedData(typedData: TypedData): Promise<string>
}

/** Signs payments on Solana. `solanaPaymentSigner` of `@farebox/auth/solana` creates one. */
export type SolanaPaymentSigner = RailSigner & { readonly kind: 'solana' }
