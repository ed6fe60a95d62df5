import { randomUUID } from 'node:crypto'
import type { Context } from './command.js'

/** What goes along with a call that costs something. */
export type PaidCall = {
  readonly idempotencyKey: string
  readonly options: { readonly signal: AbortSignal }
}

/** The key is the user's own, or one that an error can name, so that the same thing can be asked for again without paying twice. */
export function paidCall({ arguments: given, signal }: Context): PaidCall {
  return { idempotencyKey: given.text('idempotency-key') ?? `farebox-${randomUUID()}`, options: { signal } }
}
