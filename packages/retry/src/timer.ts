export type Timer = {
  /** Calls back at this moment at the latest; Infinity is never. An earlier moment stays set. */
  readonly set: (at: number) => void
  readonly clear: () => void
}

/** One timer for the earliest of the moments it is set to. Cleared, it leaves nothing running. */
export function createTimer(
  callback: () => void,
  { now, wait }: { now: () => number; wait: (milliseconds: number, signal?: AbortSignal) => Promise<void> },
): Timer {
  let due = Infinity
  let stop: AbortController | undefined
  const clear = () => {
    // abort() allocates a DOMException, the costliest step: skip it when nothing is scheduled
    if (due < Infinity) stop?.abort()
    due = Infinity
  }
  return {
    clear,
    set: (at) => {
      if (at >= due) return
      clear()
      due = at
      const { signal } = (stop = new AbortController())
      wait(at - now(), signal).then(
        () => {
          if (signal.aborted) return
          due = Infinity
          callback()
        },
        () => undefined,
      )
    },
  }
}
