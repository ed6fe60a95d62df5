import type { Announcement, Left } from './announcement.js'
import { add, since, sum, type Tally } from './tally.js'

/** What was announced of a window that is not over. */
type Known = Left & {
  /** When the answer came: an answer to anything sent later is newer. */
  readonly at: number
}

/**
 * What is known of one budget. Plain data, so that it can lie in a store that processes share; times are milliseconds since 1970. It is
 * changed in place: a call costs no copy of it.
 */
export type Bucket = {
  limit?: number | undefined
  tokenLimit?: number | undefined
  requests?: Known | undefined
  tokens?: Known | undefined
  /** The server asked for a pause. */
  holdUntil?: number
  /** Whether answers announce what is left; absent before the first. */
  announces?: boolean
  /** Sent and not answered. */
  flying: Tally
  /** Answered; it counts until a window after its answer, as the server counted it no later than that. */
  spent: Tally
  /** Ended without an answer: the server may have counted it or not. */
  lost: Tally
}

export type Rules = {
  readonly windowMs: number
  /** How many are sent at once while nothing was announced. */
  readonly burst: number
}

/** Nothing where one more may go now; if not, when to look again at the latest, where that is not a matter of an answer coming in. */
export type Verdict = { readonly at: number | undefined; readonly source: 'server' | 'limits' | 'in-flight' } | undefined

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

/** Drops what is too old to count. */
export function refresh(bucket: Bucket, now: number, { windowMs }: Rules): void {
  // a slot is over when its last moment is a window old; an answer that is ten minutes late is one of a process that is gone
  const first = slotOf(now - windowMs)
  bucket.flying = since(bucket.flying, slotOf(now - 600_000))
  bucket.spent = since(bucket.spent, first)
  bucket.lost = since(bucket.lost, first)
}

/** Counts one more as under way. */
export function depart(bucket: Bucket, tokens: number, now: number): void {
  add(bucket.flying, slotOf(now), 1, tokens)
}

/** What came of a send: nothing left, it got no answer, or an answer with or without an announcement. */
export type Ending = 'unsent' | 'lost' | { readonly announced: Announcement; readonly holdUntil: number | undefined }

/** Counts what came of a send of `sentAt`. */
export function land(bucket: Bucket, sentAt: number, tokens: number, ending: Ending, now: number): void {
  add(bucket.flying, slotOf(sentAt), -1, -tokens)
  if (ending === 'unsent') return
  add(ending === 'lost' ? bucket.lost : bucket.spent, slotOf(now), 1, tokens)
  if (ending === 'lost') return
  const { announced, holdUntil = 0 } = ending
  bucket.announces = announced.requests !== undefined || (bucket.announces ?? false)
  bucket.limit = announced.limit ?? bucket.limit
  bucket.tokenLimit = announced.tokenLimit ?? bucket.tokenLimit
  bucket.requests = merged(bucket.requests, announced.requests, sentAt, now)
  bucket.tokens = merged(bucket.tokens, announced.tokens, sentAt, now)
  bucket.holdUntil = Math.max(holdUntil, bucket.holdUntil ?? 0)
}

/** Answers overtake each other. Of two that were under way together the later window holds, and within one window the lower figure. */
function merged(known: Known | undefined, word: Left | undefined, sentAt: number, at: number): Known | undefined {
  if (word === undefined) return known
  const { remaining, reset, resetAt, tolerance } = word
  if (known === undefined || sentAt > known.at || reset > known.reset + tolerance) return { ...word, at }
  if (reset < known.reset - tolerance) return known
  // a moment of the server's is never put too early, so the earlier of two is the better; a span from now grows with its way here
  const better = tolerance === 0 ? Math.min : Math.max
  return {
    remaining: Math.min(remaining, known.remaining),
    reset: Math.max(reset, known.reset),
    resetAt: better(resetAt, known.resetAt),
    tolerance,
    at,
  }
}
