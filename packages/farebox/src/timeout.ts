import type { Call, Middleware } from '@farebox/middleware'
import { onAbort } from '@farebox/retry'
import { withBody } from './once-read.js'
import { untilAborted } from './until-aborted.js'

/** An attempt took too long: its answer did not begin, or did not end, or a stream fell silent. The request had been sent. */
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
 * Ends an attempt whose answer is not whole after `timeoutMs`, headers and body. Audio, video and whatever else is no JSON and no text may take as
 * long as it needs once it has begun, as long as no `idleMs` pass without a part of it.
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
      // an aborted fetch rejects with the reason in most places, and with an error of its own in some
      throw attempt.reason() ?? error
    }
  }
}

type Attempt = {
  readonly signal: AbortSignal
  readonly abort: (reason: TimeoutError) => void
  /** Why we ended it, if it was us. */
  readonly reason: () => TimeoutError | undefined
  /** Takes the listener off the caller's signal, which may outlive many calls. */
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

/** The body, with `end` called once it is over, however that comes. */
function watched(body: ReadableStream<Uint8Array>, attempt: Attempt, end: () => void, idleMs?: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const silence = () => attempt.abort(new TimeoutError(idleMs ?? 0, 'No part of the answer came'))
        const timer = idleMs === undefined ? undefined : setTimeout(silence, idleMs)
        try {
          // a fetch that was given to us need not end its body when its signal says so
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

/** A failure is no audio, whatever it says of itself: it must end in time, as JSON must. */
function isStream({ ok, headers }: Response): boolean {
  return ok && !/\b(?:json|text|xml|html)\b/i.test(headers.get('content-type') ?? 'text/plain')
}
