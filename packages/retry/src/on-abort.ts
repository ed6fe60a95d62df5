const heard = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when the signal aborts, until it is told to stop. However many calls share a signal, it has one listener of ours, and none
 * when nobody listens any more: Node warns of a leak at eleven, and a signal that lives as long as the program must not gather them.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined
  const callbacks = heard.get(signal) ?? new Set()
  if (callbacks.size === 0) signal.addEventListener('abort', tell, { once: true })
  heard.set(signal, callbacks.add(callback))
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener('abort', tell)
  }
}

function tell(this: unknown): void {
  const signal = this as AbortSignal
  const callbacks = heard.get(signal) ?? []
  heard.delete(signal)
  for (const callback of callbacks) callback()
}
