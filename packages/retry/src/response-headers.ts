import { clockOffset, httpDate } from '@farebox/middleware'

/**
 * The moment before which the server asks not to be called again: milliseconds since 1970 by our
 * own clock, or undefined if the server names none. The latest of the following counts. An
 * unreadable value is ignored. A value beyond the range of Date becomes the last moment of that
 * range.
 *
 * - `retry-after-ms`; `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3);
 * - `x-ratelimit-reset-requests`: a Unix time in seconds, in milliseconds above 1e11, or a number
 *   of seconds below 1e9. Every response carries it. It counts only on a 429, or when no request
 *   remains (interface specification, "Errors" and "Limits").
 *
 * `skew` is how far the server's clock is ahead at least, in milliseconds. It converts a time of
 * the server to our clock. Default: the skew by the Date header.
 *
 * @example
 * ```ts
 * const at = serverTime(response)
 * if (at !== undefined) await sleep(at - Date.now())
 * ```
 */
export function serverTime(
  response: Response,
  now: number,
  skew = findMinSkew(response, now),
): number | undefined {
  const { headers } = response
  const limited =
    response.status === 429 || readNumber(headers, 'x-ratelimit-remaining-requests') === 0
  const times = [
    now + readNumber(headers, 'retry-after-ms'),
    now + readNumber(headers, 'retry-after') * 1000,
    httpDate(headers.get('retry-after')) - skew,
    limited ? resetTime(readNumber(headers, 'x-ratelimit-reset-requests'), now, skew) : NaN,
  ]
  const latest = Math.max(...times.map((time) => time || 0))
  // no later than the last moment that a Date can hold
  return latest > 0 ? Math.min(8.64e15, latest) : undefined
}

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
export type LimitState = {
  readonly limit: number | undefined
  readonly left: Remaining | undefined
}

/** What the rate-limit headers of a response say about the bucket. */
export type RateLimitHeaders = { readonly requests: LimitState; readonly tokens: LimitState }

/**
 * What a response says about the rate limits of its operation. Times are by our own clock.
 *
 * @example
 * ```ts
 * const { requests } = readRateLimits(response)
 * console.log(requests.left?.remaining, requests.limit)
 * ```
 */
export function readRateLimits(response: Response, now = Date.now()): RateLimitHeaders {
  return readRateLimitHeaders(response.headers, now, findMinSkew(response, now))
}

/**
 * Reads the rate-limit headers (interface specification, "Rate-limit response headers"). The reset
 * of requests is a Unix time, and the reset of tokens counts seconds from now. Either header may
 * have either form. An unreadable value counts as missing.
 */
export function readRateLimitHeaders(
  headers: Headers,
  now: number,
  skew: number,
): RateLimitHeaders {
  const readLimit = (unit: string): LimitState => {
    // 0 means: not limited
    const limit = readNumber(headers, `x-ratelimit-limit-${unit}`) || undefined
    const remaining = readNumber(headers, `x-ratelimit-remaining-${unit}`)
    // most responses state one of the two limits: skip the reset of the other
    const reset = remaining >= 0 ? readNumber(headers, `x-ratelimit-reset-${unit}`) : NaN
    const resetAt = resetTime(reset, now, skew)
    const tolerance = reset < maxSeconds ? 2000 : 0
    const reading =
      resetAt >= 0
        ? { remaining, resetAt, reset: tolerance ? resetAt : resetAt + skew, tolerance }
        : undefined
    return { limit, left: reading }
  }
  return { requests: readLimit('requests'), tokens: readLimit('tokens') }
}

/**
 * How far the server's clock is ahead of ours at least, in milliseconds; 0 when unknown. A server
 * time that is converted with this lower bound is never too early.
 */
export function findMinSkew(response: Response, receivedAt: number): number {
  const skew = clockOffset(response, receivedAt)
  // more than a day apart: one of the clocks is wrong, so the difference is ignored
  return Math.abs(skew) < 86_400_000 ? skew : 0
}

/** A lower reset counts seconds from now: as a Unix time it would be before 2001. */
const maxSeconds = 1e9

/** A reset by our own clock; NaN for a value that is not a reset. */
function resetTime(reset: number, now: number, skew: number): number {
  if (reset < maxSeconds) return now + reset * 1000
  return (reset > 1e11 ? reset : reset * 1000) - skew
}

/** A plain decimal number, the only form that a server of this contract sends; else NaN. */
function readNumber(headers: Headers, name: string): number {
  const value = headers.get(name)
  return /^\d+(\.\d+)?$/.test(`${value}`) ? Number(value) : NaN
}
