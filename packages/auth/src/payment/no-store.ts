import type { PaymentStore } from './payment-store.js'

/**
 * The store of a platform without persistent storage, such as a worker. It rejects payments,
 * because it would lose them.
 */
export function defaultPaymentStore(): PaymentStore {
  return {
    update: () => Promise.reject(new Error('this platform has neither files nor IndexedDB')),
  }
}
