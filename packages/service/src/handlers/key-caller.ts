import type { Caller } from '../domain/accounts/authenticate.js'

/** The caller of an operation that takes API keys alone. */
export function keyCaller(caller: Caller): Extract<Caller, { readonly kind: 'key' }> {
  if (caller.kind === 'key') return caller
  throw new Error(`An operation for API keys alone was reached by a caller of kind ${caller.kind}`)
}
