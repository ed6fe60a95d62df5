const listeners = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when the signal aborts, until the returned function is called. All calls that share a
 * signal use one listener, which is removed with the last callback: Node warns of a leak at eleven
 * listeners, and a signal may live as long as the program.
 *
 * @example
 * ```ts
 * const stop = onAbort(signal, () => socket.close())
 * try {
 *   await work()
 * } finally {
 *   stop()
 * }
 * ```
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined
  const callbacks = listeners.get(signal) ?? new Set()
  listeners.set(signal, callbacks.add(callback))
  // adding the same function again has no effect
  signal.addEventListener('abort', notify, { once: true })
  return () => {
    callbacks.delete(callback)
    if (!callbacks.size) signal.removeEventListener('abort', notify)
  }
}

function notify(this: unknown): void {
  const signal = this as AbortSignal
  const callbacks = listeners.get(signal) ?? []
  listeners.delete(signal)
  for (const callback of callbacks) callback()
}

/**
 * Settles with the work, or rejects with the signal's reason as soon as the signal aborts. Leaves
 * no listener behind.
 *
 * @param late gets a result that arrives after the abort
 * @example
 * ```ts
 * const response = await untilAborted(pending, signal, discard)
 * ```
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  late?: (result: T) => unknown,
): Promise<T> {
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

/**
 * Resolves when the time has passed, never earlier. Rejects with the signal's reason as soon as the
 * signal aborts. Leaves no timer and no listener behind.
 *
 * @example
 * ```ts
 * await sleep(250, AbortSignal.timeout(1000))
 * ```
 */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const end = performance.now() + milliseconds
  signal?.throwIfAborted()
  // a timer may fire a little early; one that is set for more than 2^31 - 1 ms fires at once
  for (let remainingMs; (remainingMs = end - performance.now()) > 0;) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(Math.ceil(remainingMs), 2 ** 31 - 1))
    })
    await untilAborted(timeout, signal).finally(() => clearTimeout(timer))
  }
}
