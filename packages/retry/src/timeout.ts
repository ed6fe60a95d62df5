import { discard, onAbort, untilAborted, withBody, type Middleware } from '@farebox/middleware'
import { requireAtLeast, formatMessage, TimeoutError, type TimeoutErrorCode } from './errors.js'

export type TimeoutOptions = {
  /** From the send to the head of the response, the upload included. Default: no limit. */
  readonly responseMs?: number
  /** How long a reader of the body waits for its next chunk. Default: no limit. */
  readonly idleMs?: number
  /** From the send to the end of the body. Default: no limit. */
  readonly totalMs?: number
}

/**
 * Limits how long a call takes, in milliseconds. Past a limit the request is aborted, and the caller
 * or the reader of the body gets a TimeoutError. `idleMs` ends a download or a stream of events
 * that stalls, however long the whole may take; a reader that takes its time does not count.
 *
 * Within `retry` the limits apply to each attempt, and an idempotent call is sent again after
 * `responseMs`. Outside of it they apply to the call with all of its attempts.
 *
 * @example
 * ```ts
 * const steadyFetch = withMiddleware(fetch, retry(), timeout({ responseMs: 30_000, idleMs: 20_000 }))
 * ```
 */
export function timeout(options: TimeoutOptions): Middleware {
  const { responseMs = Infinity, idleMs = Infinity, totalMs = Infinity } = options
  for (const [name, value] of Object.entries({ responseMs, idleMs, totalMs }))
    requireAtLeast(1, `timeout: ${name}`, value)

  return (next) => async (call) => {
    call.signal?.throwIfAborted()
    const controller = new AbortController()
    const { signal } = controller
    const stopFollowing = onAbort(call.signal, () => controller.abort(call.signal?.reason))

    /** Aborts the request after the time. Returns what prevents that. */
    const limit = (milliseconds: number, code: TimeoutErrorCode, what: string): (() => void) => {
      if (milliseconds > longestTimer) return () => undefined
      const why = `${what} within ${milliseconds} ms`
      const timer = setTimeout(
        () => controller.abort(new TimeoutError(code, formatMessage(call, why), milliseconds)),
        milliseconds,
      )
      return () => clearTimeout(timer)
    }
    const stopTotal = limit(totalMs, 'total', 'the response did not end')
    const finish = () => {
      stopTotal()
      stopFollowing()
    }

    const stopWaiting = limit(responseMs, 'no_response', 'no response began')
    let response: Response
    try {
      const pendingResponse = next(Object.assign({}, call, { signal }))
      response = await untilAborted(pendingResponse, signal, discard)
    } catch (error) {
      finish()
      throw error
    } finally {
      stopWaiting()
    }

    const reader = response.body?.getReader()
    if (!reader) {
      finish()
      return response
    }
    const read = async () => {
      const stopIdle = limit(idleMs, 'idle', 'no further part of the response arrived')
      try {
        const part = await untilAborted(reader.read(), signal)
        if (part.done) finish()
        return part
      } catch (error) {
        finish()
        // the body of a fetch ends with its signal, one that a middleware made may not
        void reader.cancel(error).catch(() => undefined)
        throw error
      } finally {
        stopIdle()
      }
    }
    const cancel = (reason: unknown) => {
      finish()
      return reader.cancel(reason)
    }
    return withBody(response, { read, cancel })
  }
}

/** A timer that is set for longer fires at once. 25 days are no limit. */
const longestTimer = 2_147_483_647
