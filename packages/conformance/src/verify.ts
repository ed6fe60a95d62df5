import type { Check } from './check.js'
import { access } from './checks/access.js'
import { catalogue } from './checks/catalogue.js'
import { inlinePayment } from './checks/inline-payment.js'
import { keys } from './checks/keys.js'
import { paying } from './checks/payment.js'
import { work } from './checks/work.js'
import { Finding, Skipped, type Need } from './finding.js'
import { createSubject, type SubjectOptions } from './subject.js'

/** In the order in which they run: the top-up comes before the checks that it pays for. */
export const checks: readonly Check[] = [
  ...catalogue,
  ...access,
  ...paying,
  ...inlinePayment,
  ...keys,
  ...work,
]

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

export type VerifyOptions = SubjectOptions & {
  /** Ends the run with the signal's reason. */
  readonly signal?: AbortSignal
  /** The checks to run, in this order. Default: all of `checks`. */
  readonly checks?: readonly Check[]
}

/**
 * Runs the checks one after the other and yields the result of each. It is free unless `spendUsd`,
 * `topUpUsd` or `payInline` is set: the wallets are generated for this run. It stays below the rate
 * limits and the abuse limit of the service, so it may wait for up to a minute. Throws `TypeError`
 * for invalid options.
 */
export async function* verify(options: VerifyOptions): AsyncGenerator<Result, void, undefined> {
  const { signal = new AbortController().signal, checks: chosen = checks } = options
  const subject = createSubject(options, signal)
  for (const { id, title, rule, run } of chosen) {
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
  if (error instanceof Skipped)
    return { status: 'skipped', reason: error.message, ...(error.needs && { needs: error.needs }) }
  if (error instanceof Finding)
    return { status: 'failed', expected: error.expected, found: error.found }
  // a broken connection or a missing response is a fault of the service as well
  return {
    status: 'failed',
    expected: 'an answer',
    found: error instanceof Error ? describeCause(error) : String(error),
  }
}

function describeCause(error: Error): string {
  const { cause } = error
  return cause instanceof Error && cause.message !== ''
    ? `${error.message} (${cause.message})`
    : error.message
}
