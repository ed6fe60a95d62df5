import { rateLimits } from '@farebox/types/operations'

/** Which column of the tables of the contract holds for a caller. */
export type RateTier = 'default' | 'partner'

export type Quota = {
  readonly admitted: boolean
  /** Requests in the window. */
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetsAt: number
  readonly tokenLimit: number
  readonly remainingTokens: number
  readonly secondsToTokenReset: number
}

/** Classes without a figure in the contract get this many requests a minute. */
export const unstatedRequests = 600

const windowMs = rateLimits.windowSeconds * 1000

/** The calendar window that a time is in. */
export function windowOf(now: number): number {
  return Math.floor(now / windowMs)
}

/** What a caller has left after `used` requests in the window of `now`. No operation counts tokens yet; the largest tier's limit stands for them. */
export function quotaOf(used: number, limit: number, tier: RateTier, now: number): Quota {
  const end = (windowOf(now) + 1) * windowMs
  const tokenLimit = rateLimits.tiers.XS[tier].tokens
  return {
    admitted: used <= limit,
    limit,
    remaining: Math.max(0, limit - used),
    resetsAt: Math.ceil(end / 1000),
    tokenLimit,
    remainingTokens: tokenLimit,
    secondsToTokenReset: Math.ceil((end - now) / 1000),
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
    'x-ratelimit-reset-tokens': String(quota.secondsToTokenReset),
  }
}
