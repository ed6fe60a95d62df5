import type { Call, Middleware } from '@farebox/middleware'
import { onAbort } from '@farebox/retry'
import { withBody } from './once-read.js'
import { untilAborted } from './until-aborted.js'

/**
 * An attempt took too long: its response did not begin, did not end, or paused. The request had
 * been sent.
 */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'timeout'

  constructor(
    readonly timeoutMs: number,
    what = 'No answer came',
  ) {
    super(
      `${what} within ${timeoutMs} ms. Raise ${what.startsWith('No part') ? 'idleTimeoutMs' : 'timeoutMs'} if the service needs longer.`,
    )
  }
}

/**
 * Ends an attempt whose response is not complete after `timeoutMs`, headers and body. A body that
 * is neither JSON nor text, such as audio or video, has no time limit once it has begun, but its
 * chunks must be at most `idleMs` apart.
 */
export function timeout(timeoutMs: number, idleMs = timeoutMs): Middleware {
  return (next) => async (call) => {
    const attempt = follow(call.signal)
    const timer = setTimeout(() => attempt.abort(new TimeoutError(timeoutMs)), timeoutMs)
    const end = () => {
      clearTimeout(timer)
      attempt.leave()
    }
    try {
      const response = await next({ ...call, signal: attempt.signal })
      if (response.body === null) {
        end()
        return response
      }
      if (!isStream(response)) return withBody(response, watched(response.body, attempt, end))
      clearTimeout(timer)
      return withBody(response, watched(response.body, attempt, attempt.leave, idleMs))
    } catch (error) {
      end()
      // on some platforms an aborted fetch rejects with an error of its own instead of the reason
      throw attempt.reason() ?? error
    }
  }
}

type Attempt = {
  readonly signal: AbortSignal
  readonly abort: (reason: TimeoutError) => void
  /** The timeout that ended the attempt, if one did. */
  readonly reason: () => TimeoutError | undefined
  /** Removes the listener from the caller's signal, which may outlive many calls. */
  readonly leave: () => void
}

function follow(signal: Call['signal']): Attempt {
  const controller = new AbortController()
  let reason: TimeoutError | undefined
  if (signal?.aborted === true) controller.abort(signal.reason)
  const leave = onAbort(signal, () => controller.abort(signal?.reason))
  return {
    signal: controller.signal,
    abort: (error) => {
      reason = error
      controller.abort(error)
    },
    reason: () => reason,
    leave,
  }
}

/** The body, with a call of `end` when it ends in any way. */
function watched(body: ReadableStream<Uint8Array>, attempt: Attempt, end: () => void, idleMs?: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const silence = () => attempt.abort(new TimeoutError(idleMs ?? 0, 'No part of the answer came'))
        const timer = idleMs === undefined ? undefined : setTimeout(silence, idleMs)
        try {
          // a custom fetch may ignore the signal while its body is read
          const { done, value } = await untilAborted(reader.read(), attempt.signal)
          if (done) {
            end()
            controller.close()
          } else controller.enqueue(value)
        } catch (error) {
          end()
          void reader.cancel().catch(() => undefined)
          controller.error(attempt.reason() ?? error)
        } finally {
          clearTimeout(timer)
        }
      },
      cancel: async (reason) => {
        end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** An error response has the time limit of JSON, even if its Content-Type is audio or video. */
function isStream({ ok, headers }: Response): boolean {
  return ok && !/\b(?:json|text|xml|html)\b/i.test(headers.get('content-type') ?? 'text/plain')
}
