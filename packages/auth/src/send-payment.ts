import { discard, withHeader, type Call, type Send } from '@farebox/middleware'
import { AuthError } from './auth-error.js'
import { sendGuarded } from './credentials.js'
import { decodeJsonHeader } from './decode-json-header.js'
import { hideSecrets } from './hide-secrets.js'
import { PaymentError } from './payment-error.js'
import type { PaymentRecord, PaymentStore } from './payment-store.js'
import { readJson } from './read-json.js'

export type SendPaymentOptions = {
  readonly store: PaymentStore
  /** How often the payment is sent at most. */
  readonly attempts: number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Reads the response's Date. Returns a text with both times if the clocks are too far apart. */
  readonly learn: (response: Response) => string | undefined
}

/**
 * Sends a signed payment and stores its outcome. After a lost response, a 5xx, a 408 or a 409, the
 * same bytes are sent again. Returns a 2xx, a 429, and a first definite refusal other than 402.
 * Throws a PaymentError for a 402, for a refusal while the clocks are too far apart, and when no
 * definite response arrives.
 */
export async function sendPayment(next: Send, call: Call, record: PaymentRecord, options: SendPaymentOptions): Promise<Response> {
  const { store, attempts, wait } = options
  const paid = withHeader(call, record.headerName, record.header)
  // a payment in the store was sent before, with an unknown outcome
  let unanswered = (await store.list()).some(({ nonce }) => nonce === record.nonce)
  if (call.signal?.aborted && !unanswered) throw call.signal.reason
  if (!unanswered) await store.put(record)
  const last: { status?: number; cause?: unknown } = {}
  for (let attempt = 1; attempt <= attempts && !call.signal?.aborted; attempt++) {
    const { response, cause } = await responseOf(sendGuarded(next, paid))
    if (response && !inDoubt(response.status)) return conclude(response, record, unanswered, options)
    if (cause instanceof AuthError) {
      await store.put({ ...record, state: unanswered ? 'unknown' : 'failed' })
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

/** Statuses after which the payment may still be settled. */
function inDoubt(status: number): boolean {
  return status >= 500 || status === 408 || status === 409
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
  { store, learn }: SendPaymentOptions,
): Promise<Response> {
  // too many requests: the payment was not examined, and can be sent again later
  if (response.status === 429) return response
  if (response.ok) {
    await store.put({ ...record, state: 'settled' })
    return response
  }
  const { status } = response
  const clocks = learn(response)
  const reason = unanswered || status === 402 || clocks ? await reasonOf(response) : undefined
  const details = { status, reason }
  // the refusal of a repeat may only mean that the first send, which got no response, used up the
  // nonce
  if (unanswered || landing.test(reason ?? '')) throw unknown(record, details)
  await store.put({ ...record, state: 'failed' })
  if (status !== 402 && !clocks) return response
  // a 402 with another reason passed the check of the times
  const isClock = clocks && (status !== 402 || timely.test(reason ?? 'time'))
  throw new PaymentError(
    isClock ? 'clock_mismatch' : 'payment_refused',
    `Payment: the service refused the payment${reason === undefined ? '' : ` (${reason})`}${isClock ? `, and ${clocks}` : ''}`,
    { ...details, payload: record.header },
  )
}

function unknown(record: PaymentRecord, details: { status?: number; reason?: string | undefined; cause?: unknown }): PaymentError {
  return new PaymentError(
    'outcome_unknown',
    `Payment: no definite response; ${record.amount} atomic units may have been settled. Read the balance before paying again; ` +
      'the next top-up sends this payment again while it can be settled',
    { ...details, payload: record.header, outcome: 'unknown' },
  )
}

async function reasonOf(response: Response): Promise<string | undefined> {
  const settlement = decodeJsonHeader(response.headers.get('payment-response') ?? response.headers.get('x-payment-response'))
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
