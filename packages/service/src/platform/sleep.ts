/**
 * Resolves after a time, or as soon as the signal aborts. The timer does not keep the process
 * alive.
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    timer.unref()
    signal?.addEventListener('abort', end, { once: true })
  })
}
