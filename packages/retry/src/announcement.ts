import { isSpan, numberOf, resetTime } from './server-time.js'

type Left = {
  readonly remaining: number
  /** The window's name: the reset as the server writes it, in milliseconds, or where that counts from now, as our clock has it. */
  readonly reset: number
  /** By our own clock. */
  readonly resetAt: number
  /** How far apart two resets of one window may be: a span from now is cut to seconds and as old as its way here. */
  readonly tolerance: number
}

/** What an answer announces of the caller's budget. */
export type Announcement = {
  readonly limit?: number
  readonly tokenLimit?: number
  readonly requests?: Left
  readonly tokens?: Left
}

/**
 * Reads the rate-limit headers (interface specification, "Rate-limit response headers"): the reset of requests is a Unix time, that of tokens
 * counts seconds from now; each is taken in the other's form too. What cannot be read is not there.
 */
export function announcementOf(headers: Headers, now: number, skew: number): Announcement {
  const limit = numberOf(headers.get('x-ratelimit-limit-requests'))
  const tokenLimit = numberOf(headers.get('x-ratelimit-limit-tokens'))
  const requests = leftOf(headers, 'requests', now, skew)
  const tokens = leftOf(headers, 'tokens', now, skew)
  return {
    ...(limit !== undefined && limit >= 1 && { limit }),
    ...(tokenLimit !== undefined && tokenLimit >= 1 && { tokenLimit }),
    ...(requests && { requests }),
    ...(tokens && { tokens }),
  }
}

function leftOf(headers: Headers, what: 'requests' | 'tokens', now: number, skew: number): Left | undefined {
  const remaining = numberOf(headers.get(`x-ratelimit-remaining-${what}`))
  const value = headers.get(`x-ratelimit-reset-${what}`)
  const resetAt = resetTime(value, now, skew)
  if (remaining === undefined || resetAt === undefined) return undefined
  return isSpan(value)
    ? { remaining, resetAt, reset: resetAt, tolerance: 2000 }
    : { remaining, resetAt, reset: resetAt + skew, tolerance: 0 }
}
