import { createHash } from 'node:crypto'
import type { VerifiedPayment } from './payment-backend.js'

/** Follows from what was signed and from nothing else, so that one payment has one id however it is sent. */
export function paymentId(payment: VerifiedPayment): string {
  const { network, asset, payer, payTo, amount, nonce } = payment
  // of a Solana payment the nonce is the hash of all that was signed
  const times = payment.kind === 'evm' ? [payment.validAfter, payment.validBefore] : []
  const signed = [network, asset, payer, payTo, amount, ...times, nonce].map((value) => String(value).toLowerCase())
  return `pay_${createHash('sha256').update(JSON.stringify(signed)).digest('hex').slice(0, 32)}`
}
