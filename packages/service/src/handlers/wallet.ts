import { rails } from '@farebox/auth/verify'
import { prices } from '@farebox/types/operations'
import { failure, keyConflictMessage } from '../contract/failures.js'
import type { Handler, HandlerResponse, FailureOf } from '../contract/handler.js'
import type { WalletCaller } from '../domain/accounts/authenticate.js'
import { toUsd } from '../domain/ledger/money.js'
import { describePurchase, offerTopUp } from '../contract/payment-required.js'
import { createSettlementHeaders } from '../contract/settlement-headers.js'
import { readPaymentIdentifier } from '../contract/x402-extensions.js'
import type { CreditedPayment } from '../domain/ledger/ledger.js'
import type { PaymentBackend, VerifiedPayment } from '../domain/payments/payment-backend.js'
import {
  minimumTopUp,
  readPayment,
  usedNonce,
  type RejectedPayment,
  takePayment,
} from '../domain/payments/read-payment.js'
import { hashKey } from '../domain/replay/response-cipher.js'

/** The account of the caller, if it is the wallet in the path. */
function findOwnWallet(
  { account, chain }: WalletCaller,
  walletAddress: string,
): string | undefined {
  return rails[chain].isSame(account, walletAddress) ? account : undefined
}

function walletMismatch() {
  return failure(
    403,
    'The wallet that signed in is not the one that was asked for.',
    'X402_WALLET_MISMATCH',
  )
}

/** The credit of a wallet. 0 if it has never paid. */
export const getBalance: Handler<'getBalance'> = async ({ input, caller, services }) => {
  const walletAddress = findOwnWallet(caller, input.walletAddress)
  if (walletAddress === undefined) return walletMismatch()
  const balance = await services.ledger.balance(walletAddress)
  const { minimumTopUpUsd, suggestedTopUpUsd } = prices
  return {
    status: 200,
    json: {
      success: true,
      data: {
        walletAddress,
        balanceUsd: toUsd(balance),
        canConsume: balance > 0n,
        minimumTopUpUsd,
        suggestedTopUpUsd,
      },
    },
  }
}

/** A page of the wallet's ledger, newest first. */
export const listTransactions: Handler<'listTransactions'> = async ({
  input,
  caller,
  services,
}) => {
  const walletAddress = findOwnWallet(caller, input.walletAddress)
  if (walletAddress === undefined) return walletMismatch()
  const { limit } = input
  const offset = input.offset ?? 0
  const { balance, entries, hasMore } = await services.ledger.entries(walletAddress, {
    limit,
    offset,
  })
  return {
    status: 200,
    json: {
      success: true,
      data: {
        walletAddress,
        currentBalance: toUsd(balance),
        transactions: entries.map(
          ({ id, amount, balanceAfter, type, createdAt, requestId, modelId }) => ({
            id,
            amount: toUsd(amount),
            balanceAfter: toUsd(balanceAfter),
            type,
            createdAt: createdAt.toISOString(),
            requestId,
            modelId,
          }),
        ),
        pagination: { limit, offset, hasMore },
      },
    },
  }
}

type TopUpFailure = FailureOf<'topUp'>

/**
 * Returns 402 with the payment options if there is no payment. Otherwise verifies, settles and
 * credits the payment, once for repeats and parallel requests, which get the same response.
 */
export const topUp: Handler<'topUp'> = async ({ headers, services: { ledger, terms } }) => {
  const header = headers.get('payment-signature')
  const { payments } = terms
  if (header === null)
    return (await payments.offers(minimumTopUp)).length > 0
      ? offerTopUp(terms)
      : paymentsUnavailable()
  const read = await readPayment(header, payments, ledger)
  if (read.status !== 'verified') return toPaymentFailure(read)
  // a credited payment is not settled again, in any form of its signature
  const { id, payment, credited: earlier } = read
  const key = headers.get('idempotency-key') ?? readPaymentIdentifier(header)
  if (key === undefined)
    return topUpFailure(
      400,
      'INVALID_PAYMENT_FORMAT',
      'The id of the extension payment-identifier is not 16 to 128 letters, digits, hyphens or underscores.',
    )
  const use = key === null ? undefined : { operation: 'topUp', key: hashKey(key), fingerprint: id }
  const charge = use && (await ledger.findCharge({ account: payment.payer, ...use }))
  if (charge !== undefined && charge.fingerprint !== id) return topUpConflict()
  if (earlier) return createTopUpResponse(earlier, payment, payments, charge !== undefined)
  const takenPayment = await takePayment(
    payment,
    { payments, ledger },
    describePurchase(terms, 'topUp'),
    use,
  )
  if (takenPayment.status === 'failed') return toSettlementFailure(payment, takenPayment.reason)
  if (takenPayment.status === 'unknown') {
    return topUpFailure(
      504,
      'SETTLEMENT_TIMEOUT',
      'The outcome is not known. Look at the balance before signing another payment.',
    )
  }
  if (takenPayment.status === 'in progress') {
    return topUpFailure(
      409,
      'PAYMENT_IN_PROGRESS',
      'This payment is being settled. Send the same payment again in a moment.',
    )
  }
  if (takenPayment.status === 'unavailable') return paymentsUnavailable()
  if (takenPayment.status === 'other payment') return topUpConflict()
  // a parallel request with another payment may have used the nonce meanwhile
  return takenPayment.credited.id === id
    ? createTopUpResponse(takenPayment.credited, payment, payments, charge !== undefined)
    : toPaymentFailure(usedNonce)

  async function toSettlementFailure(
    { network, payer, shape }: VerifiedPayment,
    reason: string,
  ): Promise<TopUpFailure> {
    const { json, headers } = await offerTopUp(terms, reason)
    const response = { success: false, transaction: '', network, payer, errorReason: reason }
    return {
      status: 402,
      json,
      headers: { ...headers, ...createSettlementHeaders(shape, response) },
    }
  }
}

function createTopUpResponse(
  { id, network, payer, amount, transaction, balanceAfter }: CreditedPayment,
  { shape }: VerifiedPayment,
  { name }: PaymentBackend,
  replayed: boolean,
): HandlerResponse<'topUp'> {
  return {
    status: 200,
    json: {
      success: true,
      data: {
        walletAddress: payer,
        amountCredited: toUsd(amount),
        newBalance: toUsd(balanceAfter),
        paymentId: id,
      },
    },
    headers: {
      ...createSettlementHeaders(shape, { success: true, transaction, network, payer }),
      'x-farebox-backend': `payments=${name}`,
      ...(replayed && { 'idempotent-replayed': 'true' }),
    },
  }
}

function toPaymentFailure(payment: RejectedPayment): TopUpFailure {
  if (payment.status === 'unavailable') return paymentsUnavailable()
  const { code, message, reason } = payment
  return topUpFailure(400, code, message, reason === undefined ? undefined : { reason })
}

function paymentsUnavailable(): TopUpFailure {
  return topUpFailure(
    503,
    'X402_NOT_CONFIGURED',
    'No payments are taken at this moment, and nothing was paid. Try again later.',
  )
}

function topUpConflict(): TopUpFailure {
  return topUpFailure(409, 'IDEMPOTENCY_CONFLICT', keyConflictMessage)
}

function topUpFailure(
  status: 400 | 409 | 503 | 504,
  error: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): TopUpFailure {
  return { status, json: { error, message, ...(details && { details }) } }
}
