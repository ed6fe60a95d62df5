import { refusedPayment, type PaymentVerificationCode } from './payment-verification-error.js'
import type { PaymentTerms } from './rail.js'
import type { VerifyPaymentOptions } from './verified-payment.js'

/**
 * Returns the signed atomic units if they match `accepted` and the offer or allowed range.
 * `mismatch` is the code of the rail for another amount.
 */
export function checkAmount(
  signed: string,
  { accepted, offer }: PaymentTerms,
  { minAmount, maxAmount }: VerifyPaymentOptions,
  mismatch: PaymentVerificationCode,
): bigint {
  const amount = BigInt(signed)
  if (accepted && accepted['amount'] !== signed) throw refusedPayment(mismatch, 'the signed amount is not "accepted.amount"')
  if (minAmount === undefined && maxAmount === undefined && offer.amount !== signed) {
    throw refusedPayment(mismatch, `the signed amount is not the offered ${offer.amount}`)
  }
  if (minAmount !== undefined && amount < minAmount) throw refusedPayment('amount_too_low', `${amount} is less than ${minAmount}`)
  if (maxAmount !== undefined && amount > maxAmount) throw refusedPayment('amount_too_high', `${amount} is more than ${maxAmount}`)
  return amount
}
