import { onAbort } from './on-abort.js'

/**
 * Settles with the work, or rejects with the signal's reason as soon as the signal aborts. Leaves
 * no listener behind. `late` gets a result that arrives after that.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, late?: (result: T) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      reject(signal?.reason as Error)
      work.then(late, () => undefined)
    }
    if (signal?.aborted) return stop()
    const leave = onAbort(signal, stop)
    work.then(resolve, reject).finally(leave)
  })
}
