import { httpDate } from '@farebox/middleware'
import { leastSkew } from './clock-skew.js'

/**
 * The moment before which the server asks not to be called again: milliseconds since 1970 by our
 * own clock, or undefined when the server names none. The latest of the following counts. A value
 * that cannot be read is ignored. A value beyond the range of Date becomes the last moment of that
 * range.
 *
 * - `retry-after-ms`; `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3);
 * - `x-ratelimit-reset-requests`: a Unix time in seconds, in milliseconds above 1e11, or a number
 *   of seconds below 1e9. Every response carries it. It counts only on a 429, or when no request
 *   remains (interface specification, "Errors" and "Limits").
 *
 * `skew` is how far the server's clock is ahead at least, in milliseconds. It converts a time of
 * the server to our clock. Default: the skew by the Date header.
 */
export function serverTime(response: Response, now: number, skew = leastSkew(response, now)): number | undefined {
  const { headers } = response
  const limited = response.status === 429 || figureOf(headers, 'x-ratelimit-remaining-requests') === 0
  const times = [
    now + figureOf(headers, 'retry-after-ms'),
    now + figureOf(headers, 'retry-after') * 1000,
    httpDate(headers.get('retry-after')) - skew,
    limited ? resetTime(figureOf(headers, 'x-ratelimit-reset-requests'), now, skew) : NaN,
  ]
  const latest = Math.max(...times.map((time) => time || 0))
  // no later than the last moment that a Date can hold
  return latest > 0 ? Math.min(8.64e15, latest) : undefined
}

/** A reset by our own clock; NaN for a value that is not a reset. */
export function resetTime(reset: number, now: number, skew: number): number {
  if (isSpan(reset)) return now + reset * 1000
  return (reset > 1e11 ? reset : reset * 1000) - skew
}

/** Whether a reset counts seconds from now: as a Unix time it would be before 2001. */
export function isSpan(reset: number): boolean {
  return reset < 1e9
}

/** A plain decimal number, the only form that a server of this contract sends; else NaN. */
export function figureOf(headers: Headers, name: string): number {
  const value = headers.get(name)
  return /^\d+(\.\d+)?$/.test(`${value}`) ? Number(value) : NaN
}
