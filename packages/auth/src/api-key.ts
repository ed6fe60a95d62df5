// `@farebox/auth/api-key`: what a caller with an API key needs, and nothing of wallets. A bundler
// that splits `@farebox/auth` itself may keep all of it where one name of it is used.
export { AuthError, type AuthErrorCode } from './auth-error.js'
export { bearer, type BearerOptions } from './sign-in/bearer.js'
export { requireSecure, type OriginOptions } from './credentials.js'
export { PaymentError, type PaymentErrorCode } from './payment/payment-error.js'
