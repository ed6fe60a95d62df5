/**
 * `fetch` whose signal also ends a body that is still being read. In Node 20 and 22, a garbage
 * collection after the head of a response can take the request that follows the signal (seen with
 * `redirect: 'error'`): the signal then ends nothing, and the server goes on.
 */
export function withLastingSignal(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const { signal } = init ?? {}
    if (!signal || !response.body) return response
    const { status, statusText, headers } = response
    return new Response(endWith(signal, response.body), { status, statusText, headers })
  }
}

/** Fails with the reason of the signal, and cancels its source, as soon as the signal aborts. */
function endWith(signal: AbortSignal, body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined)
  const forget = () => signal.removeEventListener('abort', stop)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const part = await reader.read()
          signal.throwIfAborted()
          if (!part.done) return controller.enqueue(part.value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        forget()
      },
      cancel: (reason) => {
        forget()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
