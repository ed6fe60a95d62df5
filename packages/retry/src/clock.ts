/** Milliseconds since 1970, and a way to wait. */
export type Clock = {
  readonly now: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
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

export type Timer = {
  /** Has no effect if an earlier moment is set. Infinity is never. */
  readonly set: (at: number) => void
  /** Leaves nothing running. */
  readonly clear: () => void
}

/** Calls back once, at the earliest of the moments that it was set to. */
export function createTimer({ now, wait }: Clock, callback: () => void): Timer {
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
