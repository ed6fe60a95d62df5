import { rateLimits } from '@farebox/types/operations'

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

/** Which column of the tables of the contract holds for a caller. */
export type RateTier = 'default' | 'partner'

export type RateLimiter = {
  /** Counts a request of the caller. */
  readonly take: (caller: string, rateClass: string, tier: RateTier) => Quota
  /** What a request would find, without counting one. */
  readonly peek: (caller: string, rateClass: string, tier: RateTier) => Quota
}

/** Classes without a figure in the contract get this many requests a minute. */
export const unstatedRequests = 600

/** No operation that is served yet counts tokens; the headers say so with the limit of the largest tier. */
const tokenLimit = rateLimits.tiers.XS.default.tokens

const windowMs = rateLimits.windowSeconds * 1000

/**
 * Requests of each caller in each class of operations (`x-rate-limits` of the contract), in calendar minutes. In the memory of this
 * process: a restart begins anew.
 */
export function createRateLimiter(now: () => number): RateLimiter {
  const counts = new Map<string, number>()
  let window = 0
  const count = (caller: string, rateClass: string, tier: RateTier, requests: 0 | 1): Quota => {
    const time = now()
    const current = Math.floor(time / windowMs)
    if (current !== window) {
      counts.clear()
      window = current
    }
    const limit = requestsOf(rateClass, tier)
    const key = `${rateClass} ${caller}`
    const used = (counts.get(key) ?? 0) + requests
    if (requests > 0 && used <= limit) counts.set(key, used)
    const end = (current + 1) * windowMs
    return {
      admitted: used <= limit,
      limit,
      remaining: Math.max(0, limit - used),
      resetsAt: Math.ceil(end / 1000),
      tokenLimit,
      remainingTokens: tokenLimit,
      secondsToTokenReset: Math.ceil((end - time) / 1000),
    }
  }
  return {
    take: (caller, rateClass, tier) => count(caller, rateClass, tier, 1),
    peek: (caller, rateClass, tier) => count(caller, rateClass, tier, 0),
  }
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

/** Requests a minute. A partner has the default where the contract gives partners no figure. */
export function requestsOf(rateClass: string, tier: RateTier): number {
  const classes: Readonly<Record<string, { readonly [Tier in RateTier]?: { readonly requests: number } }>> = rateLimits.classes
  const figures = Object.hasOwn(classes, rateClass) ? classes[rateClass] : undefined
  return (figures?.[tier] ?? figures?.default)?.requests ?? unstatedRequests
}
