import type { Check } from './check.js'
import { access } from './checks/access.js'
import { catalogue } from './checks/catalogue.js'
import { keys } from './checks/keys.js'
import { paying } from './checks/payment.js'
import { work } from './checks/work.js'
import { Finding, Skipped, type Need } from './finding.js'
import { createSubject, type SubjectOptions } from './subject.js'

/** In the order in which they run: a top-up before what is paid with it. */
export const checks: readonly Check[] = [...catalogue, ...access, ...paying, ...keys, ...work]

export type Result = {
  readonly id: string
  readonly title: string
  readonly rule: string
  readonly status: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  /** Of a check that failed. */
  readonly expected?: string
  readonly found?: string
  /** Of a check that was skipped. */
  readonly reason?: string
  /** Of a check that was skipped for want of an option: the option. */
  readonly needs?: Need
}

export type VerifyOptions = SubjectOptions & {
  /** Ends the run with the signal's reason. */
  readonly signal?: AbortSignal
  /** The checks to run, in this order. Default: all of `checks`. */
  readonly checks?: readonly Check[]
}

/**
 * Runs the checks one after the other and gives the result of each. Costs nothing unless `spendUsd` or `topUpUsd` is set: the wallets are made for
 * this run. Stays below the rate limits and the abuse limit of the service, so a run may wait for up to a minute. Throws `TypeError` when the
 * options cannot work.
 */
export async function* verify(options: VerifyOptions): AsyncGenerator<Result, void, undefined> {
  const { signal = new AbortController().signal, checks: chosen = checks } = options
  const subject = createSubject(options, signal)
  for (const { id, title, rule, run } of chosen) {
    const start = performance.now()
    const outcome = await run(subject).then(
      () => ({ status: 'passed' as const }),
      (error: unknown) => outcomeOf(error),
    )
    signal.throwIfAborted()
    yield { id, title, rule, ms: Math.round(performance.now() - start), ...outcome }
  }
}

function outcomeOf(error: unknown): Pick<Result, 'status' | 'expected' | 'found' | 'reason' | 'needs'> {
  if (error instanceof Skipped) return { status: 'skipped', reason: error.message, ...(error.needs && { needs: error.needs }) }
  if (error instanceof Finding) return { status: 'failed', expected: error.expected, found: error.found }
  // a connection that broke, an answer that never came: it is the service's all the same
  return { status: 'failed', expected: 'an answer', found: error instanceof Error ? causeOf(error) : String(error) }
}

function causeOf(error: Error): string {
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? `${error.message} (${cause.message})` : error.message
}
