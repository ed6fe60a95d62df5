import { withBody } from '@farebox/middleware'

export type BodyHooks = {
  /** Called when the body ends: read, broken or cancelled. */
  readonly end?: () => void
  /**
   * Makes the error for the reader of a broken body from the platform's error and the number of
   * bytes received. Default: the platform's error.
   */
  readonly errorOf?: (error: unknown, received: number) => unknown
}

/** Adds hooks to the body. A body shorter than its Content-Length is broken too. */
export function onBodyEnd(response: Response, { end = () => undefined, errorOf = (error) => error }: BodyHooks): Response {
  if (response.body === null) {
    end()
    return response
  }
  const reader = response.body.getReader()
  const length = lengthOf(response) ?? 0
  let received = 0
  return withBody(response, {
    read: async () => {
      try {
        const part = await reader.read()
        received += part.value?.byteLength ?? 0
        if (part.done && received < length) throw new TypeError('the body ended early')
        if (part.done) end()
        return part
      } catch (error) {
        end()
        throw errorOf(error, received)
      }
    },
    cancel: async (reason) => {
      end()
      await reader.cancel(reason)
    },
  })
}

/** The length of the body, if a header states it. */
export function lengthOf({ headers }: Response): number | undefined {
  const text = headers.get('content-length')
  return text === null || headers.has('content-encoding') ? undefined : Number(text)
}
