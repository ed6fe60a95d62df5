import type { Call, Middleware } from '@farebox/middleware'
import { abuseProtection } from '@farebox/types/operations'
import { alarm } from './alarm.js'
import { about, startByOf, teller, type OnEvent } from './events.js'
import { GuardError, type GuardErrorCode } from './guard-error.js'
import { neverSent } from './never-sent.js'
import { onAbort } from './on-abort.js'
import { peek } from './peek.js'
import { serverTime } from './server-time.js'
import { sleep } from './sleep.js'
import { atLeast, words } from './words.js'

export type GuardOptions = {
  /** How many sends may fail within the window. Default 18: the service blocks at the 21st, and others may share the credential. */
  readonly failures?: number
  /** Default 30,000. */
  readonly windowMs?: number
  /** How long everything is held after the service has blocked us, in milliseconds; longer where the answer says so. Default 30,000. */
  readonly blockMs?: number
  /** A block that ends later than this is not waited for: calls fail at once, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /** How many requests what is inside may make of a call, each of which may fail. Default 1; a sign-in that signs again after a 401 makes 2. */
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
  told?: boolean
}

/**
 * Stops before the service's abuse protection does (interface specification, "Client rules", rule 3: more than 20 failures within 30 s
 * block the caller for 30 s).
 *
 * At most `failures` sends fail within any window. Each send under way counts as a failure to come: what does not fit beside them waits for
 * them. When the failures alone use the budget up, a call fails at once with a GuardError that says when it frees. Should the service
 * block us all the same, its answer is recognised and everything is held until the block is over. Not a failure: asking what a top-up
 * costs, the block's own answer, and what was never sent. A send that got no answer is one, and so is one that was aborted.
 */
export function guard(options: GuardOptions = {}): Middleware {
  const { failures = abuseProtection.failures - 2, windowMs = abuseProtection.windowSeconds * 1000, maxWaitMs = 60_000 } = options
  const { blockMs = abuseProtection.blockSeconds * 1000, now = Date.now, wait = sleep, sends = () => 1 } = options
  atLeast(1, 'guard: failures', failures)
  const inform = teller(options.onEvent)
  const queue = new Set<Waiting>()
  const timer = alarm(() => drain(), { now, wait })
  // when failures stop to count
  let expiries: number[] = []
  let flying = 0
  let blockedUntil = 0

  const drain = () => {
    const time = now()
    expiries = expiries.filter((expiry) => expiry > time)
    // each that is looked at leaves the queue, or ends the walk
    for (const waiter of queue) {
      const over = expiries.length + waiter.cost - failures
      if (blockedUntil > time || (over <= 0 && over + flying > 0)) {
        hold(time)
        return
      }
      // the failures stand in order of time
      if (over > 0) refuse(waiter, 'failure_budget', expiries[over - 1] ?? time)
      else if (startByOf(waiter.call) < time) refuse(waiter, 'deadline', time)
      else {
        queue.delete(waiter)
        flying += waiter.cost
        waiter.admit()
      }
    }
    timer.clear()
  }

  /** Refuses whoever cannot wait so long, and looks again when the block ends, or when the first deadline passes. */
  const hold = (time: number) => {
    const until = blockedUntil > time ? blockedUntil : undefined
    for (const waiter of queue) {
      const startBy = startByOf(waiter.call)
      if (until !== undefined && until > Math.min(startBy, time + maxWaitMs)) refuse(waiter, 'blocked', until)
      else if (startBy < time) refuse(waiter, 'deadline', time)
      else {
        const reason = until === undefined ? 'the sends under way may all fail' : 'the service has blocked this caller'
        tell(waiter, reason, until && until - time)
        timer.set(until ?? startBy + 1)
      }
    }
    if (queue.size === 0) timer.clear()
  }

  const tell = (waiter: Waiting, reason: string, delayMs: number | undefined) => {
    if (waiter.told) return
    waiter.told = true
    inform({
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

  const enter = (call: Call, cost: number) =>
    new Promise<void>((resolve, reject) => {
      if (call.signal?.aborted) throw call.signal.reason
      const silence = onAbort(call.signal, () => {
        queue.delete(waiter)
        if (queue.size === 0) timer.clear()
        reject(call.signal?.reason as Error)
      })
      const settle = (end: () => void) => {
        silence()
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

  const leave = (cost: number, failed: number) => {
    flying -= cost
    const expiry = now() + windowMs
    for (let count = 0; count < failed; count++) expiries.push(expiry)
    drain()
  }

  return (next) => async (call) => {
    const cost = Math.min(failures, sends(call))
    await enter(call, cost)
    let failed = cost
    try {
      const answer = await next(call)
      const { response, blocked } = await recognise(answer)
      if (blocked) blockedUntil = Math.max(blockedUntil, now() + blockMs, serverTime(response, now()) ?? 0)
      // a 401 after which what is inside tried again has failed as often as it tried
      failed = blocked || !isFailure(call, response) ? 0 : response.status === 401 ? cost : 1
      return response
    } catch (error) {
      if (neverSent(error)) failed = 0
      throw error
    } finally {
      leave(cost, failed)
    }
  }
}

function isFailure({ operation, method, url }: Call, { status }: Response): boolean {
  // the same calls that `payment` pays for
  const isTopUp = operation ? operation.id === 'topUp' : method === 'POST' && /\/x402\/top-up(?:[?#]|$)/.test(url)
  return status >= 400 && !(status === 402 && isTopUp)
}

/** The block is a 429 (DESIGN, "Service, abuse"), which a rate limit is too: the words tell, in the body as code or message. */
async function recognise(answer: Response): Promise<{ readonly response: Response; readonly blocked: boolean }> {
  if (answer.status !== 429) return { response: answer, blocked: false }
  const { text, response } = await peek(answer)
  return { response, blocked: /TOO_MANY_FAILURES|too many failed|wait 30 ?s/i.test(text) }
}

function refusal(call: Call, code: GuardErrorCode, retryAt: number, failures: number, windowMs: number): GuardError {
  const why = {
    failure_budget: `${failures} requests have failed within ${windowMs / 1000} s, and more would bring the service to block this caller`,
    blocked: 'the service has blocked this caller after too many failures',
    deadline: 'the requests under way may all fail, and none of them ended before the deadline',
  }
  return new GuardError(code, words(call, `not sent, since ${why[code]}`, retryAt), retryAt)
}
