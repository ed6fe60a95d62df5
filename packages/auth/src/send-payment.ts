import { withHeader, type Call, type Send } from '@farebox/middleware'
import { AuthError } from './auth-error.js'
import { discard, sendGuarded } from './credentials.js'
import { decodeJsonHeader, isRecord } from './decode-json-header.js'
import { hideSecrets } from './hide-secrets.js'
import { PaymentError } from './payment-error.js'
import type { PaymentRecord, PaymentStore } from './payment-store.js'
import { readJson } from './read-start.js'

export type SendPaymentOptions = {
  readonly store: PaymentStore
  /** How often the one payload may be sent. */
  readonly attempts: number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Both clocks in words, where they are too far apart. */
  readonly learn: (response: Response) => string | undefined
}

/**
 * Sends a signed payment, the same bytes again after a lost answer, a 5xx or a "still in progress", and keeps what became of it.
 * 2xx, 429 and a first definite refusal other than 402 are the answer. 402, no definite answer, and a refusal while the clocks are too far
 * apart are PaymentErrors.
 */
export async function sendPayment(next: Send, call: Call, record: PaymentRecord, options: SendPaymentOptions): Promise<Response> {
  const { store, attempts, wait } = options
  const paid = withHeader(call, record.headerName, record.header)
  // a payment that came out of the store was sent before, and nobody knows what became of it
  let unanswered = (await store.list()).some(({ nonce }) => nonce === record.nonce)
  if (call.signal?.aborted && !unanswered) throw call.signal.reason
  if (!unanswered) await store.put(record)
  const last: { status?: number; cause?: unknown } = {}
  for (let attempt = 1; attempt <= attempts && !call.signal?.aborted; attempt++) {
    const outcome = await settled(sendGuarded(next, paid))
    if (outcome instanceof Response && !inDoubt(outcome.status)) return conclude(outcome, record, unanswered, options)
    if (outcome instanceof AuthError) {
      await store.put({ ...record, state: unanswered ? 'unknown' : 'failed' })
      throw outcome
    }
    unanswered = true
    if (outcome instanceof Response) {
      last.status = outcome.status
      await discard(outcome)
    } else last.cause = outcome
    const pause = outcome instanceof Response ? Math.max(asked(outcome), 1000 * attempt) : 1000 * attempt
    if (attempt === attempts || pause > mostPause) break
    if ((await settled(wait(pause, call.signal))) !== undefined) break
  }
  throw unknown(record, last)
}

/** Statuses after which the payment may yet be settled. */
function inDoubt(status: number): boolean {
  return status >= 500 || status === 408 || status === 409
}

/** The longest pause between two sends that a caller is made to sit through, in milliseconds. */
const mostPause = 30_000

function asked(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0)
  return seconds > 0 ? seconds * 1000 : 0
}

/** Reasons that services give with a 402 for a payment that is on its way, or has arrived. */
const landing = /pending|duplicate|already.?used|time(?:d.)?out|transaction_state|unexpected_settle/i

/** Reasons that have to do with the times of the authorization, as in `invalid_exact_evm_payload_authorization_valid_before`. */
const timely = /valid.?(?:before|after)|expire|time|clock/i

async function conclude(
  response: Response,
  record: PaymentRecord,
  unanswered: boolean,
  { store, learn }: SendPaymentOptions,
): Promise<Response> {
  // too many requests: nobody looked at the payment, and it can be sent again later
  if (response.status === 429) return response
  if (response.ok) {
    await store.put({ ...record, state: 'settled' })
    return response
  }
  const { status } = response
  const clocks = learn(response)
  const reason = unanswered || status === 402 || clocks ? await reasonOf(response) : undefined
  const details = { status, ...(reason !== undefined && { reason }) }
  // a refusal of a payment that was sent before may only say that its nonce is used up: by the send that was not answered
  if (unanswered || landing.test(reason ?? '')) throw unknown(record, details)
  await store.put({ ...record, state: 'failed' })
  if (status !== 402 && !clocks) return response
  // a 402 with a reason of its own passed the check of the times
  const isClock = clocks && (status !== 402 || timely.test(reason ?? 'time'))
  throw new PaymentError(
    isClock ? 'clock_mismatch' : 'payment_refused',
    `Payment: the service refused the payment${reason === undefined ? '' : ` (${reason})`}${isClock ? `, and ${clocks}` : ''}`,
    { ...details, payload: record.header },
  )
}

function unknown(record: PaymentRecord, details: { status?: number; reason?: string; cause?: unknown }): PaymentError {
  return new PaymentError(
    'outcome_unknown',
    `Payment: no definite answer to the payment of ${record.amount} atomic units; it may have been settled. Read the balance before paying ` +
      'again; the next top-up sends this same payment first, until it can no longer be settled',
    { ...details, payload: record.header, outcome: 'unknown' },
  )
}

async function reasonOf(response: Response): Promise<string | undefined> {
  const settlement = decodeJsonHeader(response.headers.get('payment-response') ?? response.headers.get('x-payment-response') ?? '')
  const required = decodeJsonHeader(response.headers.get('payment-required') ?? '')
  const body = await readJson(response)
  const found = [settlement?.['errorReason'], required?.['error'], isRecord(body) ? body['error'] : undefined]
  const reason = found.find((one): one is string => typeof one === 'string' && one !== '')
  return reason === undefined ? undefined : hideSecrets(reason.replace(/[^\x20-\x7e]/g, ' ')).slice(0, 200)
}

async function settled<T>(promise: Promise<T>): Promise<T | Error> {
  try {
    return await promise
  } catch (error) {
    return error instanceof Error ? error : new Error('The send failed with something that is not an error', { cause: error })
  }
}
