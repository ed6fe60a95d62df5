import type { CallEvent } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'

/**
 * The events that `onEvent` receives: each send, response, failure, retry, wait and give-up of a
 * call, with its attempt, reason, delay and the source of the delay, and each top-up. No event
 * holds a credential, a body or a header.
 */
export type FareboxEvent =
  | (CallEvent & { readonly operation: OperationId | undefined })
  | { readonly type: 'top-up'; readonly amountUsd: number }
