import { PaymentVerificationError } from '@farebox/auth/verify'
import type { PaymentBackend } from './payment-backend.js'

/** The payments of a service that takes no wallets. Nothing is offered, so no payment verifies. */
export const noPayments: PaymentBackend = {
  name: 'none',
  offers: async () => [],
  verify: () => Promise.reject(new PaymentVerificationError('invalid_payment_requirements', 'This service takes no payments')),
  settle: async () => ({ status: 'unavailable' }),
}
