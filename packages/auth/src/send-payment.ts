import { discard, withHeader, type Call, type Send } from '@farebox/middleware'
import { AuthError } from './auth-error.js'
import { lasting } from './clock.js'
import { sendGuarded } from './credentials.js'
import { decodeJsonHeader } from './decode-json-header.js'
import { hideSecrets } from './hide-secrets.js'
import { usd } from './journal/caps.js'
import type { PaymentJournal } from './journal/payment-journal.js'
import type { PaymentRecord } from './journal/payment-store.js'
import { PaymentError } from './payment-error.js'
import { readJson } from './read-json.js'

export type SendPaymentOptions = {
  readonly journal: PaymentJournal
  /** Whether the payment may have been sent before. */
  readonly isRepeat: boolean
  /** How often the payment is sent at most. */
  readonly attempts: number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since 1970, by our own clock. */
  readonly now: () => number
  /** Reads the response's Date. Returns a text with both times if the clocks are too far apart. */
  readonly learn: (response: Response) => string | undefined
}

/**
 * Sends a recorded payment and records its outcome. After a lost response, a 5xx, a 408 or a 409,
 * the same bytes are sent again. Returns a 2xx, a 429, a failure of a request whose payment is
 * settled, and a first definite refusal other than 402.
 * Throws a PaymentError for a 402, for a settlement that failed, for a refusal while the clocks are
 * too far apart, and when no definite response arrives.
 */
export async function sendPayment(next: Send, call: Call, record: PaymentRecord, options: SendPaymentOptions): Promise<Response> {
  const { journal, attempts, wait, now } = options
  const paid = withHeader(call, record.headerName, record.header)
  const isValid = lasting(record.heldUntil - now(), now)
  let unanswered = options.isRepeat
  const last: { status?: number; cause?: unknown } = {}
  for (let attempt = 1; attempt <= attempts && !call.signal?.aborted && isValid(); attempt++) {
    const { response, cause } = await responseOf(sendGuarded(next, paid))
    if (response && isDefinite(response, attempt === attempts)) return conclude(response, record, unanswered, options)
    if (cause instanceof AuthError) {
      if (!unanswered) await recorded(journal.release(record))
      throw cause
    }
    unanswered = true
    if (response) await discard(response)
    Object.assign(last, response ? { status: response.status } : { cause })
    const pause = Math.max(1000 * attempt, response ? asked(response) : 0)
    if (attempt === attempts || pause > mostPause) break
    // after an abort the loop ends
    await wait(pause, call.signal).catch(() => (attempt = attempts))
  }
  throw unknown(record, last)
}

/**
 * A journal that fails after the payment was sent must not hide the outcome. The payment stays
 * unanswered in it, so that the next purchase sends this payment again, which settles nothing new.
 */
async function recorded(written: Promise<void>): Promise<void> {
  await written.catch(() => undefined)
}

/** Statuses after which the payment may still be settled. */
function inDoubt(status: number): boolean {
  return status >= 500 || status === 408 || status === 409
}

/** A settled payment is sent again only for its request, while that may still succeed. */
function isDefinite(response: Response, isLast: boolean): boolean {
  const { status } = response
  return !inDoubt(status) || (settlementOf(response)?.['success'] === true && (isLast || (status < 500 && !asked(response))))
}

/** The longest pause between two sends, in milliseconds. */
const mostPause = 30_000

function asked(response: Response): number {
  return Number(response.headers.get('retry-after')) * 1000 || 0
}

/** Reasons that services give with a 402 for a payment that is on its way, or has arrived. */
const landing = /pending|duplicate|already.?used|time(?:d.)?out|transaction_state|unexpected_settle/i

/** Reasons about times, such as `invalid_exact_evm_payload_authorization_valid_before`. */
const timely = /valid.?(?:before|after)|expire|time|clock/i

async function conclude(
  response: Response,
  record: PaymentRecord,
  unanswered: boolean,
  { journal, learn }: SendPaymentOptions,
): Promise<Response> {
  // too many requests: the payment was not examined, and can be sent again later
  if (response.status === 429) return response
  const settlement = settlementOf(response)
  if (settlement?.['success'] ?? response.ok) {
    await recorded(journal.confirm(record))
    return response
  }
  const { status } = response
  const clocks = learn(response)
  const isFinal = response.ok || status === 402
  const reason = unanswered || isFinal || clocks ? await reasonOf(response, settlement) : undefined
  const details = { status, reason }
  // the refusal of a repeat may only mean that the first send, which got no response, used up the
  // nonce
  if (unanswered || landing.test(reason ?? '')) throw unknown(record, details)
  await recorded(journal.release(record))
  if (!isFinal && !clocks) return response
  // a 402 with another reason passed the check of the times
  const isClock = clocks && (!isFinal || timely.test(reason ?? 'time'))
  throw new PaymentError(
    isClock ? 'clock_mismatch' : 'payment_refused',
    `Payment: the service refused the payment${reason === undefined ? '' : ` (${reason})`}${isClock ? `, and ${clocks}` : ''}. ` +
      `Until ${timeOf(record)} it could still settle the ${usd(BigInt(record.amount))} USD, which count towards maxUsdPerDay`,
    { ...details, payload: record.header, heldUntil: record.heldUntil },
  )
}

function unknown(record: PaymentRecord, details: { status?: number; reason?: string | undefined; cause?: unknown }): PaymentError {
  return new PaymentError(
    'outcome_unknown',
    `Payment: no definite response; ${usd(BigInt(record.amount))} USD may have been settled, or may be until ${timeOf(record)}. ` +
      'Read the balance before paying again; until then the next top-up sends this payment again',
    { ...details, payload: record.header, outcome: 'unknown', heldUntil: record.heldUntil },
  )
}

function timeOf({ heldUntil }: PaymentRecord): string {
  return new Date(heldUntil).toISOString()
}

/** The result of the settlement, which stands in a header also of a 200. */
function settlementOf({ headers }: Response): Readonly<Record<string, unknown>> | undefined {
  return decodeJsonHeader(headers.get('payment-response') ?? headers.get('x-payment-response'))
}

async function reasonOf(response: Response, settlement: Readonly<Record<string, unknown>> | undefined): Promise<string | undefined> {
  const required = decodeJsonHeader(response.headers.get('payment-required'))
  const body = Object(await readJson(response)) as Readonly<Record<string, unknown>>
  const found = [settlement?.['errorReason'], required?.['error'], body['error']]
  const reason = found.find((one): one is string => typeof one === 'string' && one !== '')
  return reason && hideSecrets(reason.replace(/[^\x20-\x7e]/g, ' ')).slice(0, 200)
}

async function responseOf(sent: Promise<Response>): Promise<{ readonly response?: Response; readonly cause?: unknown }> {
  try {
    return { response: await sent }
  } catch (cause) {
    return { cause }
  }
}
