import type { RefusedPayment } from '../domain/payments/read-payment.js'
import { failure } from './failures.js'

/** Failures of a payment that came with a paid request. Each says whether something was paid. */

export function notTaken(payment: RefusedPayment) {
  if (payment.status === 'unavailable') return noPayments()
  const { code, message, reason } = payment
  const refused = failure(400, `${message} Nothing was paid.`, code)
  return reason === undefined ? refused : { ...refused, json: { ...refused.json, reason } }
}

export function noPayments() {
  const error = 'No payments are taken at this moment, and nothing was paid. Try again later.'
  return failure(503, error, 'X402_NOT_CONFIGURED', { 'retry-after': '30' })
}

/** The caller and the payment name two accounts. `who` says what the caller has. */
export function otherPayer(who: string) {
  const error = `This request ${who}, and its payment is credited to the wallet that signed it. Send one of the two. Nothing was paid.`
  return failure(403, error, 'X402_WALLET_MISMATCH')
}

/** A payment pays for one request. */
export function usedBefore(payer: string) {
  const error = `This payment was credited to ${payer} before, for another request. Sign in with that wallet to spend its credit.`
  return failure(409, error, 'PAYMENT_USED')
}

export function beingSettled() {
  const error =
    'This payment is being settled. Send the same request with the same payment again in a moment.'
  return {
    ...failure(409, error, 'PAYMENT_IN_PROGRESS', { 'retry-after': '1' }),
    callersFault: false,
  }
}

/** 503, which clients repeat with the same payment. On a 402 they would sign another. */
export function unknownOutcome() {
  const error =
    'What became of the payment is not known. Send the same request with the same payment again, and sign no other.'
  return failure(503, error, 'SETTLEMENT_TIMEOUT', { 'retry-after': '5' })
}
