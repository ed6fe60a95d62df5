import { getEventListeners } from 'node:events'
import { compose, type Call } from '@farebox/middleware'
import * as fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { expect, test } from 'vitest'
import { flushPromises, virtualClock } from '@farebox/testing/virtual-clock'
import { FailureBudgetError, RetryError } from './errors.js'
import type { CallEvent } from './events.js'
import { failureBudget, type FailureBudgetOptions } from './failure-budget.js'
import { rateLimit } from './rate-limit.js'
import { memoryLimitStore } from './limit-store.js'
import { retry } from './retry.js'

const start = Date.UTC(2026, 5, 30, 12)
const get: Call = {
  url: 'http://api.example/models?key=planted-secret',
  method: 'GET',
  headers: new Headers(),
}
const topUp: Call = {
  ...get,
  method: 'POST',
  operation: {
    id: 'topUp',
    method: 'POST',
    path: '/x402/top-up',
    security: [[]],
    idempotent: true,
    discovery: 402,
  },
}

const createResponse = (code: number) => new Response(null, { status: code })
const block = () =>
  new Response(
    JSON.stringify({
      error: 'Too many failed requests. Wait 30s and try again.',
      code: 'TOO_MANY_FAILURES',
    }),
    { status: 429 },
  )

function play(
  respond: (index: number) => Response | Error,
  options: FailureBudgetOptions = {},
  tripMs = 0,
) {
  const clock = virtualClock(start)
  const sentAt: number[] = []
  const events: CallEvent[] = []
  const send = failureBudget({
    now: clock.now,
    wait: clock.wait,
    onEvent: (event) => void events.push(event),
    ...options,
  })(async () => {
    sentAt.push(clock.now() - start)
    const result = respond(sentAt.length - 1)
    if (tripMs > 0) await clock.wait(tripMs)
    if (result instanceof Error) throw result
    return result
  })
  return { clock, send, sentAt, events }
}

const catchError = async (promise: Promise<unknown>): Promise<FailureBudgetError> => {
  const error: unknown = await promise.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )
  if (error instanceof FailureBudgetError) return error
  throw error
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await work().catch(() => undefined)
}

test('after 18 failures within 30 s nothing is sent, and the error says when requests can resume', async () => {
  const { clock, send, sentAt } = play(() => createResponse(404))
  await send(get)
  await clock.run(start + 1000)
  await repeat(17, () => send(get))
  const error = await catchError(send(get))
  expect(error).toMatchObject({
    code: 'failure_budget',
    retryAt: start + 30_000,
    mayHaveArrived: false,
    retryable: false,
  })
  expect(error.message).toBe(
    'GET http://api.example/models: not sent: 18 requests failed within 30 s, and more could block this caller; try again at 2026-06-30T12:00:30.000Z',
  )
  expect(sentAt).toHaveLength(18)
  await clock.run(start + 30_000)
  await send(get)
  expect(await catchError(send(get))).toMatchObject({ retryAt: start + 31_000 })
})

test('successes, the price of a top-up and refused connections do not count', async () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const { send, sentAt } = play(
    (index) =>
      [createResponse(200), createResponse(402), refused][index % 3] ?? createResponse(200),
  )
  await repeat(99, () => send(sentAt.length % 3 === 1 ? topUp : get))
  expect(sentAt).toHaveLength(99)
})

test('asking for the price of a top-up is not a failure even without an operation, as when `payment` pays for any fetch', async () => {
  const { operation: _none, ...unnamed } = topUp
  const discovery = { ...unnamed, url: 'http://api.example/api/v1/x402/top-up?network=base' }
  const { send, sentAt } = play(() => createResponse(402), { failures: 2 })
  await repeat(20, () => send(discovery))
  expect(sentAt).toHaveLength(20)
  // at another address or with another method it is
  await repeat(2, () =>
    send({ ...discovery, url: 'http://api.example/api/v1/x402/top-up-history' }),
  )
  expect(await catchError(send({ ...discovery, method: 'GET' }))).toMatchObject({
    code: 'failure_budget',
  })
})

test('a lost response and an aborted call count as failures', async () => {
  const lost = play(() => new Error('cut'))
  await repeat(30, () => lost.send(get))
  expect(lost.sentAt).toHaveLength(18)
  const aborted = play(() => new DOMException('enough', 'AbortError'))
  await repeat(30, () => aborted.send(get))
  expect(aborted.sentAt).toHaveLength(18)
})

test('a burst cannot exceed the budget: each request in flight counts as a failure', async () => {
  const { clock, send, sentAt, events } = play(() => createResponse(500), {}, 100)
  const ends = Promise.allSettled(Array.from({ length: 100 }, () => send(get)))
  await flushPromises()
  expect(sentAt).toHaveLength(18)
  expect(events[0]).toMatchObject({
    type: 'wait',
    by: 'failureBudget',
    reason: 'the requests in flight may all fail',
    source: 'in-flight',
  })
  await clock.run()
  expect((await ends).filter((end) => end.status === 'rejected')).toHaveLength(82)
  expect(sentAt).toHaveLength(18)
})

test('a hundred healthy calls take two round trips, and only one after the first success', async () => {
  const { clock, send, sentAt } = play(() => createResponse(200), {}, 500)
  const ends = Promise.all(Array.from({ length: 100 }, () => send(get)))
  await clock.run()
  expect(await ends).toHaveLength(100)
  expect([
    sentAt.filter((at) => at === 0).length,
    sentAt.filter((at) => at === 500).length,
  ]).toEqual([18, 82])
  const more = Promise.all(Array.from({ length: 100 }, () => send(get)))
  await clock.run()
  expect(await more).toHaveLength(100)
  expect(sentAt.filter((at) => at === 1000)).toHaveLength(100)
})

test('a success of one operation does not count for another', async () => {
  const other: Call = { ...get, method: 'POST' }
  const mixed = play((index) => createResponse(index < 40 ? 200 : 402), {}, 500)
  for (let index = 0; index < 40; index++) {
    const call = mixed.send(get)
    await mixed.clock.run()
    await call
  }
  const burst = Promise.allSettled(Array.from({ length: 60 }, () => mixed.send(other)))
  await mixed.clock.run()
  await burst
  expect(mixed.sentAt).toHaveLength(40 + 18)
})

test('failures reduce the requests in flight before the budget is used up', async () => {
  const { clock, send, sentAt } = play(
    (index) => createResponse(index % 5 === 4 ? 503 : 200),
    {},
    500,
  )
  await Promise.all([clock.run(), ...Array.from({ length: 15 }, () => send(get))])
  // 3 failures and 12 successes: 13 of 37 are expected to fail, so 42 use up the remaining 15
  const ends = Promise.allSettled(Array.from({ length: 100 }, () => send(get)))
  await flushPromises()
  expect(sentAt).toHaveLength(15 + 42)
  await clock.run()
  await ends
})

test('guards with the same caller share the failures, in memory and in a store', async () => {
  const store = memoryLimitStore()
  let sends = 0
  const failing = (options: FailureBudgetOptions) =>
    failureBudget(options)(async () => (sends++, createResponse(404)))
  const callers = [
    { caller: 'key-9' },
    { caller: 'key-9' },
    { caller: 'key-9', store },
    { caller: 'key-9', store },
  ].map(failing)
  for (const send of callers) await repeat(18, () => send(get))
  expect(sends).toBe(18 + 18)
})

test('a call that the inner middleware may send twice takes two slots, and its 401 counts twice', async () => {
  const { send, sentAt } = play(() => createResponse(401), { sends: () => 2 })
  await repeat(30, () => send(get))
  expect(sentAt).toHaveLength(9)
})

test('a block is recognised, does not count, and holds all calls until it ends; its body stays readable', async () => {
  const { clock, send, sentAt, events } = play((index) =>
    index === 0 ? block() : createResponse(200),
  )
  const response = await send(get)
  expect([response.status, await response.json()]).toEqual([
    429,
    { error: 'Too many failed requests. Wait 30s and try again.', code: 'TOO_MANY_FAILURES' },
  ])
  const waiting = [send(get), send(get)]
  await clock.run(start + 29_999)
  expect(sentAt).toHaveLength(1)
  await clock.run(start + 30_000)
  expect(await Promise.all(waiting)).toHaveLength(2)
  expect(events[0]).toMatchObject({
    type: 'wait',
    by: 'failureBudget',
    delayMs: 30_000,
    source: 'server',
    reason: 'the service has blocked this caller',
  })
  expect(clock.waiting()).toBe(0)
})

test('a 429 of a rate limit is a failure, not a block', async () => {
  const limited = () => new Response('{"error":"The rate limit is exceeded."}', { status: 429 })
  const { send, sentAt } = play(limited)
  await repeat(30, () => send(get))
  expect(sentAt).toHaveLength(18)
})

test('a 429 whose body breaks off keeps its status', async () => {
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error('cut')) })
  const { send } = play(() => new Response(broken, { status: 429 }))
  const response = await send(get)
  expect(response.status).toBe(429)
  await expect(response.text()).rejects.toThrow('cut')
})

test('a call whose deadline comes before the block or the requests in flight end fails with a typed error', async () => {
  const due = (ms: number): Call => ({
    ...get,
    attempt: { callId: 1, number: 1, startBy: start + ms },
  })
  const blocked = play((index) => (index === 0 ? block() : createResponse(200)))
  await blocked.send(get)
  expect(await catchError(blocked.send(due(5000)))).toMatchObject({
    code: 'blocked',
    retryAt: start + 30_000,
  })
  const busy = play(() => createResponse(200), {}, 60_000)
  for (let index = 0; index < 18; index++) void busy.send(get)
  const waiting = catchError(busy.send(due(5000)))
  await busy.clock.run(start + 6000)
  expect(await waiting).toMatchObject({
    code: 'deadline',
    message: expect.stringContaining('may all fail until deadlineMs') as string,
  })
})

test('an abort rejects at once with its own reason, and leaves no timer and no listener', async () => {
  const { clock, send } = play(() => block())
  await send(get)
  const controller = new AbortController()
  const waiting = send({ ...get, signal: controller.signal })
  await flushPromises()
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect([clock.waiting(), getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0])
})

test('rejects an invalid number of failures', () => {
  expect(() => failureBudget({ failures: 0 })).toThrow(
    'failureBudget: failures is 0, expected at least 1',
  )
})

const outcome = fc.record({
  code: fc.constantFrom(200, 200, 400, 404, 429, 500, 503, 0),
  tripMs: fc.nat(5000),
  after: fc.option(fc.nat(20)),
})

test('for any service and any calls: at most 20 requests fail in any 30 s, every call settles, and no deadline is exceeded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat(40_000), { minLength: 1, maxLength: 120 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (script, arrivals, chance) => {
        const clock = virtualClock(start)
        const failed: number[] = []
        let sends = 0
        const time = { now: clock.now, wait: clock.wait }
        const latest: number[] = []
        const send = compose(
          async (call) => {
            const { code, tripMs, after } = script[sends++ % script.length] ?? {
              code: 200,
              tripMs: 0,
              after: null,
            }
            latest.push(clock.now() - (call.attempt?.startBy ?? 0))
            await clock.wait(tripMs / 2)
            if (code === 0 || code >= 400) failed.push(clock.now())
            await clock.wait(tripMs / 2)
            if (code === 0) throw new Error('cut')
            return new Response(null, {
              status: code,
              headers: after === null ? {} : { 'retry-after': `${after}` },
            })
          },
          [
            retry({ ...time, random: () => chance, deadlineMs: 45_000 }),
            rateLimit(time),
            failureBudget(time),
          ],
        )
        const calls = arrivals.map(async (at) => {
          await clock.wait(at)
          const begun = clock.now()
          const end = await send(get).catch((error: unknown) => error)
          return { end, took: clock.now() - begun }
        })
        await clock.run()
        for (const { end } of await Promise.all(calls)) {
          expect(end instanceof Response || end instanceof Error).toBe(true)
          if (!(end instanceof Response) && !(end instanceof RetryError))
            expect(end).toMatchObject({ retryable: false, mayHaveArrived: false })
        }
        for (const at of failed)
          expect(
            failed.filter((other) => other >= at && other < at + 30_000).length,
          ).toBeLessThanOrEqual(20)
        expect(Math.max(...latest, -1)).toBeLessThanOrEqual(0)
        expect(clock.waiting()).toBe(0)
      },
    ),
    { numRuns: countRounds(100) },
  )
})

test.each([
  [0, 18, 18],
  [1, 54, 54],
  [4, 162, 162],
  [32, 1_170, 1_170],
])(
  'a service that starts to fail after %i successes fails the %i requests in flight, and no other',
  async (successes, inFlight, most) => {
    const failures: (() => void)[] = []
    let sent = 0
    const send = failureBudget({ now: () => start })(async () => {
      if (++sent <= successes) return createResponse(200)
      return new Promise<Response>((resolve) => failures.push(() => resolve(createResponse(500))))
    })
    await repeat(successes, () => send(get))
    const calls = Promise.allSettled(Array.from({ length: 2_000 }, () => send(get)))
    await flushPromises()
    expect(failures.length).toBe(inFlight)
    // one by one, because the failures so far decide about the next send
    for (let next = 0; next < failures.length; next++) {
      failures[next]?.()
      await flushPromises()
    }
    expect(failures.length).toBe(most)
    await calls
  },
)
