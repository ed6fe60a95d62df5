/**
 * Sets the timer to a moment; an earlier one stays set, and Infinity is never. Without a moment:
 * clears it, and leaves nothing running.
 */
export type Timer = (at?: number) => void

/** One timer for the earliest of the moments it is set to. */
export function createTimer(
  callback: () => void,
  { now, wait }: { now: () => number; wait: (milliseconds: number, signal?: AbortSignal) => Promise<void> },
): Timer {
  let due = Infinity
  let stop: AbortController | undefined
  return (at) => {
    if (at !== undefined && at >= due) return
    // abort() allocates a DOMException, the costliest step: skip it when nothing is scheduled
    if (due < Infinity) stop?.abort()
    due = at ?? Infinity
    if (at === undefined) return
    const { signal } = (stop = new AbortController())
    wait(at - now(), signal).then(
      () => {
        if (signal.aborted) return
        due = Infinity
        callback()
      },
      () => undefined,
    )
  }
}
