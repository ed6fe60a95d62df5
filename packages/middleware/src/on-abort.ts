const heard = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when the signal aborts, until the returned function is called. All calls that share a
 * signal use one listener, which is removed with the last callback: Node warns of a leak at eleven
 * listeners, and a signal may live as long as the program.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined
  const callbacks = heard.get(signal) ?? new Set()
  heard.set(signal, callbacks.add(callback))
  // adding the same function again has no effect
  signal.addEventListener('abort', notify, { once: true })
  return () => {
    callbacks.delete(callback)
    if (!callbacks.size) signal.removeEventListener('abort', notify)
  }
}

function notify(this: unknown): void {
  const signal = this as AbortSignal
  const callbacks = heard.get(signal) ?? []
  heard.delete(signal)
  for (const callback of callbacks) callback()
}
