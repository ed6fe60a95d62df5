import { sleep } from '@farebox/middleware'
import type { LimitStore } from './limit-store.js'
import { SlotQueue } from './slot-queue.js'

/** Who sends, and with whom the counts are shared. */
export type CallerOptions = {
  /**
   * The name of the sender, without a secret: `nameCaller` builds one from an origin and a
   * credential. All middleware of this process with the same name shares its counts. Default: only
   * this middleware.
   */
  readonly caller?: string | undefined
  /**
   * Where the processes of `caller` share their counts; it needs `caller`. If the store fails, the
   * call fails. Default: the memory of this process.
   */
  readonly store?: LimitStore | undefined
  /**
   * Milliseconds since 1970. Middleware with its own clock shares nothing in memory. Default: a
   * clock that never goes back; with a store, `Date.now`.
   */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

let ahead = -Infinity

/**
 * Milliseconds since 1970 by a clock that never goes back: a wall clock that is set back does not
 * stop the count, and one that is set forward, or a sleep of the machine, moves it on.
 */
export function steadyNow(): number {
  const elapsed = performance.now()
  ahead = Math.max(ahead, Date.now() - elapsed)
  return Math.floor(elapsed + ahead)
}

/**
 * A name for the sender: the host of a URL, and a 44-bit hash that distinguishes credentials. It
 * does not reveal the credential, so a store may contain it.
 *
 * @example
 * ```ts
 * rateLimit({ caller: nameCaller(baseUrl, apiKey), store })
 * ```
 */
export function nameCaller(url: string, credential: string): string {
  let hash = 0
  // a prime below 2 ** 44 keeps the product exact
  for (const letter of credential) hash = (hash * 257 + letter.charCodeAt(0)) % 17_592_186_044_399
  return `${url.split('/')[2]} ${hash}`
}

type CallerQueues<State, Outcome, Cost> = {
  readonly now: () => number
  /** Finds the queue of that name, or creates it. */
  readonly queue: (name: string, initial: () => State) => SlotQueue<State, Outcome, Cost>
}

type Queues = Map<string, unknown>

/** The queues that all middleware of this process shares. */
const shared: Queues = new Map()

/** The queues of one middleware, most of them shared with others. */
export function createCallerQueues<State, Outcome, Cost = undefined>(
  options: CallerOptions,
): CallerQueues<State, Outcome, Cost> {
  const { caller, store, now = store ? Date.now : steadyNow, wait = sleep } = options
  const own: Queues = new Map()
  return {
    now,
    queue: (name, initial) => {
      const key = `${caller} ${name}`
      const queues = now === steadyNow && caller ? shared : own
      let queue = queues.get(key) as SlotQueue<State, Outcome, Cost> | undefined
      if (!queue) {
        const state = initial()
        const update = (change: (state: State) => boolean) =>
          store ? store.update(key, state, change) : change(state)
        queues.set(
          key,
          (queue = new SlotQueue({ name, local: store ? undefined : state, update, now, wait })),
        )
        // above the limit the oldest is dropped; the calls that wait in it are still served
        const [oldest = ''] = queues.keys()
        if (queues.size > 5000) queues.delete(oldest)
      }
      return queue
    },
  }
}
