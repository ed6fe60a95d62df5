import { onAbort, withBody, type BodySource, type Call, type Middleware } from '@farebox/middleware'
import type { StatefulCall } from './call.js'

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

/** About 24 days. A timer that is set for longer fires at once. */
const maxDelay = 2_147_483_647

/**
 * Ends an attempt whose response, headers and body, is not complete after `timeoutMs`. Events, and
 * a body that is neither JSON nor text, such as audio or video, have no time limit once they have
 * begun, but at most `idleMs` may pass between their chunks.
 *
 * The body of a successful response that the caller reads has the errors of the call's state.
 */
export function timeout(defaultMs: number, defaultIdleMs?: number): Middleware {
  return (next) => async (call: StatefulCall) => {
    const { state } = call
    const timeoutMs = state?.timeoutMs ?? defaultMs
    const idleMs = defaultIdleMs ?? timeoutMs
    const attempt = createAttempt(call.signal)
    const timer = setTimeout(
      () => attempt.abort(new TimeoutError(timeoutMs)),
      Math.min(timeoutMs, maxDelay),
    )
    const onEnd = () => {
      clearTimeout(timer)
      attempt.leave?.()
    }
    try {
      const response = await next(Object.assign({}, call, { signal: attempt.signal }))
      const { ok, headers } = response
      // an error response has the time limit of JSON, even if its type is audio or video
      const type = headers.get('content-type') ?? 'text/plain'
      const isMedia = ok && !/\b(?:json|text|xml|html)\b/i.test(type)
      const isOpenEnded = isMedia || (ok && /^text\/event-stream\b/i.test(type))
      if (isOpenEnded) clearTimeout(timer)
      // the client reads JSON, text and events itself, and middleware reads bodies of errors only
      const isReadByClient = state !== undefined && call.operation !== undefined && ok && !isMedia
      const toBodyError = ok && !isReadByClient ? state?.toBodyError : undefined
      return watchBody(response, {
        onEnd,
        // a custom fetch may ignore the signal while its body is read
        read: (reader) =>
          withIdleTimeout(attempt, isOpenEnded ? idleMs : Infinity, () =>
            attempt.until(reader.read()),
          ),
        toError: (error, receivedBytes) => {
          const reason = attempt.reason() ?? error
          return toBodyError ? toBodyError(reason, response, receivedBytes) : reason
        },
        ...(toBodyError && { length: readContentLength(response) }),
        ...(isReadByClient && { wrap: replaceReader }),
      })
    } catch (error) {
      onEnd()
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
  readonly leave: (() => void) | undefined
}

function createAttempt(signal: Call['signal']): Attempt {
  const controller = new AbortController()
  let reason: TimeoutError | undefined
  let stop: (why: unknown) => void = () => undefined
  const abort = (why: unknown) => {
    controller.abort(why)
    stop(why)
  }
  if (signal?.aborted === true) abort(signal.reason)
  const leave = signal && onAbort(signal, () => abort(signal.reason))
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

async function withIdleTimeout<Result>(
  attempt: Attempt,
  idleMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  if (idleMs === Infinity) return work()
  const timer = setTimeout(
    () => attempt.abort(new TimeoutError(idleMs, 'No part of the response came')),
    Math.min(idleMs, maxDelay),
  )
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The same response, for a caller that only takes a reader of its body. A stream and a Response
 * around the body would cost more than the rest of a call.
 */
function replaceReader(response: Response, { read, cancel }: BodySource): Response {
  return Object.defineProperty(response, 'body', {
    value: { getReader: () => ({ read, cancel }), cancel },
  })
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

type BodyHooks = {
  /** Called when the body has been read, breaks or is cancelled. Calls may repeat. */
  readonly onEnd: () => void
  /** Default: `reader.read()`. */
  readonly read?: (reader: Reader) => ReturnType<Reader['read']>
  /** The error for the reader of a broken body. Default: the platform's error. */
  readonly toError?: (error: unknown, receivedBytes: number) => unknown
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
  let receivedBytes = 0
  return wrap(response, {
    read: async () => {
      try {
        const part = await read(reader)
        receivedBytes += part.value?.byteLength ?? 0
        if (part.done && receivedBytes < length) throw new TypeError('the body ended early')
        if (part.done) onEnd()
        return part
      } catch (error) {
        onEnd()
        void reader.cancel().catch(() => undefined)
        throw toError(error, receivedBytes)
      }
    },
    cancel: async (reason) => {
      onEnd()
      await reader.cancel(reason)
    },
  })
}

/** The length of the body in bytes, if a header states it. */
export function readContentLength({ headers }: Response): number | undefined {
  const length = headers.get('content-length')
  // it counts the encoded bytes
  return length === null || headers.has('content-encoding') ? undefined : Number(length)
}
