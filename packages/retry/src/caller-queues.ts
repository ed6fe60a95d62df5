import { sleep } from '@farebox/middleware'
import type { PaceStore } from './pace-store.js'
import { createSlotQueue, type SlotQueue } from './slot-queue.js'
import { steadyNow } from './steady-now.js'

/** Who sends, and with whom the counts are shared. */
export type CallerOptions = {
  /**
   * The name of the sender, without a secret: `callerOf` makes it of an origin and a credential.
   * All middleware of this process with one name shares its counts. Default: this middleware alone.
   */
  readonly caller?: string | undefined
  /**
   * Where the processes of `caller` share their counts; it needs `caller`. A store that fails fails
   * the call. Default: the memory of this process.
   */
  readonly store?: PaceStore | undefined
  /**
   * Milliseconds since 1970. Middleware with a clock of its own shares nothing in memory. Default:
   * a clock that never goes back; with a store, `Date.now`.
   */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export type CallerQueues<State, Outcome> = {
  readonly now: () => number
  /** The queue of that name. */
  readonly queueOf: (name: string, initial: () => State) => SlotQueue<State, Outcome>
}

type Queues = Map<string, unknown>

/** The queues that all middleware of this process shares. */
const common: Queues = new Map()

/** The queues of a middleware, most of them shared with others. */
export function callerQueues<State, Outcome>(options: CallerOptions): CallerQueues<State, Outcome> {
  const { caller, store, now = store ? Date.now : steadyNow, wait = sleep } = options
  const own: Queues = new Map()
  return {
    now,
    queueOf: (name, initial) => {
      const key = `${caller} ${name}`
      const queues = now === steadyNow && caller ? common : own
      let queue = queues.get(key) as SlotQueue<State, Outcome> | undefined
      if (!queue) {
        queues.set(key, (queue = createSlotQueue(name, initial(), { now, wait }, store, key)))
        // above that the oldest is dropped; the calls that wait in it are still served
        const [oldest = ''] = queues.keys()
        if (queues.size > 5000) queues.delete(oldest)
      }
      return queue
    },
  }
}
