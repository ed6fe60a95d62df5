import { leastSkew } from './clock-skew.js'
import { figureOf, isSpan, resetTime } from './server-time.js'

/** How much of a window remains. */
export type Remaining = {
  readonly remaining: number
  /**
   * Identifies the window, in milliseconds. For a Unix time: the reset as the server wrote it,
   * equal in all responses of a fixed window. For seconds from now: the reset by our own clock.
   */
  readonly reset: number
  /** When the window ends, by our own clock. */
  readonly resetAt: number
  /**
   * How far two resets of one window may differ. Seconds from now are rounded, and count from an
   * unknown moment on the way here.
   */
  readonly tolerance: number
}

/** The limit of requests or of tokens, as far as the headers state it. */
export type LimitState = { readonly limit: number | undefined; readonly left: Remaining | undefined }

/** What the rate-limit headers of a response say about the bucket. */
export type RateLimitHeaders = { readonly requests: LimitState; readonly tokens: LimitState }

/** What a response says of the rate limits of its operation. Times are by our own clock. */
export function rateLimitsOf(response: Response, now = Date.now()): RateLimitHeaders {
  return readRateLimitHeaders(response.headers, now, leastSkew(response, now))
}

/**
 * Reads the rate-limit headers (interface specification, "Rate-limit response headers"). The reset
 * of requests is a Unix time, and the reset of tokens counts seconds from now. Both forms are read
 * in both headers. A value that cannot be read counts as missing.
 */
export function readRateLimitHeaders(headers: Headers, now: number, skew: number): RateLimitHeaders {
  const read = (what: string): LimitState => {
    const figure = (name: string) => figureOf(headers, `x-ratelimit-${name}-${what}`)
    // 0 means: not limited
    const limit = figure('limit') || undefined
    const remaining = figure('remaining')
    // most responses state one of the two limits: skip the reset of the other
    const reset = remaining >= 0 ? figure('reset') : NaN
    const resetAt = resetTime(reset, now, skew)
    const span = isSpan(reset)
    const left = resetAt >= 0 ? { remaining, resetAt, reset: span ? resetAt : resetAt + skew, tolerance: span ? 2000 : 0 } : undefined
    return { limit, left }
  }
  return { requests: read('requests'), tokens: read('tokens') }
}
