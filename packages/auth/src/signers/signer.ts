import type { EvmPaymentSigner } from '../payment/payment-rail.js'

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

/** Signs in and pays. */
export type EvmSigner = WalletSigner & EvmPaymentSigner
