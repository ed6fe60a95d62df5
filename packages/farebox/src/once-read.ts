/** The same answer, with `end` called once its body is over: read, broken or cancelled. */
export function onceRead(response: Response, end: () => void): Response {
  if (response.body === null) {
    end()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: async (reason) => {
        end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return withBody(response, body)
}

/** The same answer around another body. A Response that is made here has no URL, which the one from fetch had. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response
  const copy = new Response(body, { status, statusText, headers })
  return Object.defineProperties(copy, { url: { value: url }, redirected: { value: redirected }, type: { value: type } })
}
