import { onAbort, withBody, type BodySource, type Call, type Middleware } from '@farebox/middleware'

/** A sent attempt took too long: its response did not begin, did not end, or paused. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'timeout'

  constructor(
    readonly timeoutMs: number,
    what = 'No response came',
  ) {
    super(
      `${what} within ${timeoutMs} ms. Raise ${what.startsWith('No part') ? 'idleTimeoutMs' : 'timeoutMs'} if the service needs longer.`,
    )
  }
}

/** A timer that is set for longer, which is 24 days, fires at once. */
const longest = 2_147_483_647

const own = Symbol('timeoutMs')

/** What a call carries whose attempts have a time limit of their own, in milliseconds. */
export function ownTimeout(timeoutMs: number | undefined): object {
  return { [own]: timeoutMs }
}

/**
 * Ends an attempt whose response is not complete after `timeoutMs`, headers and body. A body that
 * is neither JSON nor text, such as audio or video, has no time limit once it has begun, but its
 * chunks must be at most `idleMs` apart.
 */
export function timeout(defaultMs: number, defaultIdleMs?: number): Middleware {
  return (next) => async (call) => {
    const { [own]: timeoutMs = defaultMs } = call as { readonly [own]?: number | undefined }
    const idleMs = defaultIdleMs ?? timeoutMs
    const attempt = attemptOf(call.signal)
    const timer = setTimeout(() => attempt.abort(new TimeoutError(timeoutMs)), Math.min(timeoutMs, longest))
    const end = () => {
      clearTimeout(timer)
      attempt.leave()
    }
    try {
      const response = await next(Object.assign({}, call, { signal: attempt.signal }))
      // the client reads it at once, and middleware reads bodies of errors alone
      const isRead = own in call && call.operation !== undefined && response.ok
      if (!isStream(response)) return follow(response, attempt, end, undefined, isRead ? withReader : withBody)
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
  /** Settles with the work, or rejects as soon as the attempt ends. For one work at a time. */
  readonly until: <Result>(work: Promise<Result>) => Promise<Result>
  /** Removes the listener from the caller's signal, which may outlive many calls. */
  readonly leave: () => void
}

function attemptOf(signal: Call['signal']): Attempt {
  const controller = new AbortController()
  let reason: TimeoutError | undefined
  let stop: (why: unknown) => void = () => undefined
  const abort = (why: unknown) => {
    controller.abort(why)
    stop(why)
  }
  if (signal?.aborted === true) abort(signal.reason)
  const leave = onAbort(signal, () => abort(signal?.reason))
  return {
    signal: controller.signal,
    abort: (error) => {
      reason = error
      abort(error)
    },
    until: (work) =>
      new Promise((resolve, reject) => {
        if (controller.signal.aborted) reject(controller.signal.reason as Error)
        stop = reject
        work.then(resolve, reject)
      }),
    reason: () => reason,
    leave,
  }
}

/** The response, with a call of `end` when its body ends in any way. */
function follow(response: Response, attempt: Attempt, end: () => void, idleMs?: number, wrap = withBody): Response {
  const reader = response.body?.getReader()
  if (!reader) {
    end()
    return response
  }
  return wrap(response, {
    read: async () => {
      const silence = () => attempt.abort(new TimeoutError(idleMs ?? 0, 'No part of the response came'))
      const timer = idleMs === undefined ? undefined : setTimeout(silence, Math.min(idleMs, longest))
      try {
        // a custom fetch may ignore the signal while its body is read
        const part = await attempt.until(reader.read())
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

/**
 * The same response for a caller that takes a reader of its body and nothing else. A stream and a
 * Response around the body would cost more than the rest of a call.
 */
function withReader(response: Response, { read, cancel }: BodySource): Response {
  return Object.defineProperty(response, 'body', { value: { getReader: () => ({ read, cancel }), cancel } })
}

/** An error response has the time limit of JSON, even if its Content-Type is audio or video. */
function isStream({ ok, headers }: Response): boolean {
  return ok && !/\b(?:json|text|xml|html)\b/i.test(headers.get('content-type') ?? 'text/plain')
}
