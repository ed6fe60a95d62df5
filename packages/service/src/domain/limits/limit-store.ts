import type { SlidingWindow } from './sliding-window.js'

/** The result of a count. */
export type Count = {
  /** Whether the request was counted. */
  readonly admitted: boolean
  /** What still counts, with this request if it was counted. */
  readonly recent: SlidingWindow
  /** Milliseconds since 1970. Missing, or in the past, for a caller that is not blocked. */
  readonly blockedUntil?: number
}

/** One count: a caller's requests in a class of operations, or its tokens. */
export type Counter = {
  readonly caller: string
  readonly rateClass: string
  /** A block of any of these refuses the request. Default: of the caller. */
  readonly parties?: readonly string[]
}

export type AbuseLimits = {
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
