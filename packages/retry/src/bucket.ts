import type { Announcement } from './announcement.js'
import { add, since, sum, type Tally } from './tally.js'

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
  readonly limit?: number | undefined
  readonly tokenLimit?: number | undefined
  readonly requests?: Known | undefined
  readonly tokens?: Known | undefined
  /** The server asked for a pause. */
  readonly holdUntil?: number | undefined
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

/** Nothing where one more may go now; if not, when to look again at the latest, where that is not a matter of an answer coming in. */
export type Verdict = { readonly at: number | undefined; readonly source: 'server' | 'limits' | 'in-flight' } | undefined

export const untouched: Bucket = { flying: [], spent: [], lost: [] }

const slotOf = (time: number) => Math.floor(time / 1000)

/**
 * Whether a request of so many tokens fits. Within an announced window there is room for what was left at the last word, less what is
 * under way, since that may come on top. Outside of one the own count of the last window says what must be free by any way of counting,
 * and only a burst goes out before an answer tells more.
 */
export function look(bucket: Bucket, tokens: number, now: number, { windowMs, burst }: Rules): Verdict {
  const { limit = Infinity, tokenLimit = Infinity, holdUntil = 0, requests, flying, lost, spent, announces } = bucket
  const until = (at: number | undefined, source: 'server' | 'limits' | 'in-flight' = 'server') => ({ at, source })
  const used = (what: 1 | 2) => sum(flying, what) + sum(lost, what)
  const lacks = (known: Known | undefined, what: 1 | 2, need: number) =>
    known !== undefined && known.resetAt > now && known.remaining - used(what) < need ? known.resetAt : 0

  const pause = holdUntil > now ? holdUntil : lacks(bucket.tokens, 2, Math.min(Math.max(1, tokens), tokenLimit)) || lacks(requests, 1, 1)
  if (pause) return until(pause)
  if (requests !== undefined && requests.resetAt > now) return undefined

  const open = sum(flying, 1)
  const own = limit - used(1) - sum(spent, 1)
  // a window that ended has room for one at least, whoever used it up
  const known = requests !== undefined && open === 0 ? Math.max(own, 1) : own
  if ((announces === false ? own : Math.min(known, burst - open)) >= 1) return undefined
  if (own >= 1) return until(undefined, 'in-flight')
  const oldest = Math.min(...[...spent, ...lost].map(([slot]) => slot))
  return until(oldest < Infinity ? (oldest + 1) * 1000 + windowMs : undefined, 'limits')
}

/** The bucket without what is too old to count. */
export function fresh(bucket: Bucket, now: number, { windowMs }: Rules): Bucket {
  // a slot is over when its last moment is a window old; an answer that is ten minutes late is one of a process that is gone
  const first = slotOf(now - windowMs)
  const { flying, spent, lost } = bucket
  return { ...bucket, flying: since(flying, slotOf(now - 600_000)), spent: since(spent, first), lost: since(lost, first) }
}

/** The bucket with one more under way. */
export function sent(bucket: Bucket, tokens: number, now: number): Bucket {
  return { ...bucket, flying: add(bucket.flying, slotOf(now), 1, tokens) }
}

/** What came of a send: nothing left, it got no answer, or an answer with or without an announcement. */
export type Ending = 'unsent' | 'lost' | { readonly announced: Announcement; readonly holdUntil: number | undefined }

/** The bucket after a send of `sentAt` has ended. */
export function ended(bucket: Bucket, sentAt: number, tokens: number, ending: Ending, now: number): Bucket {
  const landed = { ...bucket, flying: add(bucket.flying, slotOf(sentAt), -1, -tokens) }
  if (ending === 'unsent') return landed
  if (ending === 'lost') return { ...landed, lost: add(bucket.lost, slotOf(now), 1, tokens) }
  const { announced, holdUntil = 0 } = ending
  return {
    ...landed,
    spent: add(bucket.spent, slotOf(now), 1, tokens),
    announces: announced.requests !== undefined || (bucket.announces ?? false),
    limit: announced.limit ?? bucket.limit,
    tokenLimit: announced.tokenLimit ?? bucket.tokenLimit,
    requests: merged(bucket.requests, announced.requests, sentAt, now),
    tokens: merged(bucket.tokens, announced.tokens, sentAt, now),
    holdUntil: Math.max(holdUntil, bucket.holdUntil ?? 0),
  }
}

/** Answers overtake each other. Of two that were under way together the later window holds, and within one window the lower figure. */
function merged(known: Known | undefined, word: Announcement['requests'], sentAt: number, at: number): Known | undefined {
  if (word === undefined) return known
  const { tolerance, ...newer } = { ...word, at }
  if (known === undefined || sentAt > known.at || newer.reset > known.reset + tolerance) return newer
  if (newer.reset < known.reset - tolerance) return known
  // a moment of the server's is never put too early, so the earlier of two is the better; a span from now grows with its way here
  const better = tolerance === 0 ? Math.min : Math.max
  return {
    remaining: Math.min(newer.remaining, known.remaining),
    reset: Math.max(newer.reset, known.reset),
    resetAt: better(newer.resetAt, known.resetAt),
    at,
  }
}
