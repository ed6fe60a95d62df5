import { onAbort, type Call } from '@farebox/middleware'
import { startByOf, type Emit } from './events.js'
import type { PaceStore } from './pace-store.js'
import { nextWaiter, oldestFirst } from './next-waiter.js'
import { createTimer } from './timer.js'

/** Why no slot is free, and when to retry; undefined while a request in flight decides. */
export type Blocked = {
  readonly at?: number | undefined
  readonly source: 'server' | 'limits' | 'in-flight'
  readonly reason?: string
}

/** A call that wants a slot, with the rules of its middleware. */
export type Wanted<State, Outcome> = {
  readonly call: Call
  readonly by: 'pace' | 'guard'
  readonly priority: number
  /** Takes a slot, or says why there is none. */
  readonly take: (state: State, now: number) => Blocked | undefined
  /** Gives back a slot that was taken at that moment, and learns from the outcome. */
  readonly giveBack: (state: State, takenAt: number, outcome: Outcome | 'unsent') => void
  /** The error of a call that cannot wait for this. */
  readonly refusal: (blocked: Blocked, now: number) => Error | undefined
  readonly emit: Emit
}

export type Release<Outcome> = (outcome: Outcome | 'unsent') => Promise<void>

/** The calls that wait for slots of one state: a rate-limited bucket, or the failure budget. */
export type SlotQueue<State, Outcome> = {
  /**
   * Takes a slot, and gives the function that gives it back. Synchronous when nothing waits and a
   * slot is free.
   */
  readonly acquire: (wanted: Wanted<State, Outcome>) => Release<Outcome> | Promise<Release<Outcome>>
}

export type QueueClock = {
  readonly now: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

type Waiting<State, Outcome> = Wanted<State, Outcome> & {
  readonly admit: (release: Release<Outcome>) => void
  readonly refuse: (error: unknown) => void
}

/** How often to look for slots that other processes released. */
const pollMs = 250

/** `name` is the reason of a wait that has no other; `key` is where the store keeps the state. */
export function createSlotQueue<State, Outcome>(
  name: string,
  initial: State,
  clock: QueueClock,
  store: PaceStore | undefined,
  key: string,
): SlotQueue<State, Outcome> {
  const { now } = clock
  const queue = new Set<Waiting<State, Outcome>>()
  /** The waiters that have emitted no wait event yet. */
  const arrived = new Set<Waiting<State, Outcome>>()
  /** What the others wait for, and the first moment at which one of them no longer does. */
  let held = ''
  let until = 0
  const timer = createTimer(() => void drain(), clock)
  /** How many drains were requested since the last one began. */
  let requested = 0
  let slots = 0
  /** Whether a call had a priority. Otherwise the first call is the next. */
  let ranked = false

  /** A change that returns true leaves the store as it is. */
  const update = (change: (state: State) => boolean) => (store ? store.update(key, initial, change) : change(initial))

  const drain = async () => {
    if (requested++ > 0) return
    do {
      requested = 1
      await admitAll()
    } while (requested > 1)
    requested = 0
    clearWhenEmpty()
  }

  const clearWhenEmpty = () => {
    // without a moment, the timer is cleared
    if (!queue.size) timer()
  }

  const admitAll = async () => {
    for (let next; (next = nextWaiter(queue, ranked ? slots : oldestFirst));) {
      const waiter = next
      const time = now()
      let blocked: Blocked | undefined = startByOf(waiter.call) < time ? { source: 'in-flight' } : undefined
      try {
        if (!blocked) await update((state) => (blocked = waiter.take(state, time)) !== undefined)
        if (blocked) {
          const error = waiter.refusal(blocked, time)
          if (!error) return hold(blocked, time)
          waiter.refuse(error)
        } else {
          const release = slotOf(waiter, time)
          if (queue.has(waiter)) waiter.admit(release)
          // the call was aborted during the update of the store
          else await release('unsent')
        }
      } catch (error) {
        waiter.refuse(error)
      }
    }
  }

  /**
   * Rejects the waiters that cannot wait that long, and sets the timer for the others. A waiter
   * whose wait has not changed is not asked again: many calls arrive while one waits.
   */
  const hold = (blocked: Blocked, time: number) => {
    const { at = Infinity, source, reason = name } = blocked
    const before = held
    held = source + at
    const isSame = held === before && time < until
    if (!isSame) until = Infinity
    for (const waiter of isSame ? arrived : queue) {
      const { call, by } = waiter
      const error = waiter.refusal(blocked, time)
      if (error) waiter.refuse(error)
      else {
        until = Math.min(until, startByOf(call) + 1)
        if (arrived.has(waiter)) waiter.emit(call, { type: 'wait', by, reason, delayMs: blocked.at && at - time, source })
      }
    }
    arrived.clear()
    timer(Math.min(until, at, store ? time + pollMs : Infinity))
  }

  const slotOf = (wanted: Wanted<State, Outcome>, takenAt: number): Release<Outcome> => {
    slots++
    return async (outcome) => {
      try {
        await update((state) => {
          wanted.giveBack(state, takenAt, outcome)
          return false
        })
      } catch {
        // the next call reports that the store fails
      }
      if (queue.size) await drain()
    }
  }

  return {
    acquire: (wanted) => {
      const { signal } = wanted.call
      signal?.throwIfAborted()
      const time = now()
      // the common case, an empty queue and a local state, needs no promise
      if (!store && !queue.size && startByOf(wanted.call) >= time && !wanted.take(initial, time)) return slotOf(wanted, time)
      return new Promise((resolve, reject) => {
        const ending =
          <Value>(settle: (value: Value) => void) =>
          (value: Value) => {
            stopListening()
            queue.delete(waiter)
            arrived.delete(waiter)
            settle(value)
          }
        const waiter: Waiting<State, Outcome> = { ...wanted, admit: ending(resolve), refuse: ending(reject) }
        const stopListening = onAbort(signal, () => {
          waiter.refuse(signal?.reason)
          clearWhenEmpty()
        })
        queue.add(waiter)
        ranked ||= wanted.priority !== 0
        arrived.add(waiter)
        void drain()
      })
    },
  }
}
