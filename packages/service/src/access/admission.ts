import type { Exchange } from '../http/exchange.js'
import { refusal } from '../http/http-error.js'
import { createAbuseGuard } from './abuse-guard.js'
import { createRateLimiter, quotaHeaders } from './rate-limiter.js'

/** Whether a caller may come in, and what comes of what it did. */
export type Admission = {
  /** Counts a request in its class. Throws 429 for a caller that is blocked, or over its limit. */
  readonly admit: (exchange: Exchange, rateClass: string | undefined) => Promise<void>
  /** The rate-limit headers of the answer. */
  readonly headers: (exchange: Exchange) => Readonly<Record<string, string>>
  /** Counts a failure, if the answer is one. */
  readonly conclude: (exchange: Exchange, status: number) => void
}

const unstated = 'unstated'

export type AdmissionOptions = {
  readonly now: () => number
  /** Told of each request over a limit, before it is refused. */
  readonly onExceeded: (exchange: Exchange, rateClass: string) => Promise<void>
}

export function createAdmission({ now, onExceeded }: AdmissionOptions): Admission {
  const guard = createAbuseGuard()
  const limiter = createRateLimiter(now)
  return {
    admit: async (exchange, rateClass = unstated) => {
      const { callerId, rateTier } = exchange
      const blocked = guard.blockedFor(callerId, now())
      if (blocked !== undefined) {
        exchange.excused = true
        exchange.quota = limiter.peek(callerId, rateClass, rateTier)
        const seconds = String(Math.ceil(blocked / 1000))
        throw refusal(429, 'Too many failed requests. Wait 30s and try again.', 'TOO_MANY_FAILURES', { 'retry-after': seconds })
      }
      const quota = limiter.take(callerId, rateClass, rateTier)
      exchange.quota = quota
      if (quota.admitted) return
      await onExceeded(exchange, rateClass)
      const seconds = String(quota.secondsToTokenReset)
      throw refusal(429, `The rate limit is exceeded. Try again in ${seconds} s.`, 'RATE_LIMIT_EXCEEDED', { 'retry-after': seconds })
    },
    headers: ({ quota, callerId, rateTier }) => quotaHeaders(quota ?? limiter.peek(callerId, unstated, rateTier)),
    conclude: ({ callerId, excused }, status) => {
      if (status >= 400 && excused !== true) guard.fail(callerId, now())
    },
  }
}
