import { untilAborted } from './until-aborted.js'

/**
 * Resolves when the time has passed, never earlier. Rejects with the signal's reason as soon as the
 * signal aborts. Leaves no timer and no listener behind.
 */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const end = performance.now() + milliseconds
  signal?.throwIfAborted()
  // a timer may fire a little early; one that is set for more than 2^31 - 1 ms fires at once
  for (let left; (left = end - performance.now()) > 0;) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(Math.ceil(left), 2 ** 31 - 1))
    })
    await untilAborted(over, signal).finally(() => clearTimeout(timer))
  }
}
