import { freeAt, countRequests, toSecond, type SlidingWindow } from './sliding-window.js'

export type Quota = {
  /** Requests in the window. */
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetsAt: number
  readonly tokenLimit: number
  readonly remainingTokens: number
  readonly secondsToReset: number
  /** Until the tokens reset. Default: `secondsToReset`. */
  readonly secondsToTokenReset?: number
}

/**
 * The remaining requests of a caller and the time of the reset. After a refusal a retry then
 * succeeds (interface specification, "Errors", rule 2). Otherwise at least half of the limit is
 * then free, and more than now. Later responses never name an earlier time.
 */
export function toQuota(
  { recent, refused }: { readonly recent: SlidingWindow; readonly refused: boolean },
  { requests: limit, tokens: tokenLimit }: { readonly requests: number; readonly tokens: number },
  now: number,
): Quota {
  const used = countRequests(recent)
  const slots = refused ? 1 : Math.max(Math.floor(limit / 2), limit - used + 1)
  const resetsAt = Math.max(toSecond(now) + 1, freeAt(recent, limit, slots))
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetsAt,
    tokenLimit,
    remainingTokens: tokenLimit,
    secondsToReset: Math.ceil(resetsAt - now / 1000),
  }
}

/** The remaining tokens. `refused`: the tokens of a request that did not fit. */
export function withTokens(
  quota: Quota,
  { recent, refused }: { readonly recent: SlidingWindow; readonly refused?: number },
  now: number,
): Quota {
  const { tokenLimit } = quota
  const used = countRequests(recent)
  const wanted = refused ?? Math.max(Math.floor(tokenLimit / 2), tokenLimit - used + 1)
  const resetsAt = Math.max(toSecond(now) + 1, freeAt(recent, tokenLimit, wanted))
  return {
    ...quota,
    remainingTokens: Math.max(0, tokenLimit - used),
    secondsToTokenReset: Math.ceil(resetsAt - now / 1000),
  }
}

/** The headers of every response (interface specification, "Rate-limit response headers"). */
export function quotaHeaders(quota: Quota): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-requests': String(quota.limit),
    'x-ratelimit-remaining-requests': String(quota.remaining),
    'x-ratelimit-reset-requests': String(quota.resetsAt),
    'x-ratelimit-limit-tokens': String(quota.tokenLimit),
    'x-ratelimit-remaining-tokens': String(quota.remainingTokens),
    'x-ratelimit-reset-tokens': String(quota.secondsToTokenReset ?? quota.secondsToReset),
  }
}
