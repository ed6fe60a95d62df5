import {
  decodePaymentHeader,
  PaymentVerificationError,
  rails,
  type PaymentVerificationCode,
} from '@farebox/auth/verify'
import { prices } from '@farebox/types/operations'
import type { CreditedPayment, Ledger } from '../ledger/ledger.js'
import { toMicroUsd } from '../ledger/money.js'
import {
  isLate,
  type PaymentBackend,
  type VerifiedPayment,
  toPaymentId,
  type Bought,
  type Settlement,
  type UptoPayments,
} from './payment-backend.js'
import type { PaymentUse } from '../ledger/ledger-types.js'
import { minimumUpto } from './upto-payments.js'

/** The minimum amount, in micro-USD. */
export const minimumTopUp = toMicroUsd(prices.minimumTopUpUsd)

/** The maximum amount of one payment, in micro-USD (public material: 10,000 USD). */
const maximumTopUp = toMicroUsd(10_000)

/** The remaining lifetime that `verifyPaymentAuthorization` requires. */
const minLifeSeconds = 6

/** A payment that verifies. Nothing was settled for this request yet. */
type ReadPayment = {
  readonly status: 'verified'
  readonly id: string
  readonly payment: VerifiedPayment
  /** The credit of an earlier request with this payment. */
  readonly credited?: CreditedPayment
}

/** Why a payment is not accepted. `reason` is the code of the verification. */
export type RejectedPayment =
  | {
      readonly status: 'rejected'
      readonly code: string
      readonly message: string
      readonly reason?: string
    }
  /** Payments are not accepted at the moment. */
  | { readonly status: 'unavailable' }

/**
 * Verifies the payment in a header against the current offers. A credited payment, and one whose
 * settlement is open, verify after their time. With `upto`, payments of that scheme are accepted, too.
 */
export async function readPayment(
  header: string,
  payments: PaymentBackend,
  ledger: Ledger,
  upto?: UptoPayments,
): Promise<ReadPayment | RejectedPayment> {
  let payment: VerifiedPayment
  try {
    payment = await verifyOrRecall(payments, ledger, decodePaymentHeader(header), upto)
  } catch (error) {
    if ((await payments.offers(minimumTopUp)).length === 0) return { status: 'unavailable' }
    if (!(error instanceof PaymentVerificationError) || error.code === 'unexpected_verify_error')
      throw error
    return {
      status: 'rejected',
      code: codes[error.code] ?? 'PAYMENT_VERIFICATION_FAILED',
      message: `${error.message}.`,
      reason: error.code,
    }
  }
  if (rails[payment.kind].isSame(payment.payer, payment.payTo)) {
    return {
      status: 'rejected',
      code: 'INVALID_PAYMENT_PAYER',
      message: 'The payer is also the recipient.',
    }
  }
  const id = toPaymentId(payment)
  const credited = await ledger.findPayment(payment)
  if (!credited) return { status: 'verified', id, payment }
  // a client that missed the response signs the nonce of its purchase again, with a later expiry;
  // the id of a payment of "upto" is that of its nonce
  const isPurchase = credited.id === id || credited.amount === payment.amount
  return isPurchase ? { status: 'verified', id: credited.id, payment, credited } : usedNonce
}

export const usedNonce: RejectedPayment = {
  status: 'rejected',
  code: 'INVALID_PAYMENT',
  message: 'The nonce was used by another payment of this wallet.',
  reason: 'invalid_exact_evm_nonce_already_used',
}

/** Rejects an expired payment, unless it was credited before or is still open. */
async function verifyOrRecall(
  payments: PaymentBackend,
  ledger: Ledger,
  payload: Readonly<Record<string, unknown>>,
  upto: UptoPayments | undefined,
): Promise<VerifiedPayment> {
  const { scheme } = Object(payload['accepted']) as { readonly scheme?: unknown }
  const isUpto = upto !== undefined && scheme === 'upto'
  const { verify } = isUpto ? upto : payments
  const range = { min: isUpto ? minimumUpto : minimumTopUp, max: maximumTopUp }
  try {
    return await verify(payload, range)
  } catch (error) {
    const lastMoment = isLate(error) ? readValidBefore(payload) - minLifeSeconds : NaN
    if (!(lastMoment > 0)) throw error
    const payment = await verify(payload, { ...range, at: lastMoment * 1000 })
    if ((await ledger.findPayment(payment)) ?? (await payments.isOpen?.(payment))) return payment
    throw error
  }
}

/** Unix seconds. */
function readValidBefore(payload: unknown): number {
  const { authorization, permit2Authorization } = Object(
    (payload as { readonly payload?: unknown }).payload,
  ) as {
    readonly authorization?: { readonly validBefore?: unknown }
    readonly permit2Authorization?: { readonly deadline?: unknown }
  }
  return Number(authorization?.validBefore ?? permit2Authorization?.deadline)
}

/** Other codes become PAYMENT_VERIFICATION_FAILED. */
const codes: Readonly<Partial<Record<PaymentVerificationCode, string>>> = {
  invalid_payload: 'INVALID_PAYMENT_FORMAT',
  invalid_x402_version: 'INVALID_PAYMENT_FORMAT',
  unsupported_scheme: 'UNSUPPORTED_SCHEME',
  invalid_network: 'UNSUPPORTED_NETWORK',
  invalid_asset: 'UNSUPPORTED_TOKEN',
  invalid_payment_requirements: 'INVALID_PAYMENT',
  invalid_exact_evm_payload_recipient_mismatch: 'INVALID_PAYMENT_RECIPIENT',
  invalid_exact_evm_payload_authorization_value_mismatch: 'INVALID_AMOUNT',
  invalid_permit2_recipient_mismatch: 'INVALID_PAYMENT_RECIPIENT',
  permit2_token_mismatch: 'UNSUPPORTED_TOKEN',
  permit2_amount_mismatch: 'INVALID_AMOUNT',
  invalid_exact_svm_payload_transaction_could_not_be_decoded: 'INVALID_PAYMENT_FORMAT',
  invalid_exact_svm_payload_recipient_mismatch: 'INVALID_PAYMENT_RECIPIENT',
  invalid_exact_svm_payload_mint_mismatch: 'UNSUPPORTED_TOKEN',
  invalid_exact_svm_payload_amount_mismatch: 'INVALID_AMOUNT',
  amount_too_low: 'AMOUNT_TOO_LOW',
  amount_too_high: 'AMOUNT_TOO_HIGH',
}

/** The outcome of a payment. */
export type TakenPayment =
  | { readonly status: 'credited'; readonly credited: CreditedPayment }
  /** Another payment has the use that was given. */
  | { readonly status: 'other payment' }
  | Exclude<Settlement, { readonly status: 'settled' }>

/**
 * Settles and credits a payment. One statement credits it and claims its nonce, with its use, so
 * that repeats and parallel requests credit it once and get the same credit.
 */
export async function takePayment(
  payment: VerifiedPayment,
  {
    payments,
    ledger,
  }: { readonly payments: PaymentBackend; readonly ledger: Pick<Ledger, 'creditPayment'> },
  bought: Bought,
  use?: PaymentUse,
): Promise<TakenPayment> {
  const settlement = await payments.settle(payment, bought)
  if (settlement.status !== 'settled') return settlement
  const { network, asset, payer, nonce, amount } = payment
  const { transaction } = settlement
  const settled = {
    id: toPaymentId(payment),
    network,
    asset,
    payer,
    nonce,
    amount,
    settledBy: payments.name,
    transaction,
  }
  const credited = await ledger.creditPayment(settled, use)
  return credited ? { status: 'credited', credited } : { status: 'other payment' }
}
