import { onAbort, type Call } from '@farebox/middleware'
import type { BucketName } from './bucket-of.js'
import { bucketWith, release, tryAcquire, type Blocked, type Bucket, type Rules, type SendOutcome } from './bucket.js'
import { about, startByOf, type OnEvent } from './events.js'
import { formatMessage } from './format-message.js'
import { PaceError, type PaceErrorCode } from './pace-error.js'
import type { PaceStore } from './pace-store.js'
import { fairQueue } from './queue.js'
import { createTimer } from './timer.js'

export type BucketQueueSettings = Rules & {
  /** The store of a bucket that processes share. Without it, the bucket is kept in this process. */
  readonly shared: { readonly store: PaceStore; readonly name: string; readonly pollMs?: number } | undefined
  readonly maxWaitMs: number
  readonly now: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly emit: OnEvent
}

/** Permission to send one request: since when, and for how many tokens. */
export type Slot = { readonly sentAt: number; readonly tokens: number }

export type BucketQueue = {
  /** Takes a slot. Synchronous when the queue is empty and a slot is free. */
  readonly acquire: (call: Call, priority: number, tokens: number) => Slot | Promise<Slot>
  readonly release: (slot: Slot, outcome: SendOutcome) => Promise<void>
}

type Waiting = {
  readonly call: Call
  readonly priority: number
  readonly tokens: number
  readonly admit: (slot: Slot) => void
  readonly refuse: (error: unknown) => void
  notified?: boolean
}

/** The calls that wait for a slot of one bucket. */
export function createBucketQueue(budget: BucketName, settings: BucketQueueSettings): BucketQueue {
  const { shared, now, maxWaitMs } = settings
  const queue = fairQueue<Waiting>()
  const timer = createTimer(() => void drain(), settings)
  /** How many drains were requested since the last one began. */
  let requested = 0
  let slots = 0
  const own = bucketWith(budget)

  const update = (change: (bucket: Bucket) => void): Promise<void> | void => {
    if (!shared) return change(own)
    return shared.store.update(`${shared.name} ${budget.name}`, (bucket = own) => {
      const copy = structuredClone(bucket)
      change(copy)
      return copy
    })
  }
  const take = (bucket: Bucket, { sentAt, tokens }: Slot): Blocked | undefined => {
    const blocked = tryAcquire(bucket, tokens, sentAt, settings)
    if (!blocked) slots++
    return blocked
  }
  const giveBack = ({ sentAt, tokens }: Slot, outcome: SendOutcome) => update((bucket) => release(bucket, sentAt, tokens, outcome, now()))
  const clearWhenEmpty = () => {
    if (queue.all.size === 0) timer.clear()
  }

  const drain = async () => {
    if (requested++ > 0) return
    for (let seen = 0; seen < requested;) {
      seen = requested
      await admitAll()
    }
    requested = 0
    clearWhenEmpty()
  }

  const admitAll = async () => {
    for (let waiter; (waiter = queue.first(slots));) {
      const slot = { sentAt: now(), tokens: waiter.tokens }
      let blocked: Blocked | undefined
      try {
        if (startByOf(waiter.call) < slot.sentAt) throw refusal(waiter, 'deadline')
        await update((bucket) => void (blocked = take(bucket, slot)))
        if (blocked) return hold(blocked)
        if (queue.all.has(waiter)) waiter.admit(slot)
        // the call was aborted during the update of the store
        else await giveBack(slot, 'unsent')
      } catch (error) {
        waiter.refuse(error)
      }
    }
  }

  /** Rejects the waiters that cannot wait that long, and sets the timer for the others. */
  const hold = ({ at, source }: Blocked) => {
    const time = now()
    const delayMs = at && at - time
    for (const waiter of queue.all) {
      const startBy = startByOf(waiter.call)
      const code = delayMs && delayMs > maxWaitMs ? 'wait_too_long' : (at ?? time) > startBy ? 'deadline' : undefined
      if (code) waiter.refuse(refusal(waiter, code, at))
      else {
        timer.set(startBy + 1)
        if (!waiter.notified) settings.emit({ ...about(waiter.call), type: 'wait', by: 'pace', reason: budget.name, delayMs, source })
        waiter.notified = true
      }
    }
    if (queue.all.size === 0) return
    timer.set(at ?? Infinity)
    // other processes may release slots
    if (shared) timer.set(time + (shared.pollMs ?? 250))
  }

  const refusal = ({ call }: Waiting, code: PaceErrorCode, at?: number) =>
    new PaceError(
      code,
      formatMessage(call, `not sent: the budget of "${budget.name}" is used up beyond the deadline or maxWaitMs, ${maxWaitMs} ms`, at),
      at,
    )

  return {
    acquire: (call, priority, tokens) => {
      const { signal } = call
      signal?.throwIfAborted()
      const slot = { sentAt: now(), tokens }
      // the common case, an empty queue and a local bucket, needs no promise
      if (!shared && queue.all.size === 0 && startByOf(call) >= slot.sentAt && !take(own, slot)) return slot
      return new Promise((resolve, reject) => {
        const end = () => {
          stopListening()
          queue.remove(waiter)
        }
        const waiter: Waiting = {
          call,
          priority,
          tokens,
          admit: (slot) => {
            end()
            resolve(slot)
          },
          refuse: (error) => {
            end()
            reject(error)
          },
        }
        const stopListening = onAbort(signal, () => {
          waiter.refuse(signal?.reason)
          clearWhenEmpty()
        })
        queue.push(waiter)
        void drain()
      })
    },
    release: async (slot, outcome) => {
      await giveBack(slot, outcome)
      if (queue.all.size > 0) await drain()
    },
  }
}
