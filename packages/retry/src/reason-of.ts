import { chainOf } from './never-sent.js'
import type { Outcome } from './should-retry.js'

/** In a word, why an attempt failed: its status, or the code or name of its error. Never its message, which may hold anything. */
export function reasonOf(outcome: Outcome): string {
  if ('response' in outcome) return `status ${outcome.response.status}`
  const { error } = outcome
  const told = chainOf(error).find(({ code }) => typeof code === 'string')
  return told?.code ?? (error instanceof Error ? error.name : 'no answer')
}
