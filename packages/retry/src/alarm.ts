export type Alarm = {
  /** Calls back at this moment at the latest, which may be never; an earlier call stays. */
  readonly set: (at: number) => void
  readonly clear: () => void
}

/** One timer that is set to the earliest of the moments asked for, and leaves nothing behind when it is cleared. */
export function alarm(
  ring: () => void,
  { now, wait }: { now: () => number; wait: (milliseconds: number, signal?: AbortSignal) => Promise<void> },
): Alarm {
  let due = Infinity
  let stop: AbortController | undefined
  const clear = () => {
    // an abort makes an error, which costs more than all else here
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
      wait(Math.max(0, at - now()), signal).then(
        () => {
          if (signal.aborted) return
          due = Infinity
          ring()
        },
        () => undefined,
      )
    },
  }
}
