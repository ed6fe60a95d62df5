import { rateLimits } from '@farebox/types/operations'
import { freeAt, requestsIn, secondOf, type SlidingWindow } from './sliding-window.js'

/** Which column of the tables of the contract holds for a caller. */
export type RateTier = 'default' | 'partner'

export type Quota = {
  /** Requests in the window. */
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetsAt: number
  readonly tokenLimit: number
  readonly remainingTokens: number
  readonly secondsToReset: number
}

/** Classes without a figure in the contract get this many requests a minute. */
export const unstatedRequests = 600

/**
 * What a caller has left, and from when on there is more: for one that was refused the moment when a retry succeeds (interface
 * specification, "Errors", rule 2), and else the one when at least half of the limit is free, and more than now. Later answers never
 * name an earlier moment. No operation counts tokens yet; the largest tier's limit stands for them.
 */
export function quotaOf(
  { recent, refused }: { readonly recent: SlidingWindow; readonly refused: boolean },
  limit: number,
  tier: RateTier,
  now: number,
): Quota {
  const used = requestsIn(recent)
  const places = refused ? 1 : Math.max(Math.floor(limit / 2), limit - used + 1)
  const resetsAt = Math.max(secondOf(now) + 1, freeAt(recent, limit, places))
  const tokenLimit = rateLimits.tiers.XS[tier].tokens
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetsAt,
    tokenLimit,
    remainingTokens: tokenLimit,
    secondsToReset: Math.ceil(resetsAt - now / 1000),
  }
}

/** Requests a minute. A partner has the default where the contract gives partners no figure. */
export function requestsOf(rateClass: string, tier: RateTier): number {
  const classes: Readonly<Record<string, { readonly [Tier in RateTier]?: { readonly requests: number } }>> = rateLimits.classes
  const figures = Object.hasOwn(classes, rateClass) ? classes[rateClass] : undefined
  return (figures?.[tier] ?? figures?.default)?.requests ?? unstatedRequests
}

/** The six headers that are on every answer (interface specification, "Rate-limit response headers"). */
export function quotaHeaders(quota: Quota): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-requests': String(quota.limit),
    'x-ratelimit-remaining-requests': String(quota.remaining),
    'x-ratelimit-reset-requests': String(quota.resetsAt),
    'x-ratelimit-limit-tokens': String(quota.tokenLimit),
    'x-ratelimit-remaining-tokens': String(quota.remainingTokens),
    'x-ratelimit-reset-tokens': String(quota.secondsToReset),
  }
}
