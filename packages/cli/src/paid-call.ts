import { randomUUID } from 'node:crypto'
import type { Context } from './command.js'

/** The options of a call that costs credit. */
export type PaidCall = {
  readonly idempotencyKey: string
  readonly options: { readonly signal: AbortSignal; readonly idempotencyKey: string }
}

/**
 * The user's Idempotency-Key, or a new one that an error message names, so that the call can be
 * repeated without paying twice.
 */
export function paidCall({ arguments: given, signal }: Context): PaidCall {
  const idempotencyKey = given.text('idempotency-key') ?? `farebox-${randomUUID()}`
  return { idempotencyKey, options: { signal, idempotencyKey } }
}
