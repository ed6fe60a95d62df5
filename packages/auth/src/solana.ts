export { solanaKeySigner } from './keys.js'
export {
  solanaPaymentSigner,
  type SolanaPaymentSignerOptions,
} from './solana/solana-payment-signer.js'
export type { LatestBlockhash } from './solana/solana-rail.js'
export type {
  SolanaAdapterPayer,
  SolanaKitPayer,
  SolanaPayerSource,
  SolanaStandardPayer,
} from './solana/transaction-signer.js'
export { findUsdcMint, usdcMints, type UsdcMint } from './solana/address.js'
