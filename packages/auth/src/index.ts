export { AuthError, type AuthErrorCode } from './errors.js'
export { bearer, type BearerOptions } from './api-key.js'
export {
  clientCredentials,
  type ClientCredentials,
  type ClientCredentialsOptions,
} from './client-credentials.js'
export { requireSecure, type OriginOptions } from './credentials.js'
export { createSiwxHeader, type SiwxHeaderOptions } from './sign-in/create-siwx-header.js'
export { encodeJsonHeader } from './encoding.js'
export {
  evmSigner,
  type Eip1193Provider,
  type EthersSigner,
  type EvmSource,
  type ViemAccount,
  type ViemWalletClient,
} from './signers/evm-signer.js'
export {
  memoryPaymentStore,
  type PaymentRecord,
  type PaymentStore,
} from './payment/payment-store.js'
export { indexedDbPaymentStore } from './payment/indexed-db-payment-store.js'
export {
  forgetPayment,
  openPayments,
  signCancellation,
  type Cancellation,
} from './payment/cancellation.js'
export { mppSigner } from './payment/mpp-signer.js'
export { pay, type PayOptions } from './payment/pay.js'
export { permit2Address, uptoProxyAddress } from './evm/permit2.js'
export { uptoSigner, type UptoOptions } from './payment/upto-signer.js'
export { PaymentError, type PaymentErrorCode } from './errors.js'
export type {
  EvmPaymentSigner,
  Objection,
  Offer,
  Offers,
  PaymentRail,
  PaymentRequirements,
  PaymentSigner,
  PaymentTerms,
  RailSigner,
  SignedPayment,
  SolanaPaymentSigner,
} from './payment/payment-rail.js'
export type { TypedData, TypedDataField } from './evm/signature.js'
export type { EvmSigner, WalletSigner } from './signers/signer.js'
export { siweMessage, solanaMessage, type SiwxMessageFields } from './sign-in/create-siwx-header.js'
export {
  solanaSigner,
  type SolanaKitSigner,
  type SolanaSource,
  type SolanaStandardWallet,
  type SolanaWalletAdapter,
} from './signers/solana-signer.js'
export { usdcContracts, findUsdcContract, type UsdcContract } from './evm/usdc.js'
export { signIn, type SignInOptions } from './sign-in/sign-in.js'
