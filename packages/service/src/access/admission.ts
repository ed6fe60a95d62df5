import type { Exchange } from '../http/exchange.js'
import { refusal } from '../http/http-error.js'
import { createAbuseGuard } from './abuse-guard.js'
import { createRateLimiter, quotaHeaders } from './rate-limiter.js'

/** Whether a caller may come in, and what comes of what it did. */
export type Admission = {
  /** Counts a request in its class. Throws 429 for a caller that is blocked, or over its limit. */
  readonly admit: (exchange: Exchange, rateClass: string | undefined) => void
  /** The rate-limit headers of the answer. */
  readonly headers: (exchange: Exchange) => Readonly<Record<string, string>>
  /** Counts a failure, if the answer is one. */
  readonly conclude: (exchange: Exchange, status: number) => void
}

const unstated = 'unstated'

export function createAdmission(now: () => number): Admission {
  const guard = createAbuseGuard()
  const limiter = createRateLimiter(now)
  return {
    admit: (exchange, rateClass = unstated) => {
      const { callerId } = exchange
      const blocked = guard.blockedFor(callerId, now())
      if (blocked !== undefined) {
        exchange.excused = true
        exchange.quota = limiter.peek(callerId, rateClass)
        const seconds = String(Math.ceil(blocked / 1000))
        throw refusal(429, 'Too many failed requests. Wait 30s and try again.', 'TOO_MANY_FAILURES', { 'retry-after': seconds })
      }
      const quota = limiter.take(callerId, rateClass)
      exchange.quota = quota
      if (quota.admitted) return
      const seconds = String(quota.secondsToTokenReset)
      throw refusal(429, `The rate limit is exceeded. Try again in ${seconds} s.`, 'RATE_LIMIT_EXCEEDED', { 'retry-after': seconds })
    },
    headers: ({ quota, callerId }) => quotaHeaders(quota ?? limiter.peek(callerId, unstated)),
    conclude: ({ callerId, excused }, status) => {
      if (status >= 400 && excused !== true) guard.fail(callerId, now())
    },
  }
}
