import { compose, fetchSend, type Call, type Middleware, type Send } from '@farebox/middleware'
import {
  nameCaller,
  failureBudget,
  idempotencyKeys,
  observe,
  rateLimit,
  retry,
  type CallEvent,
  type RetryOptions,
} from '@farebox/retry'
import { localFailures, recordSends, type SendFor } from './call.js'
import { createConfigurationError } from './error.js'
import type { FareboxEvent, Settings } from './options.js'
import { createRedactor, readCredentials, type Redact } from './redact.js'
import { timeout } from './timeout.js'

/** The middleware of one SDK object. Objects of one caller share rate limits and failure budget. */
export type Chain = {
  /** The key under which limits are shared. */
  readonly caller: string
  /** The sends of calls. `access` signs in or pays. `outermost` sees a call before its retries. */
  readonly sendFor: (access: readonly Middleware[], outermost?: readonly Middleware[]) => SendFor
  /** Sends a download: with retries and timeouts, without limits and credentials. */
  readonly createDownloadSend: () => Send
  /** Hides the credentials of the last requests. */
  readonly redact: Redact
}

/** `top-up → retry → rateLimit → failureBudget → access → timeout → events → fetch` */
export function createChain(settings: Settings): Chain {
  const { onEvent, timeoutMs, idleTimeoutMs } = settings
  const recent: Headers[] = []
  const redact: Redact = (text) => createRedactor(recent.flatMap(readCredentials))(text)
  const caller = describeCaller(settings)
  const shared = { caller, store: settings.limitStore }
  const withEvents = <
    Options extends { readonly onEvent?: ((event: CallEvent) => void) | undefined },
  >(
    options: Options,
  ) => ({
    ...options,
    ...(onEvent && { onEvent: joinListeners(options.onEvent, onEvent, redact) }),
  })
  const retries = (options = settings.retry ?? {}) => [
    // a key is one for all attempts, so it is set outside of retry
    ...(options === false ? [] : [idempotencyKeys(), retry(withEvents(options))]),
    // inside of retry, which reads what it marks, and outside of all that can throw before the send
    localFailures,
  ]
  const limits = [
    // inside of retry: every attempt counts; outside of access: a wait must not age a signature
    ...(settings.rateLimit === false
      ? []
      : [rateLimit({ ...shared, ...withEvents(settings.rateLimit ?? {}) })]),
    ...(settings.failureBudget === false
      ? []
      : [
          failureBudget({
            ...shared,
            ...(settings.wallet && { sends: countSends }),
            ...withEvents(settings.failureBudget ?? {}),
          }),
        ]),
  ]
  const request = [
    // inside of access: a person who signs in a wallet has no time limit
    timeout(timeoutMs, idleTimeoutMs),
    ...(onEvent ? [observe(joinListeners(undefined, onEvent, redact))] : []),
    // innermost: no middleware holds back a request that is counted, or changes its credentials
    recordSends(recent),
  ]
  const fetch = fetchSend(settings.fetch ?? ((url, init) => globalThis.fetch(url, init)))

  return {
    caller,
    sendFor: (access, outermost = []) => {
      const attempt = compose(fetch, [...limits, ...access, ...request])
      const withRetries = (options?: RetryOptions | false) =>
        compose(attempt, [...outermost, ...retries(options)])
      const send = withRetries()
      return (options) => (options.retry === undefined ? send : withRetries(options.retry))
    },
    createDownloadSend: () => compose(fetch, [...retries(), ...request]),
    redact,
  }
}

/** Emits each event to both listeners, without credentials. The cast is safe: only SDK operations are sent. */
function joinListeners(
  listener: ((event: CallEvent) => void) | undefined,
  onEvent: (event: FareboxEvent) => void,
  redact: Redact,
): (event: CallEvent) => void {
  return (event) => {
    const clean = hasForeignReason(event)
      ? { ...event, reason: cleanReason(event.reason, redact) }
      : event
    listener?.(clean)
    onEvent(clean as FareboxEvent)
  }
}

/** Whether the reason may be the code or the name of a foreign error. */
function hasForeignReason(
  event: CallEvent,
): event is Extract<CallEvent, { type: 'failure' | 'retry' | 'give-up' }> {
  return (
    ['failure', 'retry', 'give-up'].includes(event.type) &&
    'reason' in event &&
    !event.reason.startsWith('status ')
  )
}

/** A longer string is not a code or a name, and may be a credential of a wallet. */
function cleanReason(reason: string, redact: Redact): string {
  return reason.length > 64 ? 'failed' : redact(reason)
}

/** A call of a wallet is signed and sent again after a 401. */
function countSends({ operation }: Call): number {
  return operation?.security.some((schemes) => schemes.includes('siwx')) === true ? 2 : 1
}

/**
 * Who sends, as a name without the credential. SDK objects of one process with the same origin,
 * credential and `fetch` have the same name, so they share rate limits and the failure budget.
 */
function describeCaller({ baseUrl, apiKey, wallet, fetch, limitStore }: Settings): string {
  const { origin } = new URL(baseUrl)
  if (typeof apiKey === 'function') {
    if (limitStore) {
      throw createConfigurationError(
        'limitStore needs an apiKey that other processes can compare, and yours is a function. Pass a string, or set caller and store in rateLimit and failureBudget.',
      )
    }
    return `${origin} ${numberObject(apiKey)}`
  }
  // the case of the letters in an EVM address is a checksum
  const address = wallet?.kind === 'evm' ? wallet.address.toLowerCase() : wallet?.address
  const name = nameCaller(origin, address ?? apiKey ?? '')
  // a custom fetch may lead to another service, such as one of a test
  return fetch && !limitStore ? `${name} ${numberObject(fetch)}` : name
}

const numbers = new WeakMap<object, number>()
let lastNumber = 0

/** A number that tells objects of this process apart. */
function numberObject(value: object): number {
  const number = numbers.get(value) ?? ++lastNumber
  numbers.set(value, number)
  return number
}
