import { onAbort } from './on-abort.js'

/**
 * Resolves when the time has passed, never earlier, or rejects with the signal's reason as soon as it aborts. Leaves no timer and no
 * listener behind.
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = performance.now() + milliseconds
    let timer: ReturnType<typeof setTimeout> | undefined
    const silence = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    })
    const tick = () => {
      const left = end - performance.now()
      // a timer may fire a little before its time; the longest time that one can count is 2^31 - 1, and one set for more fires at once
      if (left > 0) timer = setTimeout(tick, Math.min(Math.ceil(left), 2 ** 31 - 1))
      else {
        silence()
        resolve()
      }
    }
    tick()
  })
}
