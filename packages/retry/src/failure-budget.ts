import { readAhead, shownUrl, type Call, type Middleware } from '@farebox/middleware'
import { abuseProtection } from '@farebox/types/operations'
import { createCallerQueues, type CallerOptions } from './caller.js'
import {
  requireAtLeast,
  formatMessage,
  FailureBudgetError,
  type FailureBudgetErrorCode,
} from './errors.js'
import { createSafeEmit, type OnEvent } from './events.js'
import { wasNeverSent } from './outcome.js'
import { serverTime } from './response-headers.js'
import { findLatestStart, type SlotDelay } from './slot-queue.js'

export type FailureBudgetOptions = CallerOptions & {
  /**
   * How many sends may fail within the window. Default 18: the service blocks at the 21st, and
   * other programs may share the credential.
   */
  readonly failures?: number
  /** Default 30,000. */
  readonly windowMs?: number
  /**
   * How long all calls are held after the service has blocked us, in milliseconds; longer if the
   * response says so. Default 30,000.
   */
  readonly blockMs?: number
  /** Calls fail at once when a block ends later than this, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /**
   * How many requests the inner middleware may make for one call. Each of them may fail. Default 1.
   * A sign-in that signs again after a 401 makes 2.
   */
  readonly sends?: (call: Call) => number
  readonly onEvent?: OnEvent | undefined
}

/**
 * Stops before the service's abuse protection does (interface specification, "Client rules", rule
 * 3: more than 20 failures within 30 s block the caller for 30 s).
 *
 * Until a send of an operation has succeeded within the window, at most `failures` sends can fail:
 * each send in flight counts as a failure, and calls that exceed the budget wait. Each success lets
 * more calls in flight, and each failure fewer, so that the failures seen and those expected stay
 * within the budget. After `s` successes within the window (32 at most count), a service that
 * starts to fail without a sign fails at most `failures * (1 + 2 * s)` sends: 18, 54 after one
 * success, 162 after four, 1,170 after 32, if so many calls are in flight. That can bring one
 * block. When the past failures by themselves use up the budget, a call fails at once with a
 * FailureBudgetError that says when the budget frees. If the service still blocks us, all calls are held
 * until the block ends.
 *
 * A send without a response and an aborted send are failures. The 402 that states the price of a
 * top-up, the 429 of the block itself, and a call that was never sent are not.
 *
 * @example
 * ```ts
 * const limitedFetch = withMiddleware(fetch, retry(), rateLimit(), failureBudget())
 * ```
 */
export function failureBudget(options: FailureBudgetOptions = {}): Middleware {
  const {
    failures = abuseProtection.failures - 2,
    windowMs = abuseProtection.windowSeconds * 1000,
    blockMs = abuseProtection.blockSeconds * 1000,
    maxWaitMs = 60_000,
  } = options
  requireAtLeast(1, 'failureBudget: failures', failures)
  const emit = createSafeEmit(options.onEvent)
  const { now, queue } = createCallerQueues<SendHistory, SendsOutcome, SendsCost>(options)
  const reasons = {
    failure_budget: `${failures} requests failed within ${windowMs / 1000} s, and more could block this caller`,
    blocked: 'the service has blocked this caller',
    deadline: 'the requests in flight may all fail until deadlineMs',
  }

  return (next) => async (call) => {
    const sends = Math.min(failures, options.sends?.(call) ?? 1)
    const startBy = findLatestStart(call)
    const createGuardError = (code: FailureBudgetErrorCode, retryAt: number) =>
      new FailureBudgetError(
        code,
        formatMessage(call, `not sent: ${reasons[code]}`, retryAt),
        retryAt,
      )
    const release = await queue('', createHistory).acquire({
      call,
      cost: {
        sends,
        operation: call.operation?.id ?? `${call.method} ${shownUrl(call.url)}`,
        failures,
        windowMs,
      },
      by: 'failureBudget',
      priority: 0,
      emit,
      take: beginSends,
      giveBack: endSends,
      waitError: ({ at = 0, source }, time) => {
        if (source === 'limits') return createGuardError('failure_budget', at)
        if (at > Math.min(startBy, time + maxWaitMs)) return createGuardError('blocked', at)
        return startBy < time ? createGuardError('deadline', time) : undefined
      },
    })
    let outcome: SendsOutcome = { failed: sends }
    try {
      let response = await next(call)
      const { status } = response
      // after a 401 the inner middleware has tried as often as it may: all its attempts failed
      outcome = {
        failed: status < 400 || isPriceQuery(call, status) ? 0 : status === 401 ? sends : 1,
      }
      // a block and a rate limit are both a 429: only the body distinguishes them
      if (status === 429) {
        const start = await readAhead(response, 4096)
        response = start.response
        if (/TOO_MANY_FAILURES|too many failed|wait 30 ?s/i.test(start.text))
          outcome = {
            failed: 0,
            blockedUntil: Math.max(now() + blockMs, serverTime(response, now()) ?? 0),
          }
      }
      return response
    } catch (error) {
      if (wasNeverSent(error)) outcome = 'unsent'
      throw error
    } finally {
      void release(outcome)
    }
  }
}

/** Whether the response states the price of a top-up. */
function isPriceQuery({ operation, method, url }: Call, status: number): boolean {
  const isTopUp = method === 'POST' && /\/x402\/top-up(?:[?#]|$)/.test(url)
  return status === (operation ? operation.discovery : isTopUp && 402)
}

/** The recent sends of one caller. Plain data. Times are milliseconds since 1970. */
type SendHistory = {
  /** When sends failed. */
  failed: number[]
  /** The latest successes: time and operation of each. */
  succeeded: [at: number, operation: string][]
  /** How many sends are in flight, and since when. */
  inFlight: [since: number, sends: number][]
  /** The service has blocked the caller until this moment. */
  blockedUntil: number
}

/** How the sends of a call ended: never sent, or how many failed. A block is not a failure. */
type SendsOutcome = 'unsent' | { readonly failed: number; readonly blockedUntil?: number }

/** How many requests a call of an operation may make, and the budget of their failures. */
type SendsCost = {
  readonly sends: number
  readonly operation: string
  readonly failures: number
  readonly windowMs: number
}

/** More successes than these allow no more sends in flight: 65 times the budget of failures. */
const maxSuccesses = 32

/** A send that is in flight for longer belongs to a process that has ended. */
const longestSendMs = 120_000

function createHistory(): SendHistory {
  return { failed: [], succeeded: [], inFlight: [], blockedUntil: 0 }
}

/**
 * Takes slots for a call that makes so many sends, or says why there are none.
 *
 * The failures of the window and those to come stay within the budget. All sends in flight may fail
 * while none of this operation has succeeded within the window. Each success lowers the expected
 * share of failures, and a failure weighs as much as two successes: after 12 successes and one
 * failure, 5 of 29 are expected to fail.
 */
function beginSends(
  history: SendHistory,
  now: number,
  { sends, operation, failures, windowMs }: SendsCost,
): SlotDelay | undefined {
  history.failed = history.failed.filter((at) => at > now - windowMs)
  history.inFlight = history.inFlight.filter(([since]) => since > now - longestSendMs)
  if (history.blockedUntil > now)
    return {
      at: history.blockedUntil,
      source: 'server',
      reason: 'the service has blocked this caller',
    }
  const failed = history.failed.length
  const excess = failed + sends - failures
  if (excess > 0) return { at: (history.failed[excess - 1] ?? now) + windowMs, source: 'limits' }
  let succeeded = 0
  for (const [at, name] of history.succeeded)
    if (name === operation && at > now - windowMs) succeeded++
  const weight = 1 + 4 * failed
  const inFlight = history.inFlight.reduce((sum, entry) => sum + entry[1], sends)
  if (failed + (inFlight * weight) / (weight + 2 * succeeded) > failures)
    return { source: 'in-flight', reason: 'the requests in flight may all fail' }
  history.inFlight.push([now, sends])
  return undefined
}

/** Ends what `beginSends` began at `since`. */
function endSends(
  history: SendHistory,
  since: number,
  { sends, operation }: SendsCost,
  outcome: SendsOutcome,
  now: number,
): void {
  for (const [index, [began, count]] of history.inFlight.entries())
    if (began === since && count === sends) {
      history.inFlight.splice(index, 1)
      break
    }
  if (outcome === 'unsent') return
  for (let count = 0; count < outcome.failed; count++) history.failed.push(now)
  if (outcome.blockedUntil)
    history.blockedUntil = Math.max(history.blockedUntil, outcome.blockedUntil)
  else if (outcome.failed === 0)
    history.succeeded = [...history.succeeded.slice(1 - maxSuccesses), [now, operation]]
}
