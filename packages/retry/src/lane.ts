import type { Call } from '@farebox/middleware'
import { alarm } from './alarm.js'
import type { BucketName } from './bucket-of.js'
import { bucketWith, depart, land, look, refresh, type Bucket, type Ending, type Rules, type Verdict } from './bucket.js'
import { about, startByOf, type OnEvent } from './events.js'
import { onAbort } from './on-abort.js'
import { PaceError, type PaceErrorCode } from './pace-error.js'
import type { PaceStore } from './pace-store.js'
import { fairQueue } from './queue.js'
import { words } from './words.js'

export type LaneSettings = Rules & {
  /** Where the budget lies when processes share it; else here. */
  readonly shared: { readonly store: PaceStore; readonly name: string; readonly pollMs?: number } | undefined
  readonly maxWaitMs: number
  readonly now: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly tell: OnEvent
}

/** A place that was taken: when, and for how many tokens. */
export type Place = { readonly sentAt: number; readonly tokens: number }

export type Lane = {
  /** A place, at once where nobody waits and there is one. */
  readonly enter: (call: Call, priority: number, tokens: number) => Place | Promise<Place>
  readonly leave: (place: Place, ending: Ending) => Promise<void>
}

type Waiting = {
  readonly call: Call
  readonly priority: number
  readonly tokens: number
  readonly admit: (place: Place) => void
  readonly refuse: (error: unknown) => void
  told?: boolean
}

/** The queue before one budget. */
export function createLane(budget: BucketName, settings: LaneSettings): Lane {
  const { shared, now, maxWaitMs } = settings
  const queue = fairQueue<Waiting>()
  const timer = alarm(() => void drain(), settings)
  /** How often somebody asked for a look since the last one began. */
  let asked = 0
  let places = 0
  const own = bucketWith(budget)

  const update = (change: (bucket: Bucket) => void): Promise<void> | void => {
    if (!shared) return change(own)
    return shared.store.update(`${shared.name} ${budget.name}`, (bucket = own) => {
      const copy = structuredClone(bucket)
      change(copy)
      return copy
    })
  }
  const take = (bucket: Bucket, { sentAt, tokens }: Place): Verdict => {
    refresh(bucket, sentAt)
    const verdict = look(bucket, tokens, sentAt, settings)
    if (!verdict) {
      depart(bucket, tokens, sentAt)
      places++
    }
    return verdict
  }
  const close = ({ sentAt, tokens }: Place, ending: Ending) => update((bucket) => land(bucket, sentAt, tokens, ending, now()))
  const rest = () => {
    if (queue.all.size === 0) timer.clear()
  }

  const drain = async () => {
    if (asked++ > 0) return
    for (let seen = 0; seen < asked;) {
      seen = asked
      await admitAll()
    }
    asked = 0
    rest()
  }

  const admitAll = async () => {
    for (let waiter; (waiter = queue.first(places));) {
      const place = { sentAt: now(), tokens: waiter.tokens }
      let verdict: Verdict
      try {
        if (startByOf(waiter.call) < place.sentAt) throw refusal(waiter, 'deadline')
        await update((bucket) => void (verdict = take(bucket, place)))
        if (verdict) return hold(verdict)
        if (queue.all.has(waiter)) waiter.admit(place)
        // it was aborted while the store thought about it
        else await close(place, 'unsent')
      } catch (error) {
        waiter.refuse(error)
      }
    }
  }

  /** Sets the timer, and refuses whoever cannot wait so long. */
  const hold = ({ at, source }: NonNullable<Verdict>) => {
    const time = now()
    const delayMs = at && at - time
    for (const waiter of queue.all) {
      const startBy = startByOf(waiter.call)
      const code = delayMs && delayMs > maxWaitMs ? 'wait_too_long' : (at ?? time) > startBy ? 'deadline' : undefined
      if (code) waiter.refuse(refusal(waiter, code, at))
      else {
        timer.set(startBy + 1)
        if (!waiter.told) settings.tell({ ...about(waiter.call), type: 'wait', by: 'pace', reason: budget.name, delayMs, source })
        waiter.told = true
      }
    }
    if (queue.all.size === 0) return
    timer.set(at ?? Infinity)
    // for what other processes give back
    if (shared) timer.set(time + (shared.pollMs ?? 250))
  }

  const refusal = ({ call }: Waiting, code: PaceErrorCode, at?: number) =>
    new PaceError(
      code,
      words(call, `not sent: the budget of "${budget.name}" is used up beyond the deadline or maxWaitMs, ${maxWaitMs} ms`, at),
      at,
    )

  return {
    enter: (call, priority, tokens) => {
      const { signal } = call
      signal?.throwIfAborted()
      const place = { sentAt: now(), tokens }
      // nearly always nobody waits, and the budget is here: then there is nothing to wait for, and no promise to make
      if (!shared && queue.all.size === 0 && startByOf(call) >= place.sentAt && !take(own, place)) return place
      return new Promise((resolve, reject) => {
        const end = () => {
          silence()
          queue.remove(waiter)
        }
        const waiter: Waiting = {
          call,
          priority,
          tokens,
          admit: (place) => {
            end()
            resolve(place)
          },
          refuse: (error) => {
            end()
            reject(error)
          },
        }
        const silence = onAbort(signal, () => {
          waiter.refuse(signal?.reason)
          rest()
        })
        queue.push(waiter)
        void drain()
      })
    },
    leave: async (place, ending) => {
      await close(place, ending)
      if (queue.all.size > 0) await drain()
    },
  }
}
