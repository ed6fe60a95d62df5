/** A clock that only its own waits move, and that counts what waits. */
export type VirtualClock = {
  readonly now: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Runs all due timers, one by one, until none is left or the time is reached. */
  readonly run: (until?: number) => Promise<void>
  /** How many wait. */
  readonly waiting: () => number
  /** When the first timer is due, `Infinity` without timers. */
  readonly next: () => number
}

type Timer = { readonly at: number; readonly ring: () => void }

export function virtualClock(start: number): VirtualClock {
  let time = start
  const timers = new Set<Timer>()
  const earliest = (): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer
    return first
  }
  return {
    now: () => time,
    waiting: () => timers.size,
    next: () => earliest()?.at ?? Infinity,
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          timers.delete(timer)
          reject(signal?.reason as Error)
        }
        const timer: Timer = {
          at: time + milliseconds,
          ring: () => {
            timers.delete(timer)
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        if (signal?.aborted) {
          stop()
          return
        }
        signal?.addEventListener('abort', stop, { once: true })
        timers.add(timer)
      }),
    run: async (until = Infinity) => {
      for (;;) {
        await flushPromises()
        const next = earliest()
        if (next === undefined || next.at > until) break
        time = Math.max(time, next.at)
        next.ring()
      }
      if (until !== Infinity) time = Math.max(time, until)
    },
  }
}

/** All promises that can go on have gone on. */
export function flushPromises(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
