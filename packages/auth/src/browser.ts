export { indexedDbPaymentStore } from './journal/indexed-db-payment-store.js'
