// `@farebox/auth/api-key`: everything for callers with an API key, without the wallet code. A
// bundler that splits `@farebox/auth` may keep the whole package even if one name is used.
export { AuthError, type AuthErrorCode } from './auth-error.js'
export { bearer, type BearerOptions } from './sign-in/bearer.js'
export { requireSecure, type OriginOptions } from './credentials.js'
export { PaymentError, type PaymentErrorCode } from './payment/payment-error.js'
