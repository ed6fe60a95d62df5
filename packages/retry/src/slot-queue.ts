import { onAbort, type Call } from '@farebox/middleware'
import type { Emit } from './events.js'

/** Milliseconds since 1970, and a way to wait. */
type Clock = {
  readonly now: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** Why no slot is free, and when to try again; undefined while a request in flight decides. */
export type SlotDelay = {
  readonly at?: number | undefined
  readonly source: 'server' | 'limits' | 'in-flight'
  readonly reason?: string
}

/** A call that needs a slot, with the rules of its middleware. */
export type SlotRequest<State, Outcome, Cost = undefined> = {
  readonly call: Call
  /** What the call takes, for `take` and `giveBack`. */
  readonly cost: Cost
  readonly by: 'rateLimit' | 'failureBudget'
  readonly priority: number
  /** Takes a slot, or says why there is none. */
  readonly take: (state: State, now: number, cost: Cost) => SlotDelay | undefined
  /** Returns a slot that was taken at that moment, and learns from the outcome. */
  readonly giveBack: (
    state: State,
    takenAt: number,
    cost: Cost,
    outcome: Outcome | 'unsent',
    now: number,
  ) => void
  /** The error of a call that cannot wait that long. */
  readonly waitError: (blocked: SlotDelay, now: number) => Error | undefined
  readonly emit: Emit
}

/** Returns a slot to its queue. */
export type Release<Outcome> = (outcome: Outcome | 'unsent') => Promise<void>

type SlotQueueOptions<State> = Clock & {
  /** The reason of a wait that has no other. */
  readonly name: string
  /** The state, unless other processes share it. */
  readonly local: State | undefined
  /** Changes the state in one atomic step. A change that returns true leaves it as it is. */
  readonly update: (change: (state: State) => boolean) => unknown
}

type Waiter<State, Outcome, Cost> = SlotRequest<State, Outcome, Cost> & {
  readonly resolve: (release: Release<Outcome>) => void
  readonly reject: (error: unknown) => void
  readonly unlisten: () => void
}

/** How often to look for slots that other processes released. */
const pollMs = 250

/**
 * The calls that wait for slots of one state: a rate-limited bucket, or the failure budget.
 *
 * A queue is `idle` while every waiter is held, or none waits. A new waiter, a returned slot and
 * the timer start a drain: while it is `draining`, the queue admits waiters until one of them is
 * blocked. If one of these events happens in the meantime, another drain is `due`.
 */
export class SlotQueue<State, Outcome, Cost = undefined> {
  readonly #options: SlotQueueOptions<State>
  readonly #timer: Timer
  readonly #waiters = new Set<Waiter<State, Outcome, Cost>>()
  /** The waiters that have not emitted a wait event yet. */
  readonly #newcomers = new Set<Waiter<State, Outcome, Cost>>()
  #phase: 'idle' | 'draining' | 'due' = 'idle'
  /** What the waiters are held for, and the first moment at which one of them gives up. */
  #heldFor = ''
  #heldUntil = 0
  /** How many slots were granted. */
  #granted = 0
  /** Without priorities the waiters are admitted in order of arrival. */
  #hasPriorities = false

  constructor(options: SlotQueueOptions<State>) {
    this.#options = options
    this.#timer = createTimer(options, () => void this.#drain())
  }

  /**
   * Takes a slot, and resolves with the function that returns it. Synchronous when nothing waits
   * and a slot is free.
   */
  acquire(
    request: SlotRequest<State, Outcome, Cost>,
  ): Release<Outcome> | Promise<Release<Outcome>> {
    const { local, now } = this.#options
    const { signal } = request.call
    signal?.throwIfAborted()
    const time = now()
    // the common case, an empty queue and a local state, needs no promise
    if (
      local &&
      !this.#waiters.size &&
      findLatestStart(request.call) >= time &&
      !request.take(local, time, request.cost)
    )
      return this.#grant(request, time)
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, () => this.#leave(waiter).reject(signal?.reason))
      const waiter = { ...request, resolve, reject, unlisten }
      this.#waiters.add(waiter)
      this.#newcomers.add(waiter)
      this.#hasPriorities ||= request.priority !== 0
      void this.#drain()
    })
  }

  /** Admits the waiters in turn until one has to wait longer. */
  async #drain(): Promise<void> {
    if (this.#phase !== 'idle') {
      this.#phase = 'due'
      return
    }
    for (let waiter; (waiter = this.#nextWaiter());) {
      this.#phase = 'draining'
      const isAdmitted = await this.#admit(waiter)
      if (!isAdmitted && this.#phase === 'draining') break
    }
    this.#phase = 'idle'
  }

  /**
   * The highest priority is next, and within a priority the oldest. Every eighth slot goes to the
   * oldest of all waiters, so that many important calls do not starve the others.
   */
  #nextWaiter(): Waiter<State, Outcome, Cost> | undefined {
    let [next] = this.#waiters
    if (this.#hasPriorities && this.#granted % 8 < 7)
      for (const waiter of this.#waiters) if (waiter.priority > (next?.priority ?? 0)) next = waiter
    return next
  }

  /** Admits or rejects the waiter, or returns false if it has to wait. */
  async #admit(waiter: Waiter<State, Outcome, Cost>): Promise<boolean> {
    const { now, update } = this.#options
    const time = now()
    let blocked: SlotDelay | undefined
    try {
      if (findLatestStart(waiter.call) < time) blocked = { source: 'in-flight' }
      else await update((state) => (blocked = waiter.take(state, time, waiter.cost)) !== undefined)
      const error = blocked && waiter.waitError(blocked, time)
      if (error) throw error
      if (blocked) return this.#hold(blocked, time)
      const release = this.#grant(waiter, time)
      if (this.#waiters.has(waiter)) this.#leave(waiter).resolve(release)
      // the call was aborted during the update of the store
      else await release('unsent')
    } catch (error) {
      this.#leave(waiter).reject(error)
    }
    return true
  }

  /**
   * Rejects the waiters that cannot wait that long, and sets the timer for the others. While the
   * cause stays the same, only newcomers are checked: many calls arrive while one waits.
   */
  #hold(blocked: SlotDelay, time: number): false {
    const { name, local } = this.#options
    const { at = Infinity, source, reason = name } = blocked
    const cause = source + at
    const isSame = cause === this.#heldFor && time < this.#heldUntil
    let until = isSame ? this.#heldUntil : Infinity
    for (const waiter of isSame ? this.#newcomers : this.#waiters) {
      const { call, by, emit } = waiter
      const error = waiter.waitError(blocked, time)
      if (error) this.#leave(waiter).reject(error)
      else {
        until = Math.min(until, findLatestStart(call) + 1)
        if (this.#newcomers.has(waiter))
          emit(call, { type: 'wait', by, reason, delayMs: blocked.at && at - time, source })
      }
    }
    this.#newcomers.clear()
    this.#heldFor = cause
    this.#heldUntil = until
    this.#timer.set(Math.min(until, at, local ? Infinity : time + pollMs))
    return false
  }

  /** Removes a waiter that is about to settle. No timer stays behind when nothing waits. */
  #leave(waiter: Waiter<State, Outcome, Cost>): Waiter<State, Outcome, Cost> {
    waiter.unlisten()
    this.#waiters.delete(waiter)
    this.#newcomers.delete(waiter)
    if (!this.#waiters.size) this.#timer.clear()
    return waiter
  }

  #grant({ cost, giveBack }: SlotRequest<State, Outcome, Cost>, takenAt: number): Release<Outcome> {
    this.#granted++
    return async (outcome) => {
      const { local, update, now } = this.#options
      if (local) giveBack(local, takenAt, cost, outcome, now())
      else
        try {
          await update((state) => {
            giveBack(state, takenAt, cost, outcome, now())
            return false
          })
        } catch {
          // the next call reports that the store fails
        }
      if (this.#waiters.size) await this.#drain()
    }
  }
}

/** The last moment at which the attempt of a call may begin. */
export function findLatestStart({ attempt }: Call): number {
  return attempt?.startBy ?? Infinity
}

type Timer = {
  /** Has no effect if an earlier moment is set. Infinity is never. */
  readonly set: (at: number) => void
  /** Leaves nothing running. */
  readonly clear: () => void
}

/** Calls back once, at the earliest of the moments that it was set to. */
function createTimer({ now, wait }: Clock, callback: () => void): Timer {
  let due = Infinity
  let running: AbortController | undefined
  const clear = () => {
    // abort() allocates a DOMException, the costliest step: skip it when nothing is scheduled
    if (due < Infinity) running?.abort()
    due = Infinity
  }
  const set = (at: number) => {
    if (at >= due) return
    clear()
    due = at
    const { signal } = (running = new AbortController())
    wait(at - now(), signal).then(
      () => {
        if (signal.aborted) return
        due = Infinity
        callback()
      },
      () => undefined,
    )
  }
  return { set, clear }
}
