import { chainOf } from './never-sent.js'
import type { Outcome } from './should-retry.js'

/**
 * Why an attempt failed: its status, or the code or name of its error. A message may hold secrets.
 */
export function reasonOf(outcome: Outcome): string {
  if ('response' in outcome) return `status ${outcome.response.status}`
  const { error } = outcome
  const coded = chainOf(error).find(({ code }) => typeof code === 'string')
  return coded?.code ?? (error instanceof Error ? error.name : 'no answer')
}
