type Listeners = { readonly callbacks: Set<() => void>; readonly listener: () => void }

const heard = new WeakMap<AbortSignal, Listeners>()

/**
 * Calls back when the signal aborts, until it is told to stop. However many calls share a signal, it has one listener of ours, and none
 * when nobody listens any more: Node warns of a leak at eleven, and a signal that lives as long as the program must not gather them.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined
  const { callbacks } = heard.get(signal) ?? listen(signal)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    const current = heard.get(signal)
    if (current === undefined || current.callbacks.size > 0) return
    signal.removeEventListener('abort', current.listener)
    heard.delete(signal)
  }
}

function listen(signal: AbortSignal): Listeners {
  const callbacks = new Set<() => void>()
  const listener = () => {
    heard.delete(signal)
    for (const callback of callbacks) callback()
  }
  signal.addEventListener('abort', listener, { once: true })
  const made = { callbacks, listener }
  heard.set(signal, made)
  return made
}
