import type { PaymentRail } from '../payment/payment-rail.js'

/**
 * Signs sign-in messages for one wallet. Any object of this shape works. `evmSigner` and
 * `solanaSigner` adapt common wallets.
 */
export type WalletSigner = {
  readonly kind: 'evm' | 'solana'
  /** EVM: in EIP-55 form. Solana: base58. */
  readonly address: string
  /** Signs a UTF-8 message. EVM: EIP-191 as 0x and hex. Solana: Ed25519 as base58 or base64. */
  sign(message: string): Promise<string>
}

/** Signs payments for one wallet: EVM typed data, or the signer's own payment rail. */
export type PaymentSigner = EvmPaymentSigner | RailSigner

/** Signs payments with its own rail, so that other bundles do not contain the rail. */
export type RailSigner = { readonly kind: string; readonly address: string; readonly rail: PaymentRail }

/** Signs payment authorizations (EIP-712 typed data) for one wallet. */
export type EvmPaymentSigner = {
  readonly kind: 'evm'
  readonly address: string
  /** The signature as 0x and hex. */
  signTypedData(typedData: TypedData): Promise<string>
}

/** Signs payments on Solana. `solanaPaymentSigner` of `@farebox/auth/solana` creates one. */
export type SolanaPaymentSigner = RailSigner & { readonly kind: 'solana' }

/** Signs in and pays. */
export type EvmSigner = WalletSigner & EvmPaymentSigner

export type TypedDataField = { readonly name: string; readonly type: string }

/** EIP-712 typed data as JSON, with `EIP712Domain` and integers as numbers or decimal strings. */
export type TypedData = {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<Record<string, readonly TypedDataField[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}
