import type { PaymentStore } from './payment-store.js'

/**
 * The store of a platform without a disk, such as a worker. It refuses payments, because it would
 * forget them.
 */
export function defaultPaymentStore(): PaymentStore {
  return {
    update: () => Promise.reject(new Error('this platform has neither files nor IndexedDB')),
  }
}
