import { httpDate } from '@farebox/middleware'
import { leastSkew } from './clock-skew.js'

/**
 * The moment before which a server asks not to be called again: milliseconds since 1970 by our own clock; undefined when it does not say.
 * The latest of what it says counts; what cannot be read is ignored, and what no Date can hold is the last moment that one can.
 *
 * - `retry-after-ms`; `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3);
 * - `x-ratelimit-reset-requests`, a Unix time in seconds, in milliseconds above 1e11, or a number of seconds below 1e9. It stands on every
 *   answer, and means a retry only on a 429 or when no request is left (interface specification, "Errors" and "Limits").
 *
 * A time of the server's clock is moved to ours by `skew`, how far its clock is ahead at least; by default what its Date header says.
 */
export function serverTime(response: Response, now: number, skew = leastSkew(response.headers, now)): number | undefined {
  const { headers } = response
  const limited = response.status === 429 || numberOf(headers.get('x-ratelimit-remaining-requests')) === 0
  const after = headers.get('retry-after')
  const times = [
    now + numberOf(headers.get('retry-after-ms')),
    now + numberOf(after) * 1000,
    httpDate(after) - skew,
    limited ? resetTime(numberOf(headers.get('x-ratelimit-reset-requests')), now, skew) : NaN,
  ]
  const latest = Math.max(...times.map((time) => time || 0))
  // no later than the last moment that a Date can hold
  return latest > 0 ? Math.min(8.64e15, latest) : undefined
}

/** A reset by our own clock; NaN for what is none. */
export function resetTime(reset: number, now: number, skew: number): number {
  if (isSpan(reset)) return now + reset * 1000
  return (reset > 1e11 ? reset : reset * 1000) - skew
}

/** Whether a reset counts seconds from now: as a moment it would be in the last century. */
export function isSpan(reset: number): boolean {
  return reset < 1e9
}

/** A plain decimal number; nothing else is one that a server of this contract would send: NaN. */
export function numberOf(value: string | null): number {
  return /^\d+(\.\d+)?$/.test(value ?? '') ? Number(value) : NaN
}
