import type { LimitState, RateLimitHeaders, Remaining } from './rate-limit-headers.js'
import type { Blocked } from './slot-queue.js'

/** The state of a request: in flight (0), lost and perhaps counted (1), answered (2). */
type State = 0 | 1 | 2

/** How many requests and tokens fall into one second. */
type Count = [second: number, requests: number, tokens: number, state: State]

/** What remains of a window, and when that response arrived. A later request is newer. */
type Known = Remaining & { readonly at: number }

type Budget = { limit?: number | undefined; left?: Known | undefined }

/**
 * The state of one rate-limited bucket. Plain data, so that processes can share it in a store.
 * Times are milliseconds since 1970. It is changed in place, so that a call costs no copy.
 */
export type Bucket = {
  readonly requests: Budget
  readonly tokens: Budget
  /** The server asked for a pause until this moment. */
  holdUntil: number
  /** Whether responses state the remaining requests; absent before the first response. */
  announces?: boolean
  /**
   * An answered request counts until one window after its response: the server counted it earlier.
   */
  counts: Count[]
}

/** The window of every limit (interface specification, "Limits"), tested by the contract. */
export const windowMs = 60_000

/** How a send ended: never sent, without a response, or with what its headers said. */
export type SendOutcome = 'unsent' | 'lost' | { readonly limits: RateLimitHeaders; readonly holdUntil: number | undefined }

/** A bucket with the contract's limits, before the first response. */
export function bucketWith({ requests, tokens }: { readonly requests?: number; readonly tokens?: number }): Bucket {
  return { requests: { limit: requests }, tokens: { limit: tokens }, holdUntil: 0, counts: [] }
}

/**
 * Takes a slot for a request of so many tokens, or says why there is none. `burst` is how many are
 * sent at once before any rate-limit header was seen.
 */
export function tryAcquire(bucket: Bucket, tokens: number, now: number, burst: number): Blocked | undefined {
  // a count ends one window after the last moment of its second; the server has counted a request
  // that is in flight for two windows in one that is over, or its process has ended
  bucket.counts = bucket.counts.filter((one) => one[0] >= secondOf(now - (one[3] ? 1 : 2) * windowMs))
  const blocked = blockOf(bucket, tokens, now, burst)
  if (!blocked) add(bucket.counts, now, 1, tokens, 0)
  return blocked
}

/**
 * Within a window that the server announced, the free slots are the remaining ones less those in
 * flight, which the server may not have counted yet. Outside of one, our own count of the last
 * window decides, and only a burst is sent before a response says more.
 */
function blockOf(bucket: Bucket, tokens: number, now: number, burst: number): Blocked | undefined {
  const { requests, holdUntil, announces, counts } = bucket
  const lacks = ({ left }: Budget, what: 1 | 2, need: number) =>
    left !== undefined && left.resetAt > now && left.remaining - sum(counts, what, 1) < need ? left.resetAt : 0

  const need = Math.min(Math.max(1, tokens), bucket.tokens.limit ?? Infinity)
  const pause = holdUntil > now ? holdUntil : lacks(bucket.tokens, 2, need) || lacks(requests, 1, 1)
  if (pause) return { at: pause, source: 'server' }
  const { left, limit = Infinity } = requests
  if (left !== undefined && left.resetAt > now) return undefined

  const inFlight = sum(counts, 1, 0)
  const own = limit - sum(counts, 1, 2)
  // a window that has ended always admits one probe
  const known = left !== undefined && inFlight === 0 ? Math.max(own, 1) : own
  if ((announces === false ? own : Math.min(known, burst - inFlight)) >= 1) return undefined
  // what the server says next has more weight than our own count
  if (own >= 1 || (inFlight > 0 && announces !== false)) return { source: 'in-flight' }
  const oldest = Math.min(...counts.map((one) => (one[3] ? one[0] : Infinity)))
  return { at: oldest < Infinity ? (oldest + 1) * 1000 + windowMs : undefined, source: 'limits' }
}

/** Gives back the slot taken at `sentAt`, and learns from how the send ended. */
export function release(bucket: Bucket, sentAt: number, tokens: number, outcome: SendOutcome, now: number): void {
  const { counts } = bucket
  add(counts, sentAt, -1, -tokens, 0)
  if (outcome === 'unsent') return
  const answered = outcome !== 'lost'
  add(counts, now, 1, tokens, answered ? 2 : 1)
  if (!answered) return
  const { limits } = outcome
  learn(bucket.requests, limits.requests, sentAt, now)
  learn(bucket.tokens, limits.tokens, sentAt, now)
  bucket.announces ||= limits.requests.left !== undefined
  bucket.holdUntil = Math.max(bucket.holdUntil, outcome.holdUntil ?? 0)
}

/**
 * Responses overtake each other. Of two requests that were in flight together the later window
 * wins; within one window the lower figure wins.
 */
function learn(budget: Budget, { limit, left }: LimitState, sentAt: number, at: number): void {
  budget.limit = limit ?? budget.limit
  const known = budget.left
  if (!left) return
  const { reset, tolerance } = left
  if (!known || sentAt > known.at || reset > known.reset + tolerance) budget.left = { ...left, at }
  else if (reset >= known.reset - tolerance) {
    budget.left = {
      remaining: Math.min(left.remaining, known.remaining),
      reset: Math.max(reset, known.reset),
      // the skew is a lower bound, so a Unix time is never too early and the earlier one is closer;
      // seconds from now grow with the time on the way here
      resetAt: (tolerance === 0 ? Math.min : Math.max)(left.resetAt, known.resetAt),
      tolerance,
      at,
    }
  }
}

/** Adds to the count of a second; negative numbers subtract. */
function add(counts: Count[], time: number, requests: number, tokens: number, state: State): void {
  const second = secondOf(time)
  const one = counts.find((count) => count[0] === second && count[3] === state)
  if (one) {
    one[1] += requests
    one[2] += tokens
  } else if (requests > 0) counts.push([second, requests, tokens, state])
}

/** The sum of requests (1) or tokens (2) over the counts whose state is at most `most`. */
function sum(counts: readonly Count[], what: 1 | 2, most: State): number {
  return counts.reduce((all, one) => (one[3] > most ? all : all + one[what]), 0)
}

function secondOf(time: number): number {
  return Math.floor(time / 1000)
}
