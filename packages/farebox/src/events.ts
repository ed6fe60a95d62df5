import type { CallEvent } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'

/**
 * The events that `onEvent` receives: each send, response, failure, retry, wait and give-up of a
 * call, with its attempt, reason, delay and the source of the delay, each top-up, and once that the
 * service takes no sign-in twice, so that `reuse` has no effect. No event holds a credential, a
 * body or a header.
 */
export type FareboxEvent =
  | (CallEvent & { readonly operation: OperationId | undefined })
  | { readonly type: 'top-up'; readonly amountUsd: number }
  | { readonly type: 'reuse-refused' }
