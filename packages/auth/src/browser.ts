export { indexedDbPaymentStore } from './payment/indexed-db-payment-store.js'
