import type { Call, Middleware } from '@farebox/middleware'
import { callerOf, type CallEvent, guard, idempotencyKeys, observe, pace, retry, type RetryOptions } from '@farebox/retry'
import { localFailures, recordSends } from './attempt.js'
import { misconfigured } from './error.js'
import type { FareboxEvent, Settings } from './options.js'
import { credentialsIn, type Redact, redactor } from './redact.js'
import { timeout } from './timeout.js'

/** The middleware of one SDK object. Objects of one caller share scheduler and failure budget. */
export type Sending = {
  /** Retries: the outermost. A call may have its own instead of those of the SDK object. */
  readonly retryOf: (own?: RetryOptions | false) => readonly Middleware[]
  /** Rate limits: inside of the retries, outside of payment and sign-in. */
  readonly limits: readonly Middleware[]
  /** Timeout, events and statistics of each request: the innermost. */
  readonly request: readonly Middleware[]
  /** Hides the credentials of the last requests. */
  readonly redact: Redact
}

export function sendingOf(settings: Settings): Sending {
  const { onEvent, timeoutMs, idleTimeoutMs } = settings
  const { noting, redact } = recentCredentials()
  const shared = { caller: callerIn(settings), store: settings.paceStore }
  const withEvents = <Options extends { readonly onEvent?: ((event: CallEvent) => void) | undefined }>(options: Options) => ({
    ...options,
    ...(onEvent && { onEvent: both(options.onEvent, onEvent, redact) }),
  })
  return {
    retryOf: (own = settings.retry ?? {}) => [...(own === false ? [] : [idempotencyKeys(), retry(withEvents(own))]), localFailures],
    limits: [
      ...(settings.pace === false ? [] : [pace({ ...shared, ...withEvents(settings.pace ?? {}) })]),
      ...(settings.guard === false ? [] : [guard({ ...shared, ...(settings.wallet && { sends }), ...withEvents(settings.guard ?? {}) })]),
    ],
    request: [timeout(timeoutMs, idleTimeoutMs), noting, ...(onEvent ? [observe(both(undefined, onEvent, redact))] : []), recordSends],
    redact,
  }
}

/** Emits events to both listeners. Each operation id is one of ours. */
function both(
  own: ((event: CallEvent) => void) | undefined,
  onEvent: (event: FareboxEvent) => void,
  redact: Redact,
): (event: CallEvent) => void {
  return (event) => {
    const clean = isForeign(event) ? { ...event, reason: wordOf(event.reason, redact) } : event
    own?.(clean)
    onEvent(clean as FareboxEvent)
  }
}

/** Whether the reason may be the code or the name of a foreign error. */
function isForeign(event: CallEvent): event is Extract<CallEvent, { type: 'failure' | 'retry' | 'give-up' }> {
  return ['failure', 'retry', 'give-up'].includes(event.type) && 'reason' in event && !event.reason.startsWith('status ')
}

/** A longer text is not a code or a name, and may be a credential of a wallet. */
function wordOf(reason: string, redact: Redact): string {
  return reason.length > 64 ? 'failed' : redact(reason)
}

/** Redacts texts that belong to no single call, such as those of shared events. */
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

/** A call of a wallet is signed and sent again after a 401. */
function sends({ operation }: Call): number {
  return operation?.security.some((schemes) => schemes.includes('siwx')) === true ? 2 : 1
}

/**
 * Who sends, as a name without the credential. SDK objects of one process with the same origin,
 * credential and `fetch` have the same name, so they share rate limits and the failure budget.
 */
export function callerIn({ baseUrl, apiKey, wallet, fetch, paceStore }: Settings): string {
  const { origin } = new URL(baseUrl)
  if (typeof apiKey === 'function') {
    if (paceStore) {
      throw misconfigured(
        'paceStore is given with an apiKey that is a function, which other processes cannot compare. Give a text, or pace and guard with caller and store.',
      )
    }
    return `${origin} ${numberOf(apiKey)}`
  }
  // the case of the letters in an EVM address is a checksum
  const address = wallet?.kind === 'evm' ? wallet.address.toLowerCase() : wallet?.address
  const name = callerOf(origin, address ?? apiKey ?? '')
  // a fetch of one's own may lead to another service, such as that of a test
  return fetch && !paceStore ? `${name} ${numberOf(fetch)}` : name
}

const numbers = new WeakMap<object, number>()
let last = 0

function numberOf(value: object): number {
  const number = numbers.get(value) ?? ++last
  numbers.set(value, number)
  return number
}
