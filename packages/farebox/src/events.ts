import type { OperationId } from '@farebox/types/operations'

/** What `onEvent` is told. No event holds a credential, a body or a header. */
export type FareboxEvent =
  | { readonly type: 'send'; readonly operation: OperationId | undefined; readonly method: string; readonly url: string }
  | { readonly type: 'response'; readonly operation: OperationId | undefined; readonly status: number; readonly durationMs: number }
  | {
      readonly type: 'retry'
      readonly operation: OperationId | undefined
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  | { readonly type: 'top-up'; readonly amountUsd: number }
