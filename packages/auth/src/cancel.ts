export { forgetPayment, openPayments } from './payment/cancellation.js'
export { signCancellation, type Cancellation } from './payment/cancellation.js'
