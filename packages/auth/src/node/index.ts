export { defaultPaymentFolder } from './folder-payment-store.js'
export { folderPaymentStore } from './folder-payment-store.js'
