import { isSpan, numberOf, resetTime } from './server-time.js'

/** What is left of a window. */
export type Left = {
  readonly remaining: number
  /** The window's name, equal in all answers of a fixed one: the reset as the server writes it, in milliseconds, or where that counts from now, as our clock has it. */
  readonly reset: number
  /** By our own clock. */
  readonly resetAt: number
  /** How far apart two resets of one window may be: a span from now is cut to seconds and as old as its way here. */
  readonly tolerance: number
}

/** What is announced of requests, or of tokens. */
export type Gauge = { readonly limit: number | undefined; readonly left: Left | undefined }

/** What an answer announces of the caller's budget. */
export type Announcement = { readonly requests: Gauge; readonly tokens: Gauge }

/**
 * Reads the rate-limit headers (interface specification, "Rate-limit response headers"): the reset of requests is a Unix time, that of tokens
 * counts seconds from now; each is taken in the other's form too. What cannot be read is not there.
 */
export function announcementOf(headers: Headers, now: number, skew: number): Announcement {
  const gauge = (what: string): Gauge => {
    const figure = (name: string) => numberOf(headers.get(`x-ratelimit-${name}-${what}`))
    // a limit of none is no limit
    const limit = figure('limit') || undefined
    const remaining = figure('remaining')
    // most answers announce one of the two
    const reset = remaining >= 0 ? figure('reset') : NaN
    const resetAt = resetTime(reset, now, skew)
    const span = isSpan(reset)
    const left = resetAt >= 0 ? { remaining, resetAt, reset: span ? resetAt : resetAt + skew, tolerance: span ? 2000 : 0 } : undefined
    return { limit, left }
  }
  return { requests: gauge('requests'), tokens: gauge('tokens') }
}
