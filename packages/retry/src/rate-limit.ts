import type { Call, Middleware } from '@farebox/middleware'
import {
  estimateTokens,
  createBucket,
  findOperationBucket,
  returnSlot,
  takeSlot,
  type Bucket,
  type BucketName,
  type Plan,
  type SendCost,
  type SendOutcome,
} from './bucket.js'
import { createCallerQueues, type CallerOptions } from './caller.js'
import { requireAtLeast, formatMessage, RateLimitError, type RateLimitErrorCode } from './errors.js'
import { createSafeEmit, type OnEvent } from './events.js'
import { wasNeverSent } from './outcome.js'
import { findMinSkew, readRateLimitHeaders, serverTime } from './response-headers.js'
import { findLatestStart } from './slot-queue.js'

export type RateLimitOptions = CallerOptions & {
  /** The plan whose limits apply until a response states the actual ones. Default: default. */
  readonly plan?: Plan
  /**
   * The bucket of a call. Default: the rate-limit class of its operation with the figures that the
   * generated client passes. For chats and calls of other libraries: the model that the body names,
   * else the method and path. `findBucket` knows the contract's whole table.
   */
  readonly bucket?: (call: Call, plan: Plan) => BucketName
  /** How many requests are in flight before a response states the remaining ones. Default 4. */
  readonly burst?: number
  /**
   * A call whose slot is further away than this fails at once, in milliseconds. The time in a queue
   * that moves is not limited. Default 90,000.
   */
  readonly maxWaitMs?: number
  /** Higher goes first, except for every eighth slot (longest wait). Default: 0 for all calls. */
  readonly priority?: (call: Call) => number
  /**
   * How many limited tokens a call will use at most. Default: for a chat, a bound by its prompt and
   * its limit; else 0.
   */
  readonly tokens?: (call: Call) => number
  readonly onEvent?: OnEvent | undefined
}

/**
 * Holds calls back so that no response is a 429: one scheduler for each caller in this process, and
 * with a `store` in several.
 *
 * A bucket starts with the contract's figures. The x-ratelimit headers replace them; the Date
 * header corrects for clocks that differ. Before the first response, and after a window has ended,
 * only a burst is sent. A waiting call ends at once when its signal aborts, and leaves no listener
 * and no timer. It fails with a RateLimitError when its slot is too far away, by the server's headers
 * or, if the service announces no limits, by our own count. If a 429 still arrives (another program
 * may use the same credential), it holds the bucket until the time that it names.
 *
 * @example
 * ```ts
 * const limitedFetch = withMiddleware(fetch, retry(), rateLimit())
 * ```
 */
export function rateLimit(options: RateLimitOptions = {}): Middleware {
  const { plan = 'default', burst = 4, maxWaitMs = 90_000, bucket = findOperationBucket } = options
  requireAtLeast(1, 'rateLimit: burst', burst)
  const emit = createSafeEmit(options.onEvent)
  const { now, queue } = createCallerQueues<Bucket, SendOutcome, SendCost>(options)

  return (next) => async (call) => {
    const budget = bucket(call, plan)
    const tokens = (options.tokens ?? estimateTokens)(call)
    const release = await queue(budget.name, () => createBucket(budget)).acquire({
      call,
      cost: [tokens, burst],
      by: 'rateLimit',
      priority: options.priority?.(call) ?? 0,
      emit,
      take: takeSlot,
      giveBack: returnSlot,
      waitError: ({ at }, time) => {
        const error = (code: RateLimitErrorCode, limit: string) =>
          new RateLimitError(
            code,
            formatMessage(
              call,
              `not sent: the budget of "${budget.name}" is used up beyond ${limit}`,
              at,
            ),
            at,
          )
        if (at && at - time > maxWaitMs) return error('wait_too_long', `maxWaitMs, ${maxWaitMs} ms`)
        return (at ?? time) > findLatestStart(call) ? error('deadline', 'deadlineMs') : undefined
      },
    })
    let outcome: SendOutcome = 'lost'
    try {
      const response = await next(call)
      const time = now()
      // a bucket keeps the earliest end of a window, given by the response with the freshest Date
      const skew = findMinSkew(response, time)
      outcome = {
        limits: readRateLimitHeaders(response.headers, time, skew),
        holdUntil: response.status === 429 ? serverTime(response, time, skew) : undefined,
      }
      return response
    } catch (error) {
      if (wasNeverSent(error)) outcome = 'unsent'
      throw error
    } finally {
      void release(outcome)
    }
  }
}
