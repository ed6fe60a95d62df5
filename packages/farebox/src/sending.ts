import type { Call, Middleware } from '@farebox/middleware'
import { guard, idempotencyKey, observe, pace, retry, type CallEvent } from '@farebox/retry'
import type { FareboxEvent } from './events.js'
import type { Settings } from './options.js'
import { tallied } from './tally.js'
import { timeout } from './timeout.js'

/** How the calls of one SDK go out. The scheduler and the failure budget are one for all of them. */
export type Sending = {
  /** Repeats, the outermost. */
  readonly retry: readonly Middleware[]
  /** Holds back: within the repeats, outside of payment and sign-in. */
  readonly limits: readonly Middleware[]
  /** Ends, tells and counts each request: the innermost. */
  readonly request: readonly Middleware[]
}

export function sendingOf(settings: Settings): Sending {
  const { onEvent, timeoutMs, idleTimeoutMs } = settings
  const told = <Options extends { readonly onEvent?: ((event: CallEvent) => void) | undefined }>(options: Options) => ({
    ...options,
    ...(onEvent && { onEvent: both(options.onEvent, onEvent) }),
  })
  return {
    retry: settings.retry === false ? [] : [retry({ idempotencyKey, ...told(settings.retry ?? {}) })],
    limits: [
      ...(settings.pace === false ? [] : [pace(told(settings.pace ?? {}))]),
      ...(settings.guard === false ? [] : [guard({ ...(settings.wallet && { sends }), ...told(settings.guard ?? {}) })]),
    ],
    request: [timeout(timeoutMs, idleTimeoutMs), ...(onEvent ? [observe(both(undefined, onEvent))] : []), tallied],
  }
}

/** Our own client makes the calls, so the operation is one of ours. */
function both(own: ((event: CallEvent) => void) | undefined, onEvent: (event: FareboxEvent) => void): (event: CallEvent) => void {
  return (event) => {
    own?.(event)
    onEvent(event as FareboxEvent)
  }
}

/** A wallet's call is signed and sent again after a 401. */
function sends({ operation }: Call): number {
  return operation?.security.some((schemes) => schemes.includes('siwx')) === true ? 2 : 1
}
