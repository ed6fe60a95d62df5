import type { TransferAuthorization } from '../transfer-typed-data.js'

export type VerifyPaymentOptions = {
  /**
   * Smallest and largest amount in atomic units. With either, the client may have raised or lowered the offer's amount within the range
   * (in version 2 it must sign what its `accepted.amount` says); with neither, the amount is the offer's exactly.
   */
  readonly minAmount?: bigint
  readonly maxAmount?: bigint
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Asks the chain whether a smart wallet takes the signature. EVM only. Called only when the signature is not the payer's own. */
  readonly verifyContract?: (address: string, hash: string, signature: string, chainId: number) => Promise<boolean>
  /** Solana only: the compute units that a transaction may ask for. Default 1,400,000, which is all that the chain gives. */
  readonly maxComputeUnits?: number
}

export type VerifiedPayment = VerifiedEvmPayment | VerifiedSolanaPayment

type Verified = {
  /** The wallet that pays: EIP-55 for EVM, base58 as it is for Solana. */
  readonly payer: string
  /**
   * 0x and 64 hex digits in lower case; for Solana the SHA-256 of the message that was signed. With `payer`, `network` and `asset` it is
   * the key under which to credit once.
   */
  readonly nonce: string
  /** Atomic units. */
  readonly amount: bigint
  /** CAIP-2, whatever the client wrote. */
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly shape: 'v2' | 'v1'
}

export type VerifiedEvmPayment = Verified & {
  readonly kind: 'evm'
  /** Unix seconds. */
  readonly validAfter: bigint
  /** Unix seconds. After this moment the authorization can no longer be settled. */
  readonly validBefore: bigint
  readonly authorization: TransferAuthorization
  readonly signature: string
}

export type VerifiedSolanaPayment = Verified & {
  readonly kind: 'solana'
  /** Base64, as the client sent it. The fee payer has yet to sign. */
  readonly transaction: string
  readonly feePayer: string
  /** When the chain has forgotten it, after 60 to 90 seconds, the transaction can no longer be settled. */
  readonly recentBlockhash: string
}
