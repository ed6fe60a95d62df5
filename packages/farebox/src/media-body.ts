import { save } from '#file-system'
import { UnexpectedResponseError } from '@farebox/client/operations/shared'
import { withBody } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import type { CallStatistics } from './attempt.js'
import { FareboxError } from './error.js'
import type { Media } from './methods.js'
import { fromThrown } from './to-error.js'

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

/**
 * Returns the response with a body that reports errors as a `FareboxError` of the operation:
 * `aborted`, `timeout`, or `unexpected_response` for a body that breaks off. The work was done by
 * then, so `mayHaveArrived` is true.
 */
export function reportBrokenBody(
  operation: OperationId | undefined,
  response: Response,
  signal: AbortSignal | undefined,
  statistics: () => CallStatistics,
): Response {
  const errorOf = (error: unknown, received: number) => {
    const isBroken = signal?.aborted !== true && error instanceof Error && /^(Type)?Error$/.test(error.name)
    const why = `broke off after ${received} bytes, and may have been charged`
    const thrown = isBroken
      ? new UnexpectedResponseError({ id: operation ?? 'request' }, 'incomplete_body', response, why, '', error)
      : error
    return fromThrown(operation, thrown, signal, statistics())
  }
  return onBodyEnd(response, { errorOf })
}

/** Adds `saveTo` to a response. */
export function mediaOf(response: Response): Media {
  return Object.assign(response, { saveTo: async (path: string) => save(response, path).catch((error: unknown) => refuse(path, error)) })
}

/** The service has done its work, and may have charged for it. */
function refuse(path: string, cause: unknown): never {
  if (cause instanceof FareboxError) throw cause
  const why = cause instanceof Error ? cause.message : 'the file cannot be written.'
  throw new FareboxError(`saveTo ${JSON.stringify(path)}: ${why}`, { code: 'not_saved', mayHaveArrived: true, cause })
}
