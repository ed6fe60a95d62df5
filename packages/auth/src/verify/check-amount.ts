import type { PaymentRequirements } from '../payment-requirements.js'
import { refusedPayment } from './payment-verification-error.js'
import type { PaymentPayload } from './read-payment-payload.js'
import type { VerifyPaymentOptions } from './verified-payment.js'

const mismatch = {
  evm: 'invalid_exact_evm_payload_authorization_value_mismatch',
  solana: 'invalid_exact_svm_payload_amount_mismatch',
} as const

/** Returns the signed atomic units if they match `accepted` and the offer or allowed range. */
export function checkAmount(
  { kind, accepted }: PaymentPayload,
  signed: string,
  offer: PaymentRequirements,
  { minAmount, maxAmount }: VerifyPaymentOptions,
): bigint {
  const amount = BigInt(signed)
  if (accepted && accepted['amount'] !== signed) throw refusedPayment(mismatch[kind], 'the signed amount is not "accepted.amount"')
  if (minAmount === undefined && maxAmount === undefined && offer.amount !== signed) {
    throw refusedPayment(mismatch[kind], `the signed amount is not the offered ${offer.amount}`)
  }
  if (minAmount !== undefined && amount < minAmount) throw refusedPayment('amount_too_low', `${amount} is less than ${minAmount}`)
  if (maxAmount !== undefined && amount > maxAmount) throw refusedPayment('amount_too_high', `${amount} is more than ${maxAmount}`)
  return amount
}
