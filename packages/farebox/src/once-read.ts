export type BodyHooks = {
  /** Called once the body is over: read, broken or cancelled. */
  readonly end?: () => void
  /** What the reader of a body that broke gets, out of what the platform threw and how many bytes had come. Default: what was thrown. */
  readonly errorOf?: (error: unknown, received: number) => unknown
}

/** The same answer with hooks on its body. A body that ends before the length that its header gave is broken too. */
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

/** The same answer around another body. A Response that is made here has no URL, which the one from fetch had. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response
  const copy = new Response(body, { status, statusText, headers })
  return Object.defineProperties(copy, { url: { value: url }, redirected: { value: redirected }, type: { value: type } })
}

/** The length of the body, where its header tells it. */
export function lengthOf({ headers }: Response): number | undefined {
  const text = headers.get('content-length')
  return text === null || headers.has('content-encoding') ? undefined : Number(text)
}
