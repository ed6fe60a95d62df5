import { Finding, Skipped, type Check, type Subject } from './check.js'
import { access } from './checks/access.js'
import { catalogue } from './checks/catalogue.js'
import { keys } from './checks/keys.js'
import { paying } from './checks/payment.js'
import { work } from './checks/work.js'

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
}

/** Runs them one after the other, as many as there are, and gives what came of each. An abort ends it with the signal's reason. */
export async function* verify(subject: Subject, signal: AbortSignal, chosen: readonly Check[] = checks): AsyncGenerator<Result> {
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

function outcomeOf(error: unknown): Pick<Result, 'status' | 'expected' | 'found' | 'reason'> {
  if (error instanceof Skipped) return { status: 'skipped', reason: error.message }
  if (error instanceof Finding) return { status: 'failed', expected: error.expected, found: error.found }
  // a connection that broke, an answer that never came: it is the service's all the same
  return { status: 'failed', expected: 'an answer', found: error instanceof Error ? causeOf(error) : String(error) }
}

function causeOf(error: Error): string {
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? `${error.message} (${cause.message})` : error.message
}
