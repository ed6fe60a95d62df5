import type { TransferAuthorization } from '../evm/usdc.js'

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

export type VerifiedPayment = VerifiedEvmPayment | VerifiedSolanaPayment

type Verified = {
  /** The paying wallet: EIP-55 for EVM, base58 for Solana. */
  readonly payer: string
  /**
   * 0x and 64 hex digits in lower case; for Solana the SHA-256 of the signed message. Credit a
   * payment once for each combination of `payer`, `network`, `asset` and `nonce`.
   */
  readonly nonce: string
  /** Atomic units. */
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
/** `transaction`: base64, as the client sent it. The signature of the fee payer is missing. */
export type SolanaPayload = { readonly transaction: string }

export type VerifiedEvmPayment = Verified &
  EvmPayload & {
    readonly kind: 'evm'
    /** Unix seconds. */
    readonly validAfter: bigint
    /** Unix seconds. After this moment the authorization can no longer be settled. */
    readonly validBefore: bigint
  }

export type VerifiedSolanaPayment = Verified &
  SolanaPayload & {
    readonly kind: 'solana'
    readonly feePayer: string
    /** It expires after 60 to 90 seconds. Then the transaction cannot be settled. */
    readonly recentBlockhash: string
  }
