import {
  clockOffset,
  discard,
  httpDate,
  withBody,
  withHeader,
  type Call,
  type Send,
  isRecord,
  readAhead,
} from '@farebox/middleware'
import { AuthError, PaymentError, hideSecrets } from '../errors.js'
import { isWithin } from '../clock.js'
import { sendGuarded } from '../credentials.js'
import { toUsd, type PaymentJournal } from './payment-journal.js'
import type { PaymentRecord } from './payment-store.js'
import { decodeJsonHeader, parseJson } from '../encoding.js'

type SendPaymentOptions = {
  readonly journal: PaymentJournal
  /** Whether the payment may have been sent before. */
  readonly isRepeat: boolean
  /** How often to send the payment at most. */
  readonly attempts: number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since 1970, by our own clock. */
  readonly now: () => number
  /** Reads the response's Date. Returns both times as a string if they are too far apart. */
  readonly learn: (response: Response) => string | undefined
}

/**
 * Sends a recorded payment and records its outcome. After a lost response, a 5xx, a 408 or a 409,
 * the same bytes are sent again. Returns a 2xx, a 429, a failure of a request whose payment is
 * settled, and a response other than 402 that proves that nothing was submitted.
 *
 * Everything else becomes a PaymentError: a 402, a redirect, a failed settlement, and no response.
 * The payment stays unanswered in the journal unless the response proves that nothing was
 * submitted.
 */
export async function sendPayment(
  next: Send,
  call: Call,
  record: PaymentRecord,
  options: SendPaymentOptions,
): Promise<Response> {
  const { attempts, wait, now } = options
  const paidCall = withHeader(call, record.headerName, record.header)
  const isValid = isWithin(record.heldUntil - now(), now)
  let mayBeSettled = options.isRepeat
  const lastDetails: Details = {}
  for (let attempt = 1; attempt <= attempts && !call.signal?.aborted && isValid(); attempt++) {
    const { response, cause } = await sendOnce(next, paidCall)
    if (response && isFinal(response, record, attempt === attempts))
      return conclude(response, record, mayBeSettled, options, call.signal)
    if (cause instanceof AuthError) {
      // only a redirect comes from the service; any other error precedes this send
      if (mayBeSettled || cause.code === 'redirect_refused')
        throw createUnknownOutcomeError(record, { ...lastDetails, cause })
      throw cause
    }
    mayBeSettled = true
    let pause = 1000 * attempt
    if (response) {
      await discard(response)
      lastDetails.status = response.status
      pause = Math.max(pause, readRetryAfter(response, now()))
    } else lastDetails.cause = cause
    if (attempt === attempts || pause > maxPauseMs) break
    // an abort ends the loop
    await wait(pause, call.signal).catch(() => (attempt = attempts))
  }
  throw createUnknownOutcomeError(record, lastDetails)
}

/**
 * A journal that fails after the payment was sent must not hide the outcome. The payment stays
 * unanswered in it, so the next purchase sends this payment again, which settles nothing new.
 */
async function ignoreJournalError(write: Promise<void>): Promise<void> {
  await write.catch(() => undefined)
}

/** Statuses after which the payment may still be settled. */
function isUndecided(status: number): boolean {
  return status >= 500 || status === 408 || status === 409
}

/** A settled payment is resent only to complete its request, while that may still succeed. */
function isFinal(response: Response, record: PaymentRecord, isLast: boolean): boolean {
  const { status } = response
  return (
    !isUndecided(status) ||
    (isSettled(response, record) &&
      (isLast || (status < 500 && !response.headers.has('retry-after'))))
  )
}

/** The longest pause between two sends, in milliseconds. */
const maxPauseMs = 30_000

/** The milliseconds of Retry-After, which counts seconds or is a date. 0 for anything else. */
function readRetryAfter(response: Response, now: number): number {
  const value = response.headers.get('retry-after')
  return Number(value) * 1000 || httpDate(value) - now - (clockOffset(response, now) || 0) || 0
}

/** A 402 requires a payment, whatever receipt it has. */
function isSettled(response: Response, record: PaymentRecord): boolean {
  const settlement = readSettlement(response, record)
  return settlement ? settlement === 'settled' && response.status !== 402 : response.ok
}

/** Reasons about times, such as `invalid_exact_evm_payload_authorization_valid_before`. */
const timeReason = /valid.?(?:before|after)|expire|time|clock/i

/** Reasons such as `invalid_exact_evm_nonce_already_used`: a nonce is used by a settlement. */
const nonceUsed = /nonce.*used|authorization.*(?:used|cancel)/i

async function conclude(
  original: Response,
  record: PaymentRecord,
  mayBeSettled: boolean,
  { journal, learn }: SendPaymentOptions,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { status } = original
  // too many requests: the payment was not examined, and can be sent again later
  if (status === 429) return original
  if (isSettled(original, record)) {
    await ignoreJournalError(journal.confirm(record))
    const reader = original.body?.getReader()
    if (!reader) return original
    const read = async () => {
      try {
        return await reader.read()
      } catch (cause) {
        // the purchase is incomplete, so that the next call sends the same payment
        if (!signal?.aborted) await ignoreJournalError(journal.reopen(record))
        throw cause
      }
    }
    return withBody(original, { read, cancel: (reason) => reader.cancel(reason) })
  }
  const clockFault = learn(original)
  const { rejection, response } = await readRejection(original)
  // the rejection of a resend may only mean that an earlier send used up the nonce
  const isProven = rejection.isProof && !mayBeSettled
  if (isProven) await ignoreJournalError(journal.release(record))
  if (isProven && status !== 402 && !response.ok && !clockFault) return response
  await discard(response)
  // a 402 with another reason passed the time checks
  const isClockFault =
    clockFault !== undefined &&
    (timeReason.test(rejection.reason ?? 'time') || (status !== 402 && !response.ok))
  if (nonceUsed.test(rejection.reason ?? '')) await ignoreJournalError(journal.retireNonce(record))
  if (!isProven && !(isClockFault && !mayBeSettled))
    throw createUnknownOutcomeError(record, { status, rejection })
  throw new PaymentError(
    isClockFault ? 'clock_mismatch' : 'payment_refused',
    `Payment: the service rejected the payment${formatReason(rejection)}${isClockFault ? `, and ${clockFault}` : ''}. ` +
      `Until ${formatExpiry(record)} it could still settle the ${readAmountUsd(record)} USD, which count towards maxUsdPerDay`,
    {
      ...recordDetails(record),
      status,
      reason: rejection.reason,
      ...(!isProven && { outcome: 'unknown' }),
    },
  )
}

type Details = { status?: number; rejection?: Rejection; cause?: unknown }

function createUnknownOutcomeError(
  record: PaymentRecord,
  { status, rejection, cause }: Details,
): PaymentError {
  const what =
    cause instanceof AuthError && cause.code === 'redirect_refused'
      ? 'the service redirects the payment, which does not prove'
      : rejection && status !== undefined
        ? `the response ${status}${formatReason(rejection)} does not prove`
        : 'no definite response proves'
  return new PaymentError(
    'outcome_unknown',
    `Payment: ${what} that nothing was submitted; ${readAmountUsd(record)} USD may have been settled, or may be until ${formatExpiry(record)}. ` +
      'Read the balance before paying again; until then the next top-up sends this payment again, and no other is signed',
    {
      ...recordDetails(record),
      outcome: 'unknown',
      reason: rejection?.reason,
      cause,
      ...(status !== undefined && { status }),
    },
  )
}

function recordDetails({ header, heldUntil }: PaymentRecord): {
  readonly payload: string
  readonly heldUntil: number
} {
  return { payload: header, heldUntil }
}

function formatReason({ reason }: Rejection): string {
  return reason === undefined ? '' : ` (${reason})`
}

function readAmountUsd({ amount }: PaymentRecord): number {
  return toUsd(BigInt(amount))
}

function formatExpiry({ heldUntil }: PaymentRecord): string {
  return new Date(heldUntil).toISOString()
}

async function sendOnce(
  next: Send,
  call: Call,
): Promise<{ readonly response?: Response; readonly cause?: unknown }> {
  try {
    return { response: await sendGuarded(next, call) }
  } catch (cause) {
    return { cause }
  }
}

/** Why a service rejected a payment. */
type Rejection = {
  /** The service's reason, cut to one short line. */
  readonly reason: string | undefined
  /** Whether the reason proves that the payment was not submitted to the chain. */
  readonly isProof: boolean
}

/**
 * Reasons that prove that nothing was submitted: faults in the bytes of a payment, which a verifier
 * finds before any settlement, at any time. They are codes of x402, of its reference
 * implementation, and of our own service.
 *
 * Reasons that depend on the chain or the time (funds, a used nonce, an expired authorization, a
 * failed simulation) prove nothing: they also apply to a payment that was submitted, or that may be
 * submitted later. Nor do reasons that are not listed.
 */
const permanentReasons = new RegExp(
  `^(?:${[
    'invalid_(?:payload|x402_version|scheme|network|asset|payment_requirements)',
    'unsupported_(?:scheme|network|token)',
    'invalid_exact_evm_(?:payload_)?(?:signature|recipient_mismatch|network_mismatch|authorization_value_mismatch)',
    'invalid_exact_evm_(?:missing_eip712_domain|token_(?:name|version)_mismatch)',
    'invalid_exact_svm_payload_[a-z_]+',
    'invalid_exact_svm_fee_payer_(?:mismatch|not_managed_by_facilitator)',
    'invalid_payment_(?:format|recipient|payer)',
    'invalid_amount',
    'amount_too_(?:low|high)',
    'payment_header_not_accepted',
  ].join('|')})$`,
  'i',
)

/**
 * Reads why a service rejected a payment. The first reason counts, in this order: the settlement,
 * the error's details, the body, the offers of a 402, the error. The returned response has its whole
 * body.
 */
async function readRejection(
  original: Response,
): Promise<{ readonly rejection: Rejection; readonly response: Response }> {
  const { text, response } = await readAhead(original, 65_536)
  const settlement = decodeSettlement(response)
  const required = decodeJsonHeader(response.headers.get('payment-required'))
  const body = Object(parseJson(text)) as Readonly<Record<string, unknown>>
  const details = isRecord(body['details']) ? body['details'] : {}
  const reasons = [
    settlement?.['errorReason'],
    details['reason'],
    body['reason'],
    required?.['error'],
    body['code'],
    body['error'],
  ]
  const reason = reasons.find((text): text is string => typeof text === 'string' && text !== '')
  // a failed settlement that names a transaction has submitted it
  const isProof =
    reason !== undefined &&
    permanentReasons.test(reason) &&
    !settlement?.['transaction'] &&
    settlement?.['success'] !== true
  return {
    rejection: {
      reason: reason && hideSecrets(reason.replace(/[^\x20-\x7e]/g, ' ')).slice(0, 200),
      isProof,
    },
    response,
  }
}

/**
 * What the settlement in a response says about a payment. One with another payer, network or amount
 * belongs to another payment, as when a cache repeats a response. Undefined without a settlement.
 */
function readSettlement(
  response: Response,
  { payer, network, amount, scheme }: PaymentRecord,
): 'settled' | 'not settled' | undefined {
  const settlement = decodeSettlement(response)
  if (!settlement) return undefined
  const isForeign =
    (scheme
      ? !(Number(settlement['amount'] ?? 0) <= Number(amount))
      : isDifferent(settlement['amount'], amount)) ||
    // names of version 1 have no colon; on Solana some services name the fee payer as the payer
    (String(settlement['network']).includes(':') && isDifferent(settlement['network'], network)) ||
    (network.startsWith('eip155:') && isDifferent(settlement['payer'], payer))
  return settlement['success'] === true && !isForeign ? 'settled' : 'not settled'
}

function isDifferent(value: unknown, expected: string): boolean {
  return typeof value === 'string' && value !== '' && value.toLowerCase() !== expected.toLowerCase()
}

/** The result of the settlement, from a header that a 200 may have too. */
function decodeSettlement({ headers }: Response): Readonly<Record<string, unknown>> | undefined {
  return decodeJsonHeader(headers.get('payment-response') ?? headers.get('x-payment-response'))
}
