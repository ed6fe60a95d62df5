import { readAhead, type Middleware } from '@farebox/middleware'
import { createCallerQueues, type CallerOptions } from './caller.js'
import { formatMessage, RateLimitError } from './errors.js'
import { createSafeEmit, type OnEvent } from './events.js'
import { findLatestStart } from './slot-queue.js'

export type ConcurrencyLimitOptions = Omit<CallerOptions, 'store'> & {
  readonly onEvent?: OnEvent | undefined
}

/** The requests of one caller that wait for the head of their response. */
type InFlight = {
  count: number
  /** How many the service accepts; undefined until it rejects one. */
  limit: number | undefined
  /** How many succeeded in sequence at this limit. */
  successes: number
}

/** So many successes for each request of the limit, until one more is tried. */
const successesPerStep = 50

/**
 * Learns how many requests of this caller a service accepts at the same time. The first response
 * that rejects one for that reason (429 with a code such as `X402_CONCURRENCY_LIMIT`) sets the
 * limit, and calls above it wait. After a long row of successes one more is tried, because other
 * programs of the caller may have ended. Put it inside of `retry`, which sends rejected calls again.
 *
 * @example
 * ```ts
 * const middleware = [retry(), concurrencyLimit(), rateLimit()]
 * ```
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions = {}): Middleware {
  const emit = createSafeEmit(options.onEvent)
  const { queue } = createCallerQueues<InFlight, 'accepted' | 'rejected' | 'failed'>(options)

  return (next) => async (call) => {
    let rank = 0
    const release = await queue('concurrency', () => ({
      count: 0,
      limit: undefined,
      successes: 0,
    })).acquire({
      call,
      cost: undefined,
      by: 'rateLimit',
      priority: 0,
      emit,
      take: (state) => {
        if (state.count >= (state.limit ?? Infinity))
          return { source: 'in-flight', reason: 'the service limits requests at the same time' }
        rank = ++state.count
        return undefined
      },
      giveBack: (state, _takenAt, _cost, outcome) => learn(state, rank, outcome),
      waitError: (_blocked, time) =>
        findLatestStart(call) < time
          ? new RateLimitError(
              'deadline',
              formatMessage(call, 'not sent: too many requests in flight'),
              undefined,
            )
          : undefined,
    })
    let outcome: 'accepted' | 'rejected' | 'failed' = 'failed'
    try {
      const response = await next(call)
      outcome = response.ok ? 'accepted' : 'failed'
      if (response.status !== 429) return response
      const { text, response: whole } = await readAhead(response, 4096)
      if (/CONCURRENCY_LIMIT|concurrent requests/i.test(text)) outcome = 'rejected'
      return whole
    } finally {
      void release(outcome)
    }
  }
}

/** A request that was sent as the sixth at the same time, and rejected, shows a limit of five. */
function learn(
  state: InFlight,
  rank: number,
  outcome: 'accepted' | 'rejected' | 'failed' | 'unsent',
): void {
  state.count--
  if (outcome === 'rejected') {
    state.limit = Math.max(1, Math.min(state.limit ?? Infinity, rank - 1))
    state.successes = 0
  } else if (state.limit !== undefined && outcome === 'accepted') {
    state.successes++
    if (state.successes < successesPerStep * state.limit) return
    state.limit++
    state.successes = 0
  }
}
