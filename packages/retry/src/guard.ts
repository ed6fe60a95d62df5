import { onAbort, readStart, sleep, withBody, type Call, type Middleware } from '@farebox/middleware'
import { abuseProtection } from '@farebox/types/operations'
import { about, safeEmit, startByOf, type OnEvent } from './events.js'
import { atLeast, formatMessage } from './format-message.js'
import { GuardError, type GuardErrorCode } from './guard-error.js'
import { neverSent } from './never-sent.js'
import { serverTime } from './server-time.js'
import { createTimer } from './timer.js'

export type GuardOptions = {
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
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly onEvent?: OnEvent | undefined
}

type Waiting = {
  readonly call: Call
  readonly cost: number
  readonly admit: () => void
  readonly refuse: (error: unknown) => void
  notified?: boolean
}

/**
 * Stops before the service's abuse protection does (interface specification, "Client rules", rule
 * 3: more than 20 failures within 30 s block the caller for 30 s).
 *
 * At most `failures` sends fail within any window. Each send in flight counts as a failure until
 * its response arrives; calls that exceed the budget wait. When the past failures alone use up the
 * budget, a call fails at once with a GuardError that says when the budget frees. If the service
 * blocks us all the same, all calls are held until the block ends.
 *
 * A send without a response and an aborted send are failures. The 402 that states the price of a
 * top-up, the 429 of the block itself, and a call that was never sent are not.
 */
export function guard(options: GuardOptions = {}): Middleware {
  const { failures = abuseProtection.failures - 2, windowMs = abuseProtection.windowSeconds * 1000, maxWaitMs = 60_000 } = options
  const { blockMs = abuseProtection.blockSeconds * 1000, now = Date.now, wait = sleep, sends = () => 1 } = options
  atLeast(1, 'guard: failures', failures)
  const emit = safeEmit(options.onEvent)
  const queue = new Set<Waiting>()
  const timer = createTimer(() => drain(), { now, wait })
  // when each failure leaves the window, in order of time
  let expiries: number[] = []
  let inFlight = 0
  let blockedUntil = 0

  const drain = () => {
    const time = now()
    expiries = expiries.filter((expiry) => expiry > time)
    // each waiter leaves the queue or ends the loop
    for (const waiter of queue) {
      const over = expiries.length + waiter.cost - failures
      if (blockedUntil > time || (over <= 0 && over + inFlight > 0)) {
        hold(time)
        return
      }
      if (over > 0) refuse(waiter, 'failure_budget', expiries[over - 1] ?? time)
      else if (startByOf(waiter.call) < time) refuse(waiter, 'deadline', time)
      else {
        queue.delete(waiter)
        inFlight += waiter.cost
        waiter.admit()
      }
    }
    timer.clear()
  }

  /** Rejects waiters that cannot wait that long, and sets the timer for the next moment. */
  const hold = (time: number) => {
    const until = blockedUntil > time ? blockedUntil : undefined
    for (const waiter of queue) {
      const startBy = startByOf(waiter.call)
      if (until !== undefined && until > Math.min(startBy, time + maxWaitMs)) refuse(waiter, 'blocked', until)
      else if (startBy < time) refuse(waiter, 'deadline', time)
      else {
        const reason = until === undefined ? 'the sends under way may all fail' : 'the service has blocked this caller'
        notify(waiter, reason, until && until - time)
        timer.set(until ?? startBy + 1)
      }
    }
    if (queue.size === 0) timer.clear()
  }

  const notify = (waiter: Waiting, reason: string, delayMs: number | undefined) => {
    if (waiter.notified) return
    waiter.notified = true
    emit({
      ...about(waiter.call),
      type: 'wait',
      by: 'guard',
      reason,
      delayMs,
      source: delayMs === undefined ? 'in-flight' : 'server',
    })
  }

  const refuse = (waiter: Waiting, code: GuardErrorCode, retryAt: number) => {
    queue.delete(waiter)
    waiter.refuse(refusal(waiter.call, code, retryAt, failures, windowMs))
  }

  const acquire = (call: Call, cost: number) =>
    new Promise<void>((resolve, reject) => {
      if (call.signal?.aborted) throw call.signal.reason
      const stopListening = onAbort(call.signal, () => {
        queue.delete(waiter)
        if (queue.size === 0) timer.clear()
        reject(call.signal?.reason as Error)
      })
      const settle = (end: () => void) => {
        stopListening()
        end()
      }
      const waiter: Waiting = {
        call,
        cost,
        admit: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      }
      queue.add(waiter)
      drain()
    })

  const release = (cost: number, failed: number) => {
    inFlight -= cost
    const expiry = now() + windowMs
    for (let count = 0; count < failed; count++) expiries.push(expiry)
    drain()
  }

  return (next) => async (call) => {
    const cost = Math.min(failures, sends(call))
    await acquire(call, cost)
    let failed = cost
    try {
      const { response, blocked } = await recogniseBlock(await next(call))
      if (blocked) blockedUntil = Math.max(blockedUntil, now() + blockMs, serverTime(response, now()) ?? 0)
      // after a 401 the middleware inside has tried as often as it may: all its tries failed
      failed = blocked || !isFailure(call, response) ? 0 : response.status === 401 ? cost : 1
      return response
    } catch (error) {
      if (neverSent(error)) failed = 0
      throw error
    } finally {
      release(cost, failed)
    }
  }
}

function isFailure({ operation, method, url }: Call, { status }: Response): boolean {
  const isTopUp = method === 'POST' && /\/x402\/top-up(?:[?#]|$)/.test(url)
  return status >= 400 && status !== (operation ? operation.discovery : isTopUp && 402)
}

/** A block and a rate limit are both a 429. The body of a block tells them apart. */
async function recogniseBlock(received: Response): Promise<{ readonly response: Response; readonly blocked: boolean }> {
  if (received.status !== 429) return { response: received, blocked: false }
  const { text, chunks, reader } = await readStart(received, 4096)
  const blocked = /TOO_MANY_FAILURES|too many failed|wait 30 ?s/i.test(text)
  if (!reader) return { response: received, blocked }
  const unread = [...chunks]
  const read = async () => {
    const value = unread.shift()
    return value ? { done: false as const, value } : reader.read()
  }
  return { response: withBody(received, { read, cancel: (reason) => reader.cancel(reason) }), blocked }
}

function refusal(call: Call, code: GuardErrorCode, retryAt: number, failures: number, windowMs: number): GuardError {
  const why = {
    failure_budget: `${failures} requests have failed within ${windowMs / 1000} s, and more would bring the service to block this caller`,
    blocked: 'the service has blocked this caller after too many failures',
    deadline: 'the requests under way may all fail, and none of them ended before the deadline',
  }
  return new GuardError(code, formatMessage(call, `not sent, since ${why[code]}`, retryAt), retryAt)
}
