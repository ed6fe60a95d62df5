import { save } from '#file-system'
import { withBody, type BodySource } from '@farebox/middleware'
import { FareboxError } from './error.js'
import type { Media } from './methods.js'

type Reader = ReadableStreamDefaultReader<Uint8Array>

export type BodyHooks = {
  /** Called when the body has been read, breaks or is cancelled. Calls may repeat. */
  readonly onEnd: () => void
  /** Default: `reader.read()`. */
  readonly read?: (reader: Reader) => ReturnType<Reader['read']>
  /** The error for the reader of a broken body. Default: the platform's error. */
  readonly toError?: (error: unknown, received: number) => unknown
  /** A body that ends with fewer bytes is broken. */
  readonly length?: number | undefined
  /** Default: `withBody`. */
  readonly wrap?: (response: Response, source: BodySource) => Response
}

/** Returns the response with a body that calls the hooks. */
export function watchBody(
  response: Response,
  {
    onEnd,
    read = (reader) => reader.read(),
    toError = (error) => error,
    length = 0,
    wrap = withBody,
  }: BodyHooks,
): Response {
  const reader = response.body?.getReader()
  if (!reader) {
    onEnd()
    return response
  }
  let received = 0
  return wrap(response, {
    read: async () => {
      try {
        const part = await read(reader)
        received += part.value?.byteLength ?? 0
        if (part.done && received < length) throw new TypeError('the body ended early')
        if (part.done) onEnd()
        return part
      } catch (error) {
        onEnd()
        void reader.cancel().catch(() => undefined)
        throw toError(error, received)
      }
    },
    cancel: async (reason) => {
      onEnd()
      await reader.cancel(reason)
    },
  })
}

/** The length of the body in bytes, if a header states it. */
export function contentLength({ headers }: Response): number | undefined {
  const length = headers.get('content-length')
  // it counts the encoded bytes
  return length === null || headers.has('content-encoding') ? undefined : Number(length)
}

/** Adds `saveTo` to a response. */
export function toMedia(response: Response): Media {
  const saveTo = async (path: string) =>
    save(response, path).catch((cause: unknown) => {
      if (cause instanceof FareboxError) throw cause
      const why = cause instanceof Error ? cause.message : 'the file cannot be written.'
      // the service has done its work, and may have charged for it
      throw new FareboxError(`saveTo ${JSON.stringify(path)}: ${why}`, {
        code: 'not_saved',
        mayHaveArrived: true,
        cause,
      })
    })
  return Object.assign(response, { saveTo })
}
