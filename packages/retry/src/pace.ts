import type { Call, Middleware } from '@farebox/middleware'
import { announcementOf } from './announcement.js'
import { ownBucketOf, type BucketName, type Plan } from './bucket-of.js'
import type { Ending } from './bucket.js'
import { leastSkew } from './clock-skew.js'
import { teller, type OnEvent } from './events.js'
import { createLane, type Lane, type LaneSettings } from './lane.js'
import { neverSent } from './never-sent.js'
import type { PaceStore } from './pace-store.js'
import { serverTime } from './server-time.js'
import { sleep } from './sleep.js'
import { atLeast } from './words.js'

export type PaceOptions = {
  /** Which column of the contract's table holds until the service announces its limits. Default: default. */
  readonly plan?: Plan
  /**
   * The budget of a call. Default: the class of its operation with the figures that the generated client gives along; of a call of another
   * library the model that its body names, else its method and path. `bucketOf` knows the contract's whole table.
   */
  readonly bucket?: (call: Call, plan: Plan) => BucketName
  /** How many are sent at once to a budget of which no answer has told what is left. Default 4. */
  readonly burst?: number
  /** A call whose place is further away than this fails at once, in milliseconds. Waiting for a turn in a moving queue has no limit. Default 90,000. */
  readonly maxWaitMs?: number
  /** The higher goes first; but one place in eight goes to whoever has waited longest. Default 0 for all. */
  readonly priority?: (call: Call) => number
  /** How many tokens a call will use, where tokens are limited. Default 0: it goes while a token is left. */
  readonly tokens?: (call: Call) => number
  /** A budget that processes share. Without it, each `pace()` has its own. */
  readonly shared?: {
    readonly store: PaceStore
    readonly name: string
    /** How often to look for what other processes gave back, in milliseconds. Default 250. */
    readonly pollMs?: number
  }
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly onEvent?: OnEvent | undefined
}

/**
 * Holds calls back so that no answer is 429: one scheduler for a client with one credential.
 *
 * A budget starts with the contract's figures; what the x-ratelimit headers announce replaces them, corrected by Date where the clocks
 * differ. Before the first answer, and after a window has ended, only a burst goes out. A call that waits is aborted by its signal at
 * once, and leaves no listener and no timer; it fails with a PaceError when its place is too far away. Other 429s (of somebody else with
 * the same credential, say) hold the budget until the time that they name.
 */
export function pace(options: PaceOptions = {}): Middleware {
  const { plan = 'default', burst = 4, maxWaitMs = 90_000, shared, now = Date.now, wait = sleep, bucket = ownBucketOf } = options
  atLeast(1, 'pace: burst', burst)
  const settings: LaneSettings = { shared, burst, maxWaitMs, now, wait, tell: teller(options.onEvent) }
  const lanes = new Map<string, Lane>()

  return (next) => async (call) => {
    const budget = bucket(call, plan)
    let lane = lanes.get(budget.name)
    if (!lane) {
      lanes.set(budget.name, (lane = createLane(budget, settings)))
      // of more than a thousand the first is forgotten; who still waits there goes on
      const [oldest = ''] = lanes.keys()
      if (lanes.size > 1000) lanes.delete(oldest)
    }
    const place = await lane.enter(call, options.priority?.(call) ?? 0, options.tokens?.(call) ?? 0)
    let ending: Ending = 'lost'
    try {
      const response = await next(call)
      const time = now()
      // within a window the earliest of its ends is kept, which is that of the answer whose Date was the freshest
      const skew = leastSkew(response.headers, time)
      ending = {
        announced: announcementOf(response.headers, time, skew),
        holdUntil: response.status === 429 ? serverTime(response, time, skew) : undefined,
      }
      return response
    } catch (error) {
      if (neverSent(error)) ending = 'unsent'
      throw error
    } finally {
      // a store that fails now says so to the next call
      lane.leave(place, ending).catch(() => undefined)
    }
  }
}
