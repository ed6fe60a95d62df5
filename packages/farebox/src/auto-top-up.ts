import { discard, isResendable, untilAborted, type Middleware } from '@farebox/middleware'

/** A running top-up, and the number of calls that wait for it. */
type TopUp = { readonly end: Promise<unknown>; readonly stop: AbortController; waiting: number }

/**
 * Tops up after a 402 of an operation that a wallet may call, and sends that call once more. Calls
 * that get a 402 during a top-up wait for it. A call that was sent before the last top-up ended is
 * only sent again: its 402 may be older than the credit. A second 402 is returned to the caller.
 *
 * An aborted call stops waiting at once, with its signal's reason. The top-up is aborted when no
 * call waits for it.
 */
export function autoTopUp(topUp: (signal: AbortSignal) => Promise<unknown>): Middleware {
  let current: TopUp | undefined
  let done = 0

  const start = (): TopUp => {
    const stop = new AbortController()
    const end = topUp(stop.signal).then(() => done++)
    return { end, stop, waiting: 0 }
  }

  const wait = async (signal: AbortSignal | undefined): Promise<void> => {
    const joined = (current ??= start())
    joined.waiting++
    try {
      await untilAborted(joined.end, signal)
    } finally {
      if (--joined.waiting === 0) {
        // the next call starts a new one
        if (current === joined) current = undefined
        joined.stop.abort()
      }
    }
  }

  return (next) => async (call) => {
    const before = done
    const response = await next(call)
    const payable = call.operation?.security.some((schemes) => schemes.includes('siwx')) === true
    if (response.status !== 402 || !payable || !isResendable(call) || call.signal?.aborted === true) return response
    void discard(response)
    if (done === before) await wait(call.signal)
    return next(call)
  }
}
