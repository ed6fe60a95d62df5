import { indexedDbPaymentStore } from './indexed-db-payment-store.js'
import type { PaymentStore } from './payment-store.js'

let store: PaymentStore | undefined

/** One store for the origin of the page. */
export function defaultPaymentStore(): PaymentStore {
  return (store ??= indexedDbPaymentStore())
}
