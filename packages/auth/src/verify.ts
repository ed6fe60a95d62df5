export { encodeJsonHeader } from './encoding.js'
export {
  decodeBase64url,
  encodeBase64url,
  formatPaymentChallenge,
  parsePaymentCredential,
  paymentChallengeNonce,
  type PaymentChallenge,
  type PaymentCredential,
} from './payment-scheme.js'
export type { PaymentRequirements } from './payment/payment-rail.js'
export type { TransferAuthorization } from './evm/usdc.js'
export type { Permit2Authorization } from './evm/permit2.js'
export { findUsdcMint, usdcMints, type UsdcMint } from './solana/address.js'
export { verifyEd25519 } from './native/ed25519.js'
export { usdcContracts, findUsdcContract, type UsdcContract } from './evm/usdc.js'
export { hasLibsecp256k1 } from './evm/signature.js'
export { contractVerifier, type EthCall } from './verify/contract-verifier.js'
export { jsonRpcEthCall, type JsonRpcOptions } from './verify/contract-verifier.js'
export {
  parseSiweMessage,
  parseSolanaMessage,
  type SiweMessage,
  type SolanaMessage,
} from './verify/parse-siwe-message.js'
export { PaymentVerificationError, type PaymentVerificationCode } from './verify/errors.js'
export { decodePaymentHeader } from './verify/verify-payment-authorization.js'
export type { KnownToken, Rail } from './verify/rail.js'
export {
  findRailKind,
  rails,
  findUsdcToken,
  type RailKind,
} from './verify/verify-payment-authorization.js'
export { SiwxError, type SiwxErrorCode } from './verify/errors.js'
export type {
  VerifiedEvmPayment,
  VerifiedPayment,
  VerifiedSolanaPayment,
  VerifiedUptoPayment,
  VerifyPaymentOptions,
} from './verify/rail.js'
export { verifyPaymentAuthorization } from './verify/verify-payment-authorization.js'
export {
  verifySiwxHeader,
  type VerifiedSiwx,
  type VerifySiwxOptions,
} from './verify/verify-siwx-header.js'
