import { sleep, type Call, type Middleware } from '@farebox/middleware'
import { ownBucketOf, type BucketName, type Plan } from './bucket-of.js'
import { createBucketQueue, type BucketQueue, type BucketQueueSettings } from './bucket-queue.js'
import type { SendOutcome } from './bucket.js'
import { leastSkew } from './clock-skew.js'
import { safeEmit, type OnEvent } from './events.js'
import { atLeast } from './format-message.js'
import { neverSent } from './never-sent.js'
import type { PaceStore } from './pace-store.js'
import { readRateLimitHeaders } from './rate-limit-headers.js'
import { serverTime } from './server-time.js'

export type PaceOptions = {
  /** The plan whose limits apply until a response states the actual ones. Default: default. */
  readonly plan?: Plan
  /**
   * The bucket of a call. Default: the rate-limit class of its operation with the figures that the
   * generated client passes. For calls of other libraries: the model that the body names, else the
   * method and path. `bucketOf` knows the contract's whole table.
   */
  readonly bucket?: (call: Call, plan: Plan) => BucketName
  /** How many requests are in flight before a response states the remaining ones. Default 4. */
  readonly burst?: number
  /**
   * A call whose slot is further away than this fails at once, in milliseconds. The time in a queue
   * that moves is not limited. Default 90,000.
   */
  readonly maxWaitMs?: number
  /** Higher goes first, except for every eighth slot (longest wait). Default 0 for all. */
  readonly priority?: (call: Call) => number
  /** How many limited tokens a call will use. Default 0: it is sent while a token remains. */
  readonly tokens?: (call: Call) => number
  /** Buckets that processes share. Without it, each `pace()` has its own. */
  readonly shared?: {
    readonly store: PaceStore
    readonly name: string
    /** How often to look for slots that other processes released, in milliseconds. Default 250. */
    readonly pollMs?: number
  }
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly onEvent?: OnEvent | undefined
}

/**
 * Holds calls back so that no response is a 429: one scheduler for a client with one credential.
 *
 * A bucket starts with the contract's figures. The x-ratelimit headers replace them; the Date
 * header corrects for clocks that differ. Before the first response, and after a window has ended,
 * only a burst is sent. A waiting call ends at once when its signal aborts, and leaves no listener
 * and no timer. It fails with a PaceError when its slot is too far away. A 429 that arrives all the
 * same (another program may use the same credential) holds the bucket until the time that it names.
 */
export function pace(options: PaceOptions = {}): Middleware {
  const { plan = 'default', burst = 4, maxWaitMs = 90_000, shared, now = Date.now, wait = sleep, bucket = ownBucketOf } = options
  atLeast(1, 'pace: burst', burst)
  const settings: BucketQueueSettings = { shared, burst, maxWaitMs, now, wait, emit: safeEmit(options.onEvent) }
  const queues = new Map<string, BucketQueue>()

  return (next) => async (call) => {
    const budget = bucket(call, plan)
    let queue = queues.get(budget.name)
    if (!queue) {
      queues.set(budget.name, (queue = createBucketQueue(budget, settings)))
      // above a thousand the oldest is dropped; the calls that wait in it are still served
      const [oldest = ''] = queues.keys()
      if (queues.size > 1000) queues.delete(oldest)
    }
    const slot = await queue.acquire(call, options.priority?.(call) ?? 0, options.tokens?.(call) ?? 0)
    let outcome: SendOutcome = 'lost'
    try {
      const response = await next(call)
      const time = now()
      // a bucket keeps the earliest end of a window, which the response with the freshest Date
      // gives
      const skew = leastSkew(response, time)
      outcome = {
        limits: readRateLimitHeaders(response.headers, time, skew),
        holdUntil: response.status === 429 ? serverTime(response, time, skew) : undefined,
      }
      return response
    } catch (error) {
      if (neverSent(error)) outcome = 'unsent'
      throw error
    } finally {
      // if the store fails here, the next call reports it
      queue.release(slot, outcome).catch(() => undefined)
    }
  }
}
