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
  readonly limit: number | undefined
  readonly tokenLimit: number | undefined
  readonly requests: Left | undefined
  readonly tokens: Left | undefined
}

/**
 * Reads the rate-limit headers (interface specification, "Rate-limit response headers"): the reset of requests is a Unix time, that of tokens
 * counts seconds from now; each is taken in the other's form too. What cannot be read is not there.
 */
export function announcementOf(headers: Headers, now: number, skew: number): Announcement {
  const figure = (name: string, what: string) => headers.get(`x-ratelimit-${name}-${what}`)
  // a limit of none is no limit
  const limit = (what: string) => numberOf(figure('limit', what)) || undefined
  const left = (what: string): Left | undefined => {
    const remaining = numberOf(figure('remaining', what))
    const reset = figure('reset', what)
    const resetAt = resetTime(reset, now, skew)
    const span = isSpan(numberOf(reset))
    return remaining + resetAt >= 0 ? { remaining, resetAt, reset: span ? resetAt : resetAt + skew, tolerance: span ? 2000 : 0 } : undefined
  }
  return { limit: limit('requests'), tokenLimit: limit('tokens'), requests: left('requests'), tokens: left('tokens') }
}
