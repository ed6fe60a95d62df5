import type { Middleware } from '@farebox/middleware'

/** No answer began within the time that an attempt has. The request had been sent. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'timeout'

  constructor(readonly timeoutMs: number) {
    super(`No answer began within ${timeoutMs} ms. Raise timeoutMs if the service needs longer.`)
  }
}

/** Ends an attempt whose answer has not begun after `timeoutMs`. The body of an answer may take as long as it needs. */
export function timeout(timeoutMs: number): Middleware {
  return (next) => async (call) => {
    const controller = new AbortController()
    const follow = () => controller.abort(call.signal?.reason)
    if (call.signal?.aborted === true) follow()
    call.signal?.addEventListener('abort', follow, { once: true })
    const timer = setTimeout(() => controller.abort(new TimeoutError(timeoutMs)), timeoutMs)
    try {
      return await next({ ...call, signal: controller.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}
