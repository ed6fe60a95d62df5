/** What was counted for a caller. */
export type Count = {
  /** Requests of the class in the window. */
  readonly used: number
  /** Milliseconds since 1970 until which the caller is blocked. In the past, or missing, when it is not. */
  readonly blockedUntil?: number
}

export type Window = {
  readonly caller: string
  readonly rateClass: string
  /** Which calendar window it is, counted since 1970. */
  readonly number: number
}

export type AbuseLimits = { readonly failures: number; readonly windowSeconds: number; readonly blockSeconds: number }

/** Where requests and failures are counted. Each method is one atomic step, however many processes share the store. */
export type LimitStore = {
  /** Counts a request, unless the caller is blocked or has had `limit` already; then `used` is `limit` + 1. */
  readonly take: (window: Window, limit: number, now: number) => Promise<Count>
  /** What a request would find. */
  readonly peek: (window: Window) => Promise<Count>
  /** Counts a failure, and blocks the caller after too many of them. Nothing is counted while it is blocked. */
  readonly fail: (caller: string, limits: AbuseLimits, now: number) => Promise<void>
}
