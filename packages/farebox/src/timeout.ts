import { onAbort, untilAborted, withBody, type Call, type Middleware } from '@farebox/middleware'

/** A sent attempt took too long: its response did not begin, did not end, or paused. */
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
    const attempt = attemptOf(call.signal)
    const timer = setTimeout(() => attempt.abort(new TimeoutError(timeoutMs)), timeoutMs)
    const end = () => {
      clearTimeout(timer)
      attempt.leave()
    }
    try {
      const response = await next({ ...call, signal: attempt.signal })
      if (!isStream(response)) return follow(response, attempt, end)
      clearTimeout(timer)
      return follow(response, attempt, attempt.leave, idleMs)
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

function attemptOf(signal: Call['signal']): Attempt {
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

/** The response, with a call of `end` when its body ends in any way. */
function follow(response: Response, attempt: Attempt, end: () => void, idleMs?: number): Response {
  const reader = response.body?.getReader()
  if (!reader) {
    end()
    return response
  }
  return withBody(response, {
    read: async () => {
      const silence = () => attempt.abort(new TimeoutError(idleMs ?? 0, 'No part of the answer came'))
      const timer = idleMs === undefined ? undefined : setTimeout(silence, idleMs)
      try {
        // a custom fetch may ignore the signal while its body is read
        const part = await untilAborted(reader.read(), attempt.signal)
        if (part.done) end()
        return part
      } catch (error) {
        end()
        void reader.cancel().catch(() => undefined)
        throw attempt.reason() ?? error
      } finally {
        clearTimeout(timer)
      }
    },
    cancel: async (reason) => {
      end()
      await reader.cancel(reason)
    },
  })
}

/** An error response has the time limit of JSON, even if its Content-Type is audio or video. */
function isStream({ ok, headers }: Response): boolean {
  return ok && !/\b(?:json|text|xml|html)\b/i.test(headers.get('content-type') ?? 'text/plain')
}
