import { isResendable, type Middleware } from '@farebox/middleware'

/**
 * Tops up when an operation that a wallet may call is answered with 402, and sends that call once more. Calls that meet a
 * 402 while a top-up is under way wait for that one, and a call that was sent before the last top-up was done goes by that
 * one too: its 402 may be older than the money. A second 402 is the caller's.
 */
export function autoTopUp(topUp: () => Promise<unknown>): Middleware {
  let current: Promise<unknown> | undefined
  let done = 0
  const once = () =>
    (current ??= topUp()
      .then(() => done++)
      .finally(() => {
        current = undefined
      }))

  return (next) => async (call) => {
    const before = done
    const response = await next(call)
    const payable = call.operation?.security.some((schemes) => schemes.includes('siwx')) === true
    if (response.status !== 402 || !payable || !isResendable(call) || call.signal?.aborted === true) return response
    await response.body?.cancel()
    if (done === before) await once()
    return next(call)
  }
}
