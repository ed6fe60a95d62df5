import type { Call } from '@farebox/middleware'
import { alarm } from './alarm.js'
import { ended, look, sent, untouched, type Bucket, type Ending, type Rules, type Verdict } from './bucket.js'
import { about, withoutQuery, type OnEvent } from './events.js'
import { onAbort } from './on-abort.js'
import { PaceError, type PaceErrorCode } from './pace-error.js'
import type { PaceStore } from './pace-store.js'
import { fairQueue } from './queue.js'

export type LaneSettings = Rules & {
  readonly key: string
  readonly name: string
  readonly limits: Pick<Bucket, 'limit' | 'tokenLimit'>
  readonly store: PaceStore
  /** How often to look for what other processes gave back. */
  readonly pollMs: number | undefined
  readonly maxWaitMs: number
  readonly now: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly onEvent: OnEvent
}

/** A place that was taken: when, and for how many tokens. */
export type Place = { readonly sentAt: number; readonly tokens: number }

export type Lane = {
  /** Resolves when the call may go. */
  readonly enter: (call: Call, priority: number, tokens: number) => Promise<Place>
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
export function createLane(settings: LaneSettings): Lane {
  const { store, key, now, limits } = settings
  const queue = fairQueue<Waiting>()
  const timer = alarm(() => void drain(), settings)
  let draining = false
  let again = false

  const initial = { ...untouched, ...limits }
  const update = (change: (bucket: Bucket) => Bucket) => store.update(key, (bucket = initial) => change(bucket))

  /** Takes a place for the waiter if there is one. */
  const take = async ({ tokens }: Waiting): Promise<{ readonly verdict: Verdict; readonly place: Place }> => {
    const place = { sentAt: now(), tokens }
    let verdict: Verdict = { free: true }
    const pending = update((bucket) => {
      const current = sent(bucket, tokens, place.sentAt, settings)
      // looked at without the newcomer, but with what is too old left out
      const before = { ...current, flying: bucket.flying }
      verdict = look(before, tokens, place.sentAt, settings)
      return verdict.free ? current : bucket
    })
    if (pending !== undefined) await pending
    return { verdict, place }
  }

  const leave: Lane['leave'] = async (place, ending) => {
    await update((bucket) => ended(bucket, place.sentAt, place.tokens, ending, now()))
    await drain()
  }

  const drain = async () => {
    again = true
    if (draining) return
    draining = true
    while (again) {
      again = false
      await admitAll()
    }
    draining = false
    if (queue.size() === 0) timer.clear()
  }

  const admitAll = async () => {
    for (let waiter = queue.first(); waiter !== undefined; waiter = queue.first()) {
      if (isLate(waiter)) {
        refuse(waiter, 'deadline', undefined)
        continue
      }
      try {
        const { verdict, place } = await take(waiter)
        if (!verdict.free) {
          hold(verdict)
          return
        }
        if (queue.has(waiter)) {
          queue.remove(waiter)
          waiter.admit(place)
        } else {
          // it was aborted while the store thought about it
          await update((bucket) => ended(bucket, place.sentAt, place.tokens, 'unsent', now()))
        }
      } catch (error) {
        queue.remove(waiter)
        waiter.refuse(error)
      }
    }
  }

  const isLate = ({ call }: Waiting) => (call.attempt?.startBy ?? Infinity) < now()

  /** Sets the timer, and refuses whoever cannot wait so long. */
  const hold = ({ at, source }: Extract<Verdict, { free: false }>) => {
    const time = now()
    for (const waiter of queue.all()) {
      const startBy = waiter.call.attempt?.startBy ?? Infinity
      if (at !== undefined && at - time > settings.maxWaitMs) refuse(waiter, 'wait_too_long', at)
      else if ((at ?? time) > startBy) refuse(waiter, 'deadline', at)
      else {
        if (startBy !== Infinity) timer.set(startBy + 1)
        if (!waiter.told) {
          waiter.told = true
          const delayMs = at === undefined ? undefined : at - time
          settings.onEvent({ ...about(waiter.call), type: 'wait', by: 'pace', reason: settings.name, delayMs, source })
        }
      }
    }
    if (queue.size() === 0) return
    if (at !== undefined) timer.set(at)
    if (settings.pollMs !== undefined) timer.set(time + settings.pollMs)
  }

  const refuse = (waiter: Waiting, code: PaceErrorCode, at: number | undefined) => {
    queue.remove(waiter)
    waiter.refuse(refusal(waiter.call, code, at, settings))
  }

  const enter: Lane['enter'] = (call, priority, tokens) =>
    new Promise((resolve, reject) => {
      const { signal } = call
      if (signal?.aborted) throw signal.reason
      const silence = onAbort(signal, () => {
        queue.remove(waiter)
        if (queue.size() === 0) timer.clear()
        reject(signal?.reason as Error)
      })
      const waiter: Waiting = {
        call,
        priority,
        tokens,
        admit: (place) => {
          silence()
          resolve(place)
        },
        refuse: (error) => {
          silence()
          reject(error)
        },
      }
      queue.push(waiter)
      void drain()
    })

  return { enter, leave }
}

function refusal({ method, url }: Call, code: PaceErrorCode, at: number | undefined, { name, maxWaitMs }: LaneSettings): PaceError {
  const why = code === 'deadline' ? 'its turn comes after the deadline' : `its turn comes later than maxWaitMs, ${maxWaitMs} ms`
  const when = at === undefined ? '' : `; try again at ${new Date(Math.min(at, 8.64e15)).toISOString()}`
  return new PaceError(code, `${method} ${withoutQuery(url)}: not sent, since the budget of "${name}" is used up and ${why}${when}`, at)
}
