import type { Announcement, Gauge, Left } from './announcement.js'

/** What became of a request: it is under way (0), it ended without an answer, so that it counts or not (1), it was answered (2). */
type Fate = 0 | 1 | 2

/** How many requests and tokens there were within a slot of time. */
type Count = [slot: number, requests: number, tokens: number, fate: Fate]

/** What was announced of a window, and when the answer came: an answer to anything sent later is newer. */
type Known = Left & { readonly at: number }

type Budget = { limit?: number | undefined; left?: Known | undefined }

/**
 * What is known of one budget. Plain data, so that it can lie in a store that processes share; times are milliseconds since 1970. It is
 * changed in place: a call costs no copy of it.
 */
export type Bucket = {
  readonly requests: Budget
  readonly tokens: Budget
  /** The server asked for a pause. */
  holdUntil?: number
  /** Whether answers announce what is left; absent before the first. */
  announces?: boolean
  /** An answered one counts until a window after its answer, as the server counted it no later than that. */
  counts: Count[]
}

export type Rules = {
  /** How many are sent at once while nothing was announced. */
  readonly burst: number
}

/** The window of every limit (interface specification, "Limits"); a test holds it against the contract's table. */
export const windowMs = 60_000

/** Nothing where one more may go now; if not, when to look again at the latest, where that is not a matter of an answer coming in. */
export type Verdict = { readonly at: number | undefined; readonly source: 'server' | 'limits' | 'in-flight' } | undefined

/** A budget of which the contract alone is known. */
export function bucketWith({ requests, tokens }: { readonly requests?: number; readonly tokens?: number }): Bucket {
  return { requests: { limit: requests }, tokens: { limit: tokens }, counts: [] }
}

/**
 * Whether a request of so many tokens fits. Within an announced window there is room for what was left at the last word, less what is
 * under way, since that may come on top. Outside of one the own count of the last window says what must be free by any way of counting,
 * and only a burst goes out before an answer tells more.
 */
export function look(bucket: Bucket, tokens: number, now: number, { burst }: Rules): Verdict {
  const { requests, holdUntil = 0, announces, counts } = bucket
  const lacks = ({ left }: Budget, what: 1 | 2, need: number) =>
    left !== undefined && left.resetAt > now && left.remaining - sum(counts, what, 1) < need ? left.resetAt : 0

  const need = Math.min(Math.max(1, tokens), bucket.tokens.limit ?? Infinity)
  const pause = holdUntil > now ? holdUntil : lacks(bucket.tokens, 2, need) || lacks(requests, 1, 1)
  if (pause) return { at: pause, source: 'server' }
  const { left, limit = Infinity } = requests
  if (left !== undefined && left.resetAt > now) return undefined

  const open = sum(counts, 1, 0)
  const own = limit - sum(counts, 1, 2)
  // a window that ended has room for one at least, whoever used it up
  const known = left !== undefined && open === 0 ? Math.max(own, 1) : own
  if ((announces === false ? own : Math.min(known, burst - open)) >= 1) return undefined
  if (own >= 1) return { at: undefined, source: 'in-flight' }
  const oldest = Math.min(...counts.map((one) => (one[3] === 0 ? Infinity : one[0])))
  return { at: oldest < Infinity ? (oldest + 1) * 1000 + windowMs : undefined, source: 'limits' }
}

/** Drops what is too old to count. */
export function refresh(bucket: Bucket, now: number): void {
  // a slot is over when its last moment is a window old; an answer that is ten minutes late is one of a process that is gone
  const counts = (one: Count) => one[0] >= slotOf(now - (one[3] === 0 ? 600_000 : windowMs))
  if (!bucket.counts.every(counts)) bucket.counts = bucket.counts.filter(counts)
}

/** Counts one more as under way. */
export function depart({ counts }: Bucket, tokens: number, now: number): void {
  add(counts, now, 1, tokens, 0)
}

/** What came of a send: nothing left, it got no answer, or an answer with or without an announcement. */
export type Ending = 'unsent' | 'lost' | { readonly announced: Announcement; readonly holdUntil: number | undefined }

/** Counts what came of a send of `sentAt`. */
export function land(bucket: Bucket, sentAt: number, tokens: number, ending: Ending, now: number): void {
  const { counts } = bucket
  add(counts, sentAt, -1, -tokens, 0)
  if (ending === 'unsent') return
  add(counts, now, 1, tokens, ending === 'lost' ? 1 : 2)
  if (ending === 'lost') return
  const { announced } = ending
  learn(bucket.requests, announced.requests, sentAt, now)
  learn(bucket.tokens, announced.tokens, sentAt, now)
  bucket.announces ||= announced.requests.left !== undefined
  bucket.holdUntil = Math.max(bucket.holdUntil ?? 0, ending.holdUntil ?? 0)
}

/** Answers overtake each other. Of two that were under way together the later window holds, and within one window the lower figure. */
function learn(budget: Budget, { limit, left }: Gauge, sentAt: number, at: number): void {
  budget.limit = limit ?? budget.limit
  const known = budget.left
  if (!left) return
  const { reset, tolerance } = left
  if (!known || sentAt > known.at || reset > known.reset + tolerance) budget.left = { ...left, at }
  else if (reset >= known.reset - tolerance) {
    budget.left = {
      remaining: Math.min(left.remaining, known.remaining),
      reset: Math.max(reset, known.reset),
      // a moment of the server's is never put too early, so the earlier of two is the better; a span from now grows with its way here
      resetAt: (tolerance === 0 ? Math.min : Math.max)(left.resetAt, known.resetAt),
      tolerance,
      at,
    }
  }
}

/** Whether nothing is under way. */
export function isIdle({ counts }: Bucket): boolean {
  return sum(counts, 1, 0) === 0
}

/** Counts so many more (or, below zero, fewer) in the slot of a moment; what is empty is left out. */
function add(counts: Count[], time: number, requests: number, tokens: number, fate: Fate): void {
  const slot = slotOf(time)
  const index = counts.findIndex((one) => one[0] === slot && one[3] === fate)
  const one = counts[index]
  if (one) {
    one[1] += requests
    one[2] += tokens
    if (one[1] <= 0) counts.splice(index, 1)
  } else if (requests > 0) counts.push([slot, requests, tokens, fate])
}

/** How many requests (1) or tokens (2) there are that came no further than this. */
function sum(counts: readonly Count[], what: 1 | 2, most: Fate): number {
  return counts.reduce((all, one) => (one[3] > most ? all : all + one[what]), 0)
}

function slotOf(time: number): number {
  return Math.floor(time / 1000)
}
