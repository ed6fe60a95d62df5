import { readAhead, shownUrl, type Call, type Middleware } from '@farebox/middleware'
import { abuseProtection } from '@farebox/types/operations'
import { callerQueues, type CallerOptions } from './caller-queues.js'
import { safeEmit, startByOf, type OnEvent } from './events.js'
import { endSends, noFailures, trySend, type Failures, type SendsEnd } from './failures.js'
import { atLeast, formatMessage } from './format-message.js'
import { GuardError, type GuardErrorCode } from './guard-error.js'
import { neverSent } from './never-sent.js'
import { serverTime } from './server-time.js'

export type GuardOptions = CallerOptions & {
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
   * How many requests the middleware inside may make of one call. Each of them may fail. Default 1.
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
 * within the budget. After `s` successes within the window (32 at most count), a service that turns
 * to failing without a sign fails at most `failures * (1 + 2 * s)` sends: 18, 54 after one success,
 * 162 after four, 1,170 after 32, if so many calls are in flight. That can bring one block.
 * When the past failures alone use up the budget, a call fails at once with a GuardError that says
 * when the budget frees. If the service blocks us all the same, all calls are held until the block
 * ends.
 *
 * A send without a response and an aborted send are failures. The 402 that states the price of a
 * top-up, the 429 of the block itself, and a call that was never sent are not.
 */
export function guard(options: GuardOptions = {}): Middleware {
  const { failures = abuseProtection.failures - 2, windowMs = abuseProtection.windowSeconds * 1000, maxWaitMs = 60_000 } = options
  const { blockMs = abuseProtection.blockSeconds * 1000, sends = () => 1 } = options
  atLeast(1, 'guard: failures', failures)
  const emit = safeEmit(options.onEvent)
  const { now, queueOf } = callerQueues<Failures, SendsEnd>(options)
  const why = {
    failure_budget: `${failures} requests failed within ${windowMs / 1000} s, and more could block this caller`,
    blocked: 'the service has blocked this caller',
    deadline: 'the sends under way may all fail until deadlineMs',
  }

  return (next) => async (call) => {
    const cost = Math.min(failures, sends(call))
    const operation = call.operation?.id ?? `${call.method} ${shownUrl(call.url)}`
    const startBy = startByOf(call)
    const refusal = (code: GuardErrorCode, retryAt: number) =>
      new GuardError(code, formatMessage(call, `not sent: ${why[code]}`, retryAt), retryAt)
    const release = await queueOf('', noFailures).acquire({
      call,
      by: 'guard',
      priority: 0,
      emit,
      take: (state, time) => trySend(state, operation, cost, time, { failures, windowMs }),
      giveBack: (state, takenAt, ended) => endSends(state, operation, takenAt, cost, ended, now()),
      refusal: ({ at = 0, source }, time) => {
        if (source === 'limits') return refusal('failure_budget', at)
        if (at > Math.min(startBy, time + maxWaitMs)) return refusal('blocked', at)
        return startBy < time ? refusal('deadline', time) : undefined
      },
    })
    let end: SendsEnd = { failed: cost }
    try {
      const { response, blocked } = await recogniseBlock(await next(call))
      const { status } = response
      // after a 401 the middleware inside has tried as often as it may: all its tries failed
      end = { failed: !isFailure(call, status) ? 0 : status === 401 ? cost : 1 }
      if (blocked) end = { failed: 0, blockedUntil: Math.max(now() + blockMs, serverTime(response, now()) ?? 0) }
      return response
    } catch (error) {
      if (neverSent(error)) end = 'unsent'
      throw error
    } finally {
      void release(end)
    }
  }
}

function isFailure({ operation, method, url }: Call, status: number): boolean {
  const isTopUp = method === 'POST' && /\/x402\/top-up(?:[?#]|$)/.test(url)
  return status >= 400 && status !== (operation ? operation.discovery : isTopUp && 402)
}

/** A block and a rate limit are both a 429. The body of a block tells them apart. */
async function recogniseBlock(response: Response): Promise<{ readonly response: Response; readonly blocked?: boolean }> {
  if (response.status !== 429) return { response }
  const { text, response: whole } = await readAhead(response, 4096)
  return { response: whole, blocked: /TOO_MANY_FAILURES|too many failed|wait 30 ?s/i.test(text) }
}
