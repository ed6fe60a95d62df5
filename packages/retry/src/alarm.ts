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
  let current: { readonly at: number; readonly stop: AbortController } | undefined
  const clear = () => {
    current?.stop.abort()
    current = undefined
  }
  return {
    clear,
    set: (at) => {
      if (at === Infinity || (current !== undefined && current.at <= at)) return
      clear()
      const mine = (current = { at, stop: new AbortController() })
      wait(Math.max(0, at - now()), mine.stop.signal).then(
        () => {
          if (current !== mine) return
          current = undefined
          ring()
        },
        () => undefined,
      )
    },
  }
}
