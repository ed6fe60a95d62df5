import { rateLimits } from '@farebox/types/operations'

/** The result of a count. */
export type Count = {
  /** Whether the request was counted. */
  readonly admitted: boolean
  /** What still counts, with this request if it was counted. */
  readonly recent: SlidingWindow
  /** Milliseconds since 1970. Missing, or in the past, for a caller that is not blocked. */
  readonly blockedUntil?: number | undefined
}

/** One count: a caller's requests in a class of operations, or its tokens. */
export type Counter = {
  readonly caller: string
  readonly rateClass: string
  /** A block of any of these rejects the request. Default: the caller. */
  readonly parties?: readonly string[]
}

type AbuseLimits = {
  readonly failures: number
  readonly windowSeconds: number
  readonly blockSeconds: number
}

/**
 * Counts requests and failures. Each method is atomic, also when several processes share the store.
 */
export type LimitStore = {
  /**
   * Counts an amount, unless the caller is blocked or has more than `limit` with it. Default: one
   * request.
   */
  readonly count: (counter: Counter, limit: number, now: number, amount?: number) => Promise<Count>
  /** Changes an amount that was counted in a second, as long as it still counts. */
  readonly adjust: (counter: Counter, second: number, change: number) => Promise<void>
  /** Reads the count. */
  readonly read: (counter: Counter, now: number) => Promise<Count>
  /**
   * Counts a failure, unless the caller is blocked, and blocks it after too many. Resolves to the
   * end of the block in milliseconds since 1970.
   */
  readonly fail: (caller: string, limits: AbuseLimits, now: number) => Promise<number | undefined>
}

/** The number of requests, or of tokens, in each Unix second, oldest first. */
type SlidingWindow = readonly (readonly [second: number, requests: number])[]

/**
 * A request counts for 60 to 61 s: until a window after the end of its second. So no 60 s contain
 * more requests than the limit, and capacity returns on whole seconds, which a header can name.
 */
const countedSeconds = rateLimits.windowSeconds + 1

export function toSecond(now: number): number {
  return Math.floor(now / 1000)
}

/** The first second whose requests still count. */
export function findFirstCountedSecond(now: number): number {
  return toSecond(now) - countedSeconds + 1
}

export function countRequests(window: SlidingWindow): number {
  let sum = 0
  for (const [, requests] of window) sum += requests
  return sum
}

/** Unix seconds at which `slots` more requests fit, if none comes before. 0 if they fit now. */
export function findFreeSecond(window: SlidingWindow, limit: number, slots: number): number {
  let missing = countRequests(window) + slots - limit
  if (missing <= 0) return 0
  for (const [second, requests] of window) {
    missing -= requests
    if (missing <= 0) return second + countedSeconds
  }
  return 0
}

export type Quota = {
  /** Requests in the window. */
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetsAt: number
  readonly tokenLimit: number
  readonly remainingTokens: number
  readonly secondsToReset: number
  /** Until the tokens reset. Default: `secondsToReset`. */
  readonly secondsToTokenReset?: number
}

/**
 * The remaining requests of a caller and the time of the reset. After a rejection, a retry then
 * succeeds (interface specification, "Errors", rule 2). Otherwise at least half of the limit is
 * then free, and more than now. Later responses never name an earlier time.
 */
export function toQuota(
  { recent, rejected }: { readonly recent: SlidingWindow; readonly rejected: boolean },
  { requests: limit, tokens: tokenLimit }: { readonly requests: number; readonly tokens: number },
  now: number,
): Quota {
  const used = countRequests(recent)
  const slots = rejected ? 1 : Math.max(Math.floor(limit / 2), limit - used + 1)
  const resetsAt = Math.max(toSecond(now) + 1, findFreeSecond(recent, limit, slots))
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetsAt,
    tokenLimit,
    remainingTokens: tokenLimit,
    secondsToReset: Math.ceil(resetsAt - now / 1000),
  }
}

/** The remaining tokens. `rejected`: the tokens of a request that did not fit. */
export function withTokens(
  quota: Quota,
  { recent, rejected }: { readonly recent: SlidingWindow; readonly rejected?: number },
  now: number,
): Quota {
  const { tokenLimit } = quota
  const used = countRequests(recent)
  const wanted = rejected ?? Math.max(Math.floor(tokenLimit / 2), tokenLimit - used + 1)
  const resetsAt = Math.max(toSecond(now) + 1, findFreeSecond(recent, tokenLimit, wanted))
  return {
    ...quota,
    remainingTokens: Math.max(0, tokenLimit - used),
    secondsToTokenReset: Math.ceil(resetsAt - now / 1000),
  }
}

/** Counts in this process. A restart clears the counts. */
export function createMemoryLimits(): LimitStore {
  const windows = new Map<string, SlidingWindow>()
  const failures = new Map<string, number[]>()
  const blocks = new Map<string, number>()

  const findBlock = (parties: readonly string[]): number | undefined => {
    let latest: number | undefined
    for (const party of parties) {
      const end = blocks.get(party) ?? 0
      if (end > (latest ?? 0)) latest = end
    }
    return latest
  }
  const readRecent = (key: string, now: number): SlidingWindow => {
    const first = findFirstCountedSecond(now)
    return (windows.get(key) ?? []).filter(([second]) => second >= first)
  }

  return {
    count: async ({ caller, rateClass, parties = [caller] }, limit, now, amount = 1) => {
      const key = `${rateClass} ${caller}`
      const recent = readRecent(key, now)
      const blockedUntil = findBlock(parties)
      if ((blockedUntil ?? 0) > now || countRequests(recent) + amount > limit)
        return { admitted: false, recent, blockedUntil }
      if (windows.size > 10_000 && !windows.has(key))
        purge(windows, (window) => (window.at(-1)?.[0] ?? 0) < findFirstCountedSecond(now))
      const second = toSecond(now)
      const [last = 0, requests = 0] = recent.at(-1) ?? []
      // after the clock was set back, requests count in the last second
      const counted: SlidingWindow =
        second > last
          ? [...recent, [second, amount]]
          : [...recent.slice(0, -1), [last, requests + amount]]
      windows.set(key, counted)
      return { admitted: true, recent: counted, blockedUntil }
    },

    read: async ({ caller, rateClass, parties = [caller] }, now) => ({
      admitted: false,
      recent: readRecent(`${rateClass} ${caller}`, now),
      blockedUntil: findBlock(parties),
    }),

    adjust: async ({ caller, rateClass }, second, change) => {
      const key = `${rateClass} ${caller}`
      const window = windows.get(key)
      if (!window) return
      const changed = window.map(([at, n]) =>
        at === second ? ([at, Math.max(0, n + change)] as const) : ([at, n] as const),
      )
      windows.set(key, changed)
    },

    fail: async (caller, limits, now) => {
      if ((blocks.get(caller) ?? 0) > now) return blocks.get(caller)
      if (blocks.size > 10_000) purge(blocks, (end) => end <= now)
      if (failures.size > 10_000)
        purge(failures, (times) => (times.at(-1) ?? 0) <= now - limits.windowSeconds * 1000)
      const recent = (failures.get(caller) ?? []).filter(
        (time) => time > now - limits.windowSeconds * 1000,
      )
      recent.push(now)
      if (recent.length <= limits.failures) {
        failures.set(caller, recent)
        return undefined
      }
      failures.delete(caller)
      blocks.set(caller, now + limits.blockSeconds * 1000)
      return now + limits.blockSeconds * 1000
    },
  }
}

function purge<T>(map: Map<string, T>, isOver: (value: T) => boolean): void {
  for (const [key, value] of map) if (isOver(value)) map.delete(key)
}
