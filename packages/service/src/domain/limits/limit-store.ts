import type { SlidingWindow } from './sliding-window.js'

/** What was counted for a caller. */
export type Count = {
  /** Whether the request was counted. */
  readonly admitted: boolean
  /** Requests of the class that still count, with this one where it was counted. */
  readonly recent: SlidingWindow
  /** Milliseconds since 1970 until which the caller is blocked. In the past, or missing, when it is not. */
  readonly blockedUntil?: number
}

/** One count: a caller's requests in a class of operations. */
export type Counter = { readonly caller: string; readonly rateClass: string }

export type AbuseLimits = { readonly failures: number; readonly windowSeconds: number; readonly blockSeconds: number }

/** Where requests and failures are counted. Each method is one atomic step, however many processes share the store. */
export type LimitStore = {
  /** Counts a request, unless the caller is blocked or `limit` requests count already. */
  readonly take: (counter: Counter, limit: number, now: number) => Promise<Count>
  /** What counts, without another request. */
  readonly read: (counter: Counter, now: number) => Promise<Count>
  /**
   * Counts a failure, and blocks the caller after too many of them: then it gives the end of the block, in milliseconds since 1970. Nothing is
   * counted while the caller is blocked.
   */
  readonly fail: (caller: string, limits: AbuseLimits, now: number) => Promise<number | undefined>
}
