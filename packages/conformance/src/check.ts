/** One requirement, and its check. */
export type CheckOn<Subject> = {
  readonly id: string
  /** The requirement that holds when the check passes. */
  readonly title: string
  /** The place of the requirement in the contract or the specification. */
  readonly rule: string
  /** Throws `Finding` if the requirement is violated, and `SkipError` if the check cannot decide. */
  readonly run: (subject: Subject) => Promise<void>
}

/** The result of one check. */
export type Result = {
  readonly id: string
  readonly title: string
  readonly rule: string
  readonly status: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  /** Set for a failed check. */
  readonly expected?: string
  readonly found?: string
  /** Set for a skipped check. */
  readonly reason?: string
  /** The option that a skipped check needs, if it needs one. */
  readonly needs?: Need
}

/** Runs the checks one after the other, and yields the result of each. */
export async function* runChecks<Subject>(
  checks: readonly CheckOn<Subject>[],
  subject: Subject,
  signal: AbortSignal,
): AsyncGenerator<Result, void, undefined> {
  for (const { id, title, rule, run } of checks) {
    const start = performance.now()
    const outcome = await run(subject).then(
      () => ({ status: 'passed' as const }),
      (error: unknown) => toOutcome(error),
    )
    signal.throwIfAborted()
    yield { id, title, rule, ms: Math.round(performance.now() - start), ...outcome }
  }
}

function toOutcome(
  error: unknown,
): Pick<Result, 'status' | 'expected' | 'found' | 'reason' | 'needs'> {
  if (error instanceof SkipError)
    return { status: 'skipped', reason: error.message, ...(error.needs && { needs: error.needs }) }
  if (error instanceof Finding)
    return { status: 'failed', expected: error.expected, found: error.found }
  // a broken connection or a missing response is a fault of the service as well
  return {
    status: 'failed',
    expected: 'a response',
    found: error instanceof Error ? describeCause(error) : String(error),
  }
}

function describeCause(error: Error): string {
  const { cause } = error
  return cause instanceof Error && cause.message !== ''
    ? `${error.message} (${cause.message})`
    : error.message
}

/** The service violates the contract. */
export class Finding extends Error {
  override readonly name = 'Finding'
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
  }
}

/** The option of `verify` that lets a skipped check run. */
export type Need = 'apiKey' | 'wallet' | 'spendUsd' | 'topUpUsd' | 'payInline'

/** The check cannot decide whether the service fulfills the contract. */
export class SkipError extends Error {
  override readonly name = 'SkipError'
  readonly needs: Need | undefined

  constructor(reason: string, needs?: Need) {
    super(reason)
    this.needs = needs
  }
}

/** Throws a `Finding` unless it holds. */
export function must(holds: boolean, expected: string, value: unknown): asserts holds {
  if (!holds) throw new Finding(expected, shorten(value))
}

/** Formats a value for a finding, in at most 300 characters. */
export function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
