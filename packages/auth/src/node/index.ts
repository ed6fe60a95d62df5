export { defaultPaymentFolder } from './default-store.js'
export { folderPaymentStore } from './folder-payment-store.js'
