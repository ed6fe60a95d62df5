import type { Call, Middleware } from '@farebox/middleware'
import { guard, idempotencyKey, observe, pace, retry, type CallEvent } from '@farebox/retry'
import type { FareboxEvent } from './events.js'
import type { Settings } from './options.js'
import { credentialsIn } from './own-credentials.js'
import { redactor, type Redact } from './redactor.js'
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
  /** Hides the credentials of the last requests. */
  readonly redact: Redact
}

export function sendingOf(settings: Settings): Sending {
  const { onEvent, timeoutMs, idleTimeoutMs } = settings
  const { noting, redact } = recentCredentials()
  const told = <Options extends { readonly onEvent?: ((event: CallEvent) => void) | undefined }>(options: Options) => ({
    ...options,
    ...(onEvent && { onEvent: both(options.onEvent, onEvent, redact) }),
  })
  return {
    retry: settings.retry === false ? [] : [retry({ idempotencyKey, ...told(settings.retry ?? {}) })],
    limits: [
      ...(settings.pace === false ? [] : [pace(told(settings.pace ?? {}))]),
      ...(settings.guard === false ? [] : [guard({ ...(settings.wallet && { sends }), ...told(settings.guard ?? {}) })]),
    ],
    request: [timeout(timeoutMs, idleTimeoutMs), noting, ...(onEvent ? [observe(both(undefined, onEvent, redact))] : []), tallied],
    redact,
  }
}

/** Our own client makes the calls, so the operation is one of ours. */
function both(
  own: ((event: CallEvent) => void) | undefined,
  onEvent: (event: FareboxEvent) => void,
  redact: Redact,
): (event: CallEvent) => void {
  return (event) => {
    const told = isForeign(event) ? { ...event, reason: wordOf(event.reason, redact) } : event
    own?.(told)
    onEvent(told as FareboxEvent)
  }
}

/** Whether the reason may be the code or the name of an error that others made. */
function isForeign(event: CallEvent): event is Extract<CallEvent, { type: 'failure' | 'retry' | 'give-up' }> {
  return ['failure', 'retry', 'give-up'].includes(event.type) && 'reason' in event && !event.reason.startsWith('status ')
}

/** A longer text is no code and no name; a credential of a wallet is longer. */
function wordOf(reason: string, redact: Redact): string {
  return reason.length > 64 ? 'failed' : redact(reason)
}

/** For what is told of no one call, such as an event: the middleware that tells it is shared by all calls. */
function recentCredentials(): { readonly noting: Middleware; readonly redact: Redact } {
  const recent: Headers[] = []
  return {
    noting: (next) => (call) => {
      recent.push(call.headers)
      if (recent.length > 16) recent.shift()
      return next(call)
    },
    redact: (text) => redactor(recent.flatMap(credentialsIn))(text),
  }
}

/** A wallet's call is signed and sent again after a 401. */
function sends({ operation }: Call): number {
  return operation?.security.some((schemes) => schemes.includes('siwx')) === true ? 2 : 1
}
