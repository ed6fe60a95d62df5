import type { Announcement } from './announcement.js'
import { add, requestsIn, since, tokensIn, type Tally } from './tally.js'

/** What was announced of a window that is not over. */
type Known = {
  readonly remaining: number
  /** As the server writes it: equal in all answers of a fixed window. */
  readonly reset: number
  /** By our own clock. */
  readonly resetAt: number
  /** When the answer came: an answer to anything sent later is newer. */
  readonly at: number
}

/** What is known of one budget. Plain data, so that it can lie in a store that processes share; times are milliseconds since 1970. */
export type Bucket = {
  readonly limit?: number
  readonly tokenLimit?: number
  readonly requests?: Known
  readonly tokens?: Known
  /** The server asked for a pause. */
  readonly holdUntil?: number
  /** Whether answers announce what is left; absent before the first. */
  readonly announces?: boolean
  /** Sent and not answered. */
  readonly flying: Tally
  /** Answered; it counts until a window after its answer, as the server counted it no later than that. */
  readonly spent: Tally
  /** Ended without an answer: the server may have counted it or not. */
  readonly lost: Tally
}

export type Rules = {
  readonly windowMs: number
  /** How many are sent at once while nothing was announced. */
  readonly burst: number
}

/** Whether one more may go now; if not, when to look again at the latest, where that is not a matter of an answer coming in. */
export type Verdict =
  | { readonly free: true }
  | { readonly free: false; readonly at: number | undefined; readonly source: 'server' | 'limits' | 'in-flight' }

export const untouched: Bucket = { flying: [], spent: [], lost: [] }

/** An answer that is this late is one of a process that is gone. */
const leaseMs = 600_000

const slotMs = 1000
const slotOf = (time: number) => Math.floor(time / slotMs)

/**
 * Whether a request of so many tokens fits. Within an announced window there is room for what was left at the last word, less what is
 * under way, since that may come on top. Outside of one the own count of the last window says what must be free by any way of counting,
 * and only a burst goes out before an answer tells more.
 */
export function look(bucket: Bucket, tokens: number, now: number, { windowMs, burst }: Rules): Verdict {
  const { limit = Infinity, tokenLimit = Infinity, holdUntil = 0, requests } = bucket
  if (holdUntil > now) return { free: false, at: holdUntil, source: 'server' }
  const flying = requestsIn(bucket.flying)
  const lost = requestsIn(bucket.lost)

  if (bucket.tokens !== undefined && bucket.tokens.resetAt > now) {
    const left = bucket.tokens.remaining - tokensIn(bucket.flying) - tokensIn(bucket.lost)
    if (left < Math.min(Math.max(1, tokens), tokenLimit)) return { free: false, at: bucket.tokens.resetAt, source: 'server' }
  }
  if (requests !== undefined && requests.resetAt > now) {
    return requests.remaining - flying - lost >= 1 ? { free: true } : { free: false, at: requests.resetAt, source: 'server' }
  }

  const own = limit - flying - lost - requestsIn(bucket.spent)
  const ended = requests !== undefined
  // a window that ended has room for one at least, whoever used it up
  const room = bucket.announces === false ? own : Math.min(ended && flying === 0 ? Math.max(own, 1) : own, burst - flying)
  if (room >= 1) return { free: true }
  if (own >= 1) return { free: false, at: undefined, source: 'in-flight' }
  const oldest = Math.min(bucket.spent[0]?.[0] ?? Infinity, bucket.lost[0]?.[0] ?? Infinity)
  return { free: false, at: oldest === Infinity ? undefined : (oldest + 1) * slotMs + windowMs, source: 'limits' }
}

/** The bucket with one more under way, and without what is too old to count. */
export function sent(bucket: Bucket, tokens: number, now: number, { windowMs }: Rules): Bucket {
  return { ...fresh(bucket, now, windowMs), flying: add(since(bucket.flying, slotOf(now - leaseMs)), slotOf(now), 1, tokens) }
}

/** What came of a send: nothing left, it got no answer, or an answer with or without an announcement. */
export type Ending = 'unsent' | 'lost' | { readonly announced: Announcement; readonly holdUntil?: number }

/** The bucket after a send of `sentAt` has ended. */
export function ended(bucket: Bucket, sentAt: number, tokens: number, ending: Ending, now: number): Bucket {
  const flying = add(bucket.flying, slotOf(sentAt), -1, -tokens)
  if (ending === 'unsent') return { ...bucket, flying }
  if (ending === 'lost') return { ...bucket, flying, lost: add(bucket.lost, slotOf(now), 1, tokens) }
  const { announced, holdUntil = 0 } = ending
  const requests = merged(bucket.requests, announced.requests, sentAt, now)
  const tokensLeft = merged(bucket.tokens, announced.tokens, sentAt, now)
  return {
    ...bucket,
    flying,
    spent: add(bucket.spent, slotOf(now), 1, tokens),
    announces: announced.requests !== undefined || (bucket.announces ?? false),
    ...(announced.limit !== undefined && { limit: announced.limit }),
    ...(announced.tokenLimit !== undefined && { tokenLimit: announced.tokenLimit }),
    ...(requests && { requests }),
    ...(tokensLeft && { tokens: tokensLeft }),
    ...(holdUntil > (bucket.holdUntil ?? 0) && { holdUntil }),
  }
}

/** Answers overtake each other. Of two that were under way together the later window holds, and within one window the lower figure. */
function merged(known: Known | undefined, word: Announcement['requests'], sentAt: number, now: number): Known | undefined {
  if (word === undefined) return known
  const { remaining, reset, resetAt, tolerance } = word
  const newer = { remaining, reset, resetAt, at: now }
  if (known === undefined || sentAt > known.at || reset > known.reset + tolerance) return newer
  if (reset < known.reset - tolerance) return known
  // a moment of the server's is never put too early, so the earlier of two is the better; a span from now grows with its way here
  const at = tolerance === 0 ? Math.min(resetAt, known.resetAt) : Math.max(resetAt, known.resetAt)
  return { remaining: Math.min(remaining, known.remaining), reset: Math.max(reset, known.reset), resetAt: at, at: now }
}

function fresh(bucket: Bucket, now: number, windowMs: number): Bucket {
  // a slot is over when its last moment is a window old
  const first = slotOf(now - windowMs)
  return { ...bucket, spent: since(bucket.spent, first), lost: since(bucket.lost, first) }
}
