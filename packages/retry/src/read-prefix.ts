/**
 * Reads the beginning of a body as text, at most about `bytes`. Returns a response with the whole
 * body to pass on; the body of the original response is consumed.
 */
export async function readPrefix(response: Response, bytes = 4096): Promise<{ readonly text: string; readonly response: Response }> {
  if (response.body === null) return { text: '', response }
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let read = 0
  let done = false
  let fault: { readonly error: unknown } | undefined
  while (read < bytes && !done && fault === undefined) {
    try {
      const part = await reader.read()
      if (part.value !== undefined) chunks.push(part.value)
      read += part.value?.length ?? 0
      done = part.done
    } catch (error) {
      // the status stays valid; the reader of the body gets the error
      fault = { error }
    }
  }
  const decoder = new TextDecoder()
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('')
  const rest = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      if (done) controller.close()
      if (fault !== undefined) controller.error(fault.error)
    },
    pull: async (controller) => {
      const part = await reader.read()
      if (part.done) controller.close()
      else controller.enqueue(part.value)
    },
    cancel: async (reason) => reader.cancel(reason),
  })
  const { status, statusText, headers, url } = response
  return { text, response: Object.defineProperty(new Response(rest, { status, statusText, headers }), 'url', { value: url }) }
}
