import {
  paymentRequired,
  receipt,
  settled,
  type Behavior,
  type Reply,
} from '@farebox/conformance/x402'

/** How one purchase of 5 USD goes wrong. The caller calls until it succeeds, at most three times. */
export type Scenario = Behavior & {
  readonly title: string
  /** How far the caller's clock goes between two calls, in milliseconds. */
  readonly passes?: number
  /** A new process makes each call. */
  readonly restarts?: boolean
  /** How many processes make each call at the same time. Default 1. */
  readonly processes?: number
  /** The caller gives up a call after this time, in milliseconds. */
  readonly deadline?: number
  /** The payment that is sent first does not leave the machine. */
  readonly failsToSend?: boolean
}

const loseResponse = (): Reply => 'lost'
const replyAlways = (reply: Reply) => (): Reply => reply
/** Fails `count` times, then succeeds. */
const then =
  (count: number, reply: Reply) =>
  (at: number): Reply =>
    at < count ? reply : settled
const rejectPayment = (error: string): Reply => paymentRequired({}, error)
const proof = 'invalid_exact_evm_payload_recipient_mismatch'
const otherPayee = { payTo: `0x${'2'.repeat(40)}` }
const minute = 60_000

export const scenarios: readonly Scenario[] = [
  { title: 'the response is lost', reply: loseResponse },
  { title: 'the response is lost once', reply: then(1, 'lost') },
  { title: 'the response is cut off in its body', reply: then(1, 'cut') },
  {
    title: 'no response until the deadline of the caller',
    reply: replyAlways('silent'),
    deadline: 300,
  },
  ...[400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504].map((status) => ({
    title: `always ${status}`,
    reply: replyAlways({ status }),
  })),
  { title: '504 once, settled late', reply: then(1, { status: 504 }) },
  { title: 'a bare 402', reply: replyAlways({ status: 402 }) },
  { title: 'a 402 with the same offer, in a loop', reply: replyAlways(paymentRequired()) },
  ...[
    'insufficient_funds',
    'settlement_pending',
    'duplicate_settlement',
    'Settlement timed out',
    'invalid_exact_evm_nonce_already_used',
    'unexpected_settle_error',
    'invalid_payload',
  ].map((error) => ({ title: `402: ${error}`, reply: replyAlways(rejectPayment(error)) })),
  {
    title: '402 after the settlement',
    reply: replyAlways({ status: 402, headers: receipt({ success: true, transaction: '0x1' }) }),
  },
  {
    title: '402 with a failed settlement without a reason',
    reply: replyAlways({ status: 402, headers: receipt({ success: false }) }),
  },
  {
    title: '402 with an unreadable receipt',
    reply: replyAlways({ status: 402, headers: { 'payment-response': '{' } }),
  },
  {
    title: '200 with a failed settlement',
    reply: replyAlways({
      status: 200,
      headers: receipt({ success: false, errorReason: 'timeout' }),
    }),
  },
  {
    title: '402, then an offer with another payee',
    reply: replyAlways(paymentRequired(otherPayee)),
    offer: (at) => (at > 0 ? otherPayee : {}),
  },
  {
    title: '402, then an offer with a higher amount',
    reply: replyAlways(paymentRequired({ amount: '6000000' })),
    offer: (at) => (at > 0 ? { amount: '6000000' } : {}),
  },
  {
    title: 'a false proof of rejection, then another payee',
    reply: replyAlways(paymentRequired(otherPayee, proof)),
    offer: (at) => (at > 0 ? otherPayee : {}),
  },
  {
    title: 'a false proof of rejection, then a lower amount',
    reply: replyAlways(paymentRequired({ amount: '4000000' }, proof)),
    offer: (at) => (at > 0 ? { amount: '4000000' } : {}),
  },
  {
    title: 'the paid request is redirected to another host',
    reply: replyAlways({
      status: 307,
      headers: { location: 'http://127.0.0.1:9/api/v1/x402/top-up' },
    }),
  },
  {
    title: 'the paid request is redirected to itself',
    reply: then(1, { status: 307, headers: { location: '/api/v1/x402/top-up' } }),
  },
  {
    title: 'redirects to another host that asks for the payment',
    reply: loseResponse,
    discovery: (at, other) =>
      at % 2 === 0
        ? { status: 307, headers: { location: `${other}/api/v1/x402/top-up` } }
        : undefined,
  },
  { title: 'a new process after each lost response', reply: loseResponse, restarts: true },
  {
    title: 'a new process after each bare 402',
    reply: replyAlways({ status: 402 }),
    restarts: true,
  },
  {
    title: 'a new process after a payment that was not sent',
    reply: then(0, 'lost'),
    restarts: true,
    failsToSend: true,
  },
  { title: 'two processes at once, lost', reply: loseResponse, processes: 2 },
  { title: 'two processes at once, 402', reply: replyAlways(paymentRequired()), processes: 2 },
  { title: 'four processes at once, success', reply: replyAlways(settled), processes: 4 },
  {
    title: 'lost, then a call after the expiry',
    reply: loseResponse,
    passes: 7 * minute,
    dateOffset: 0,
  },
  {
    title: "lost, and the caller's clock steps an hour ahead",
    reply: loseResponse,
    passes: 60 * minute,
    dateOffset: 0,
  },
  {
    title: "lost, and the caller's clock steps an hour back",
    reply: loseResponse,
    passes: -60 * minute,
    dateOffset: 0,
  },
  {
    title: "the service's clock is 10 minutes ahead",
    reply: loseResponse,
    dateOffset: 10 * minute,
  },
  {
    title: "the service's clock is 10 minutes behind",
    reply: loseResponse,
    dateOffset: -10 * minute,
  },
  {
    title: "the service's clock is a day ahead",
    reply: loseResponse,
    dateOffset: 24 * 60 * minute,
  },
]
