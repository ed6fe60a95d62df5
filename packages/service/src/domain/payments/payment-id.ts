import { createHash } from 'node:crypto'
import type { VerifiedPayment } from './payment-backend.js'

/** A hash of the signed fields, so that one payment has one id in any envelope. */
export function paymentId(payment: VerifiedPayment): string {
  const { network, asset, payer, payTo, amount, nonce } = payment
  // the nonce of a Solana payment is the hash of the whole signed message
  const times = payment.kind === 'evm' ? [payment.validAfter, payment.validBefore] : []
  const signed = [network, asset, payer, payTo, amount, ...times, nonce].map((value) => String(value).toLowerCase())
  return `pay_${createHash('sha256').update(JSON.stringify(signed)).digest('hex').slice(0, 32)}`
}
