import type { Outcome } from './should-retry.js'

/** In a word, why an attempt failed: its status, or the code or name of its error. Never its message, which may hold anything. */
export function reasonOf(outcome: Outcome): string {
  if ('response' in outcome) return `status ${outcome.response.status}`
  const { error } = outcome
  const code = codeOf(error) ?? codeOf((error as { readonly cause?: unknown } | null | undefined)?.cause)
  return code ?? (error instanceof Error ? error.name : 'no answer')
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
