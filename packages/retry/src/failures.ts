import type { Blocked } from './slot-queue.js'

/** The record of the sends of one caller. Plain data. Times are milliseconds since 1970. */
export type Failures = {
  /** When sends failed. */
  failed: number[]
  /** The latest successes: time and operation of each. */
  succeeded: [at: number, operation: string][]
  /** Since when how many sends are in flight. */
  inFlight: [since: number, sends: number][]
  /** The service has blocked the caller until this moment. */
  blockedUntil: number
}

/** How the sends of a call ended: never sent, or how many failed. A block is not a failure. */
export type SendsEnd = 'unsent' | { readonly failed: number; readonly blockedUntil?: number }

export type FailureBudget = { readonly failures: number; readonly windowMs: number }

/** More successes than these allow no more sends in flight: 65 times the budget of failures. */
const maxSuccesses = 32

/** A send that is in flight for longer belongs to a process that has ended. */
const longestSendMs = 120_000

export function noFailures(): Failures {
  return { failed: [], succeeded: [], inFlight: [], blockedUntil: 0 }
}

/**
 * Takes slots for a call that makes so many sends, or says why there are none.
 *
 * The failures of the window and those to come stay within the budget. Of the sends in flight all
 * may fail while none of this operation has succeeded within the window. Each success lowers the
 * expected share, and a failure weighs as much as two successes: 12 successes and one failure make
 * 5 of 29.
 */
export function trySend(state: Failures, operation: string, sends: number, now: number, budget: FailureBudget): Blocked | undefined {
  const { failures, windowMs } = budget
  state.failed = state.failed.filter((at) => at > now - windowMs)
  state.inFlight = state.inFlight.filter(([since]) => since > now - longestSendMs)
  if (state.blockedUntil > now) return { at: state.blockedUntil, source: 'server', reason: 'the service has blocked this caller' }
  const failed = state.failed.length
  const over = failed + sends - failures
  if (over > 0) return { at: (state.failed[over - 1] ?? now) + windowMs, source: 'limits' }
  const succeeded = state.succeeded.filter(([at, name]) => name === operation && at > now - windowMs).length
  const weight = 1 + 4 * failed
  const inFlight = state.inFlight.reduce((all, one) => all + one[1], sends)
  if (failed + (inFlight * weight) / (weight + 2 * succeeded) > failures)
    return { source: 'in-flight', reason: 'the sends under way may all fail' }
  state.inFlight.push([now, sends])
  return undefined
}

/** Ends what `trySend` began at that moment. */
export function endSends(state: Failures, operation: string, since: number, sends: number, end: SendsEnd, now: number): void {
  const index = state.inFlight.findIndex((one) => one[0] === since && one[1] === sends)
  if (index >= 0) state.inFlight.splice(index, 1)
  if (end === 'unsent') return
  for (let count = 0; count < end.failed; count++) state.failed.push(now)
  if (end.blockedUntil) state.blockedUntil = Math.max(state.blockedUntil, end.blockedUntil)
  else if (end.failed === 0) state.succeeded = [...state.succeeded.slice(1 - maxSuccesses), [now, operation]]
}
