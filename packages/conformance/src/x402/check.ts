import { Finding, Skipped } from '../finding.js'
import type { Result } from '../verify.js'

/** One rule of x402, and its check. */
export type X402Check<Subject> = {
  readonly id: string
  /** What holds if the check passes. */
  readonly title: string
  /** Where the rule stands. */
  readonly rule: string
  /** Throws `Finding` if the rule is violated, and `Skipped` if the check cannot decide. */
  readonly run: (subject: Subject) => Promise<void>
}

export type X402Result = Omit<Result, 'needs'>

/** Runs the checks in sequence, and yields the result of each. */
export async function* runChecks<Subject>(
  checks: readonly X402Check<Subject>[],
  subject: Subject,
  signal: AbortSignal,
): AsyncGenerator<X402Result, void, undefined> {
  for (const { id, title, rule, run } of checks) {
    const start = performance.now()
    const outcome = await run(subject).then(
      () => ({ status: 'passed' as const }),
      (error: unknown) => describeOutcome(error),
    )
    signal.throwIfAborted()
    yield { id, title, rule, ms: Math.round(performance.now() - start), ...outcome }
  }
}

function describeOutcome(
  error: unknown,
): Pick<X402Result, 'status' | 'expected' | 'found' | 'reason'> {
  if (error instanceof Skipped) return { status: 'skipped', reason: error.message }
  if (error instanceof Finding)
    return { status: 'failed', expected: error.expected, found: error.found }
  return { status: 'failed', expected: 'a response', found: String(error) }
}
