export { AuthError, type AuthErrorCode } from './auth-error.js'
export { bearer, type BearerOptions } from './bearer.js'
export { requireSecure, type OriginOptions } from './credentials.js'
export { createSiwxHeader, type SiwxHeaderOptions } from './create-siwx-header.js'
export { encodeJsonHeader } from './encode-json-header.js'
export {
  evmSigner,
  type Eip1193Provider,
  type EthersSigner,
  type EvmSource,
  type ViemAccount,
  type ViemWalletClient,
} from './evm-signer.js'
export { memoryPaymentStore, type PaymentRecord, type PaymentStore } from './journal/payment-store.js'
export { payment, type PaymentOptions } from './payment.js'
export { PaymentError, type PaymentErrorCode } from './payment-error.js'
export type { Objection, Offer, PaymentRail, PaymentTerms, SignedPayment } from './payment-rail.js'
export type { PaymentRequirements } from './payment-requirements.js'
export type {
  EvmPaymentSigner,
  EvmSigner,
  PaymentSigner,
  RailSigner,
  SolanaPaymentSigner,
  TypedData,
  TypedDataField,
  WalletSigner,
} from './signer.js'
export { siweMessage, solanaMessage, type SiwxMessageFields } from './siwx-message.js'
export {
  solanaSigner,
  type SolanaKitSigner,
  type SolanaSource,
  type SolanaStandardWallet,
  type SolanaWalletAdapter,
} from './solana-signer.js'
export { usdcContracts, usdcOn, type UsdcContract } from './usdc.js'
export { wallet, type SiwxOptions } from './wallet.js'
