import type { Outcome } from './should-retry.js'

/** In a word, why an attempt failed: its status, or the code or name of its error. Never its message, which may hold anything. */
export function reasonOf(outcome: Outcome): string {
  if ('response' in outcome) return `status ${outcome.response.status}`
  const { error } = outcome
  const { code, cause } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly code?: unknown
    readonly cause?: unknown
  }
  if (typeof code === 'string') return code
  const inner = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  if (typeof inner === 'string') return inner
  return error instanceof Error ? error.name : 'no answer'
}
