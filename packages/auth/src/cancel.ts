export { forgetPayment, openPayments } from './open-payments.js'
export { signCancellation, type Cancellation } from './sign-cancellation.js'
