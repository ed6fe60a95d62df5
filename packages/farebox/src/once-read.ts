export type BodyHooks = {
  /** Called once when the body ends: read, broken or cancelled. */
  readonly end?: () => void
  /**
   * Makes the error for the reader of a broken body from the platform's error and the number of
   * bytes received. Default: the platform's error.
   */
  readonly errorOf?: (error: unknown, received: number) => unknown
}

/**
 * Returns the response with hooks on its body. A body shorter than its Content-Length is broken
 * too.
 */
export function onceRead(response: Response, { end = () => undefined, errorOf = (error) => error }: BodyHooks): Response {
  if (response.body === null) {
    end()
    return response
  }
  const reader = response.body.getReader()
  const length = lengthOf(response) ?? 0
  let received = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) {
            received += value.byteLength
            return controller.enqueue(value)
          }
          if (received < length) throw new TypeError('the body ended early')
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(errorOf(error, received))
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

/**
 * Returns the response with another body. The URL is copied, since a constructed Response has none.
 */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response
  const copy = new Response(body, { status, statusText, headers })
  return Object.defineProperties(copy, { url: { value: url }, redirected: { value: redirected }, type: { value: type } })
}

/** The length of the body, if a header states it. */
export function lengthOf({ headers }: Response): number | undefined {
  const text = headers.get('content-length')
  return text === null || headers.has('content-encoding') ? undefined : Number(text)
}
