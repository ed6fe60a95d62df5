import { decodePaymentHeader, encodeJsonHeader, PaymentVerificationError, rails, type PaymentVerificationCode } from '@farebox/auth/verify'
import { keyConflictMessage } from '../contract/failures.js'
import type { Credited, Ledger } from '../domain/ledger/ledger.js'
import { toMicroUsd, toUsd } from '../domain/ledger/money.js'
import { isLate, type PaymentBackend, type VerifiedPayment } from '../domain/payments/payment-backend.js'
import { paymentId } from '../domain/payments/payment-id.js'
import { minimumTopUp, topUpDiscovery } from '../contract/payment-required.js'
import type { Answer, FailureOf, Handler } from '../contract/handler.js'

type Refused = FailureOf<'topUp'>

/** The most that one payment may credit, in micro-USD (public material: 10,000 USD). */
const maximumTopUp = toMicroUsd(10_000)

/** The remaining lifetime that `verifyPaymentAuthorization` requires. */
const leastLifeSeconds = 6

/** The header and its two former names, in order of priority. */
const headerNames = ['payment-signature', 'x-402-payment', 'x-payment']

/**
 * Answers 402 with the offers without a payment. Otherwise verifies, settles and credits the
 * payment. One statement credits it and claims its nonce, so that repeats and parallel requests
 * credit it once and get the same response.
 */
export const topUp: Handler<'topUp'> = async ({ headers, services: { ledger, terms } }) => {
  const header = headerNames.map((name) => headers.get(name)).find((value) => value !== null)
  const { payments } = terms
  if (header === undefined || header === null) {
    return (await payments.offers(minimumTopUp)).length > 0 ? topUpDiscovery(terms) : noPayments()
  }
  const payment = await verify(payments, ledger, header)
  if ('status' in payment) return payment
  if (paysItself(payment)) {
    return refused(400, 'INVALID_PAYMENT_PAYER', 'The wallet that pays is the one that is paid.')
  }
  const id = paymentId(payment)
  // a credited payment is not settled again, whatever form its signature has
  const earlier = await ledger.findPayment(payment)
  const key = headers.get('idempotency-key') ?? undefined
  const named = key === undefined ? undefined : await ledger.findCharge({ account: payment.payer, operation: 'topUp', key })
  if (named !== undefined && named !== id) return otherPayment()
  const credited = earlier ?? (await settleAndCredit(payment))
  if ('status' in credited) return credited
  if (credited.id !== id) return refused(400, 'INVALID_PAYMENT', 'The nonce was used by another payment of this wallet.')
  return success(credited, payments, named !== undefined)

  async function settleAndCredit(payment: VerifiedPayment): Promise<Credited | Refused> {
    const settlement = await payments.settle(payment)
    if (settlement.status === 'failed') return settlementFailed(payment, settlement.reason)
    if (settlement.status === 'unknown') {
      return refused(504, 'SETTLEMENT_TIMEOUT', 'The outcome is not known. Look at the balance before signing another payment.')
    }
    if (settlement.status === 'in progress') {
      return refused(409, 'PAYMENT_IN_PROGRESS', 'This payment is being settled. Send the same payment again in a moment.')
    }
    if (settlement.status === 'unavailable') return noPayments()
    const { network, asset, payer, nonce, amount } = payment
    const settled = { id, network, asset, payer, nonce, amount, settledBy: payments.name, transaction: settlement.transaction }
    const credited = await ledger.creditPayment(settled, key)
    return credited ?? otherPayment()
  }

  async function settlementFailed({ network, payer }: VerifiedPayment, reason: string): Promise<Refused> {
    const discovery = await topUpDiscovery(terms)
    const response = { success: false, transaction: '', network, payer, errorReason: reason }
    return {
      status: 402,
      json: { ...discovery.json, error: reason },
      headers: { ...discovery.headers, 'PAYMENT-RESPONSE': encodeJsonHeader(response) },
    }
  }
}

function success(
  { id, network, payer, amount, transaction, balanceAfter }: Credited,
  { name }: PaymentBackend,
  replayed: boolean,
): Answer<'topUp'> {
  return {
    status: 200,
    json: {
      success: true,
      data: { walletAddress: payer, amountCredited: toUsd(amount), newBalance: toUsd(balanceAfter), paymentId: id },
    },
    headers: {
      'PAYMENT-RESPONSE': encodeJsonHeader({ success: true, transaction, network, payer }),
      'X-Farebox-Backend': `payments=${name}`,
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    },
  }
}

async function verify(payments: PaymentBackend, ledger: Ledger, header: string): Promise<VerifiedPayment | Refused> {
  try {
    return await verifyOrRecall(payments, ledger, decodePaymentHeader(header))
  } catch (error) {
    if ((await payments.offers(minimumTopUp)).length === 0) return noPayments()
    if (!(error instanceof PaymentVerificationError) || error.code === 'unexpected_verify_error') throw error
    return refused(400, codes[error.code] ?? 'PAYMENT_VERIFICATION_FAILED', `${error.message}.`, { reason: error.code })
  }
}

/** Refuses a late payment, unless it was credited before or is still open. */
async function verifyOrRecall(payments: PaymentBackend, ledger: Ledger, payload: unknown): Promise<VerifiedPayment> {
  const range = { min: minimumTopUp, max: maximumTopUp }
  try {
    return await payments.verify(payload, range)
  } catch (error) {
    const lastMoment = isLate(error) ? validBeforeOf(payload) - leastLifeSeconds : NaN
    if (!(lastMoment > 0)) throw error
    const payment = await payments.verify(payload, { ...range, at: lastMoment * 1000 })
    if ((await ledger.findPayment(payment)) ?? (await payments.isOpen?.(payment))) return payment
    throw error
  }
}

/** Unix seconds. */
function validBeforeOf(payload: unknown): number {
  const { authorization } =
    (payload as { readonly payload?: { readonly authorization?: { readonly validBefore?: unknown } } }).payload ?? {}
  return Number(authorization?.validBefore)
}

function paysItself({ kind, payer, payTo }: VerifiedPayment): boolean {
  return rails[kind].isSame(payer, payTo)
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
  invalid_exact_svm_payload_transaction_could_not_be_decoded: 'INVALID_PAYMENT_FORMAT',
  invalid_exact_svm_payload_recipient_mismatch: 'INVALID_PAYMENT_RECIPIENT',
  invalid_exact_svm_payload_mint_mismatch: 'UNSUPPORTED_TOKEN',
  invalid_exact_svm_payload_amount_mismatch: 'INVALID_AMOUNT',
  amount_too_low: 'AMOUNT_TOO_LOW',
  amount_too_high: 'AMOUNT_TOO_HIGH',
}

function noPayments(): Refused {
  return refused(503, 'X402_NOT_CONFIGURED', 'No payments are taken at this moment, and nothing was paid. Try again later.')
}

function otherPayment(): Refused {
  return refused(409, 'IDEMPOTENCY_CONFLICT', keyConflictMessage)
}

function refused(status: 400 | 409 | 503 | 504, error: string, message: string, details?: Readonly<Record<string, unknown>>): Refused {
  return { status, json: { error, message, ...(details && { details }) } }
}
