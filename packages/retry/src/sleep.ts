import { onAbort } from './on-abort.js'

/**
 * Resolves when the time has passed, never earlier. Rejects with the signal's reason as soon as the
 * signal aborts. Leaves no timer and no listener behind.
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = performance.now() + milliseconds
    let timer: ReturnType<typeof setTimeout> | undefined
    const stopListening = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    })
    const tick = () => {
      const left = end - performance.now()
      // a timer may fire a little early; one that is set for more than 2^31 - 1 ms fires at once
      if (left > 0) timer = setTimeout(tick, Math.min(Math.ceil(left), 2 ** 31 - 1))
      else {
        stopListening()
        resolve()
      }
    }
    tick()
  })
}
