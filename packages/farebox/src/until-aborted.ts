import { onAbort } from '@farebox/retry'

/**
 * Settles with the work, or rejects with the signal's reason as soon as the signal aborts. Leaves
 * no listener behind. A later result is dropped.
 */
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
