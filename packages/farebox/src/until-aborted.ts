import { onAbort } from '@farebox/retry'

/** What comes of the work, or the signal's reason as soon as it aborts. Leaves no listener behind, and what comes later is dropped. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      work.catch(() => undefined)
      throw signal.reason
    }
    const leave = onAbort(signal, () => reject(signal?.reason as Error))
    work.then(resolve, reject).finally(leave)
  })
}
