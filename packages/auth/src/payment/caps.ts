import type { Call } from '@farebox/middleware'
import { PaymentError } from './payment-error.js'
import type { PaymentRecord } from './payment-store.js'

export type Caps = {
  /** In USD. */
  readonly maxUsdPerPayment: number
  /** In USD, within 24 hours. */
  readonly maxUsdPerDay: number
}

export const dayMs = 86_400_000

/**
 * Whether a payment counts towards the daily cap. A refused one counts until it expires: the
 * service states that it did not settle it, but still could. An unanswered one may have been
 * settled.
 */
export function countsTowardsCap(
  { state, signedAt, heldUntil }: PaymentRecord,
  now: number,
): boolean {
  return now < heldUntil || (state !== 'refused' && now < signedAt + dayMs)
}

/** The part of a payment that a cap counts: of all payments with one nonce, the largest. */
export type CappedPayment = Pick<PaymentRecord, 'amount' | 'exposure' | 'payer'> & {
  readonly nonce?: string | undefined
}

/** The error for a payment that exceeds a cap, together with earlier ones of the wallet. */
export function findExceededCap(
  payment: CappedPayment,
  records: readonly PaymentRecord[],
  now: number,
  { maxUsdPerPayment, maxUsdPerDay }: Caps,
): PaymentError | undefined {
  const { nonce, payer } = payment
  const amount = BigInt(payment.amount)
  if (toUsd(amount) > maxUsdPerPayment) {
    return new PaymentError(
      'over_payment_cap',
      `Payment: ${toUsd(amount)} USD is more than maxUsdPerPayment, ${maxUsdPerPayment} USD`,
    )
  }
  const counting = records.filter(
    (record) => record.payer === payer && record.nonce !== nonce && countsTowardsCap(record, now),
  )
  const total = sumAmounts([...counting, payment])
  if (toUsd(total) <= maxUsdPerDay) return undefined
  const open = sumAmounts(counting.filter(({ state }) => state !== 'settled'))
  const why =
    open === 0n ? '' : `; ${toUsd(open)} USD of it was refused or unanswered, and may still settle`
  return new PaymentError(
    'over_daily_cap',
    `Payment: ${toUsd(total)} USD signed for within 24 hours is more than maxUsdPerDay, ${maxUsdPerDay} USD${why}`,
  )
}

/** Throws for a payment above `maxUsd` of the call, or above what the contract states for it. */
export function checkCallCap({ maxUsd, operation }: Call, amount: bigint): void {
  const most = maxUsd ?? operation?.maxUsd ?? Infinity
  // not with NaN either
  if (toUsd(amount) <= most) return
  throw new PaymentError(
    'over_payment_cap',
    `Payment: ${toUsd(amount)} USD is more than maxUsd of the ${maxUsd === undefined ? 'contract' : 'call'}, ${most} USD`,
  )
}

/** Every comparison with NaN is false, so a cap of NaN would not limit anything. */
export function checkCaps({ maxUsdPerPayment, maxUsdPerDay }: Caps): void {
  for (const [name, value] of Object.entries({ maxUsdPerPayment, maxUsdPerDay })) {
    if (!(value >= 0))
      throw new RangeError(`payment: ${name} is ${value}, expected an amount in USD or Infinity`)
  }
}

export function toUsd(units: bigint): number {
  return Number(units) / 1e6
}

function sumAmounts(payments: readonly CappedPayment[]): bigint {
  return payments.reduce((sum, { amount, exposure = amount }) => sum + BigInt(exposure), 0n)
}
