import { isResendable, type Middleware } from '@farebox/middleware'
import { untilAborted } from './until-aborted.js'

/** A top-up under way, and how many calls wait for it. */
type TopUp = { readonly end: Promise<unknown>; readonly stop: AbortController; waiting: number }

/**
 * Tops up when an operation that a wallet may call is answered with 402, and sends that call once more. Calls that meet a
 * 402 while a top-up is under way wait for that one, and a call that was sent before the last top-up was done goes by that
 * one too: its 402 may be older than the money. A second 402 is the caller's.
 *
 * A call that is aborted stops waiting at once, with its signal's reason. The top-up is aborted when no call waits for it any more.
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
        // a call that comes now starts one of its own
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
    void response.body?.cancel().catch(() => undefined)
    if (done === before) await wait(call.signal)
    return next(call)
  }
}
