import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { compose, type Call, type Operation, type Send } from '@farebox/middleware'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RetryError } from './errors.js'
import type { CallEvent } from './events.js'
import { shouldRetryWithKey } from './outcome.js'
import { idempotencyKeys, retry, type RetryEvent, type RetryOptions, exponential } from './retry.js'

const start = Date.UTC(2026, 5, 30, 12)
const createOperation = (idempotent: boolean): Operation => ({
  id: 'createSpeech',
  method: 'POST',
  path: '/audio/speech',
  security: [],
  idempotent,
})
const post: Call = {
  url: 'http://api.example/audio/speech?key=1',
  method: 'POST',
  headers: new Headers(),
  body: 'text',
  operation: createOperation(false),
}
const get: Call = { url: 'http://api.example/models', method: 'GET', headers: new Headers() }

const createNetworkError = () =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  })
const reset = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) })
const createResponse = (code: number, headers: Record<string, string> = {}) =>
  new Response(`${code}`, { status: code, headers })

/** A service that plays a script, and a clock that advances only by waits. */
function play(script: readonly (Response | Error)[], options: RetryOptions = {}) {
  let time = start
  const rest = [...script]
  const sentAt: number[] = []
  const waits: number[] = []
  const events: RetryEvent[] = []
  const send: Send = async () => {
    sentAt.push(time - start)
    const reply = rest.shift() ?? createResponse(200)
    if (reply instanceof Error) throw reply
    return reply
  }
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds)
    time += milliseconds
  }
  const middleware = retry({
    now: () => time,
    wait,
    random: () => 0.5,
    onRetry: (event) => void events.push(event),
    ...options,
  })
  return { run: middleware(send), sentAt, waits, events }
}

const catchError = async (promise: Promise<unknown>): Promise<RetryError> => {
  const error: unknown = await promise.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )
  if (error instanceof RetryError) return error
  throw error
}

for (const code of [429, 500, 503]) {
  test(`${code} is retried, also for a POST`, async () => {
    const { run, waits } = play([createResponse(code), createResponse(code)])
    expect((await run(post)).status).toBe(200)
    expect(waits).toEqual([138, 275])
  })
}

for (const code of [200, 201, 304, 400, 401, 402, 403, 404, 409, 422, 501, 502, 504]) {
  test(`${code} is returned`, async () => {
    const { run, sentAt } = play([new Response(null, { status: code })])
    expect((await run(get)).status).toBe(code)
    expect(sentAt).toHaveLength(1)
  })
}

test('409 is retried while the first request with its key runs, and not before its Retry-After', async () => {
  const running = () => createResponse(409, { 'retry-after': '1' })
  const { run, waits } = play([running(), running()])
  expect((await run(post)).status).toBe(200)
  expect(waits).toEqual([1_000, 1_000])
  const { run: runOnce, sentAt } = play([running(), createResponse(409)])
  expect((await runOnce(post)).status).toBe(409)
  expect(sentAt).toEqual([0, 1_000])
})

test('the response of the last attempt is returned with its body', async () => {
  const { run, sentAt } = play([createResponse(500), createResponse(503), createResponse(429)])
  const response = await run(post)
  expect(await response.text()).toBe('429')
  expect(sentAt).toHaveLength(3)
})

test('a failed connection is retried for any method', async () => {
  const { run, sentAt } = play([createNetworkError(), createNetworkError()])
  expect((await run(post)).status).toBe(200)
  expect(sentAt).toHaveLength(3)
})

test('a connection that fails each time is an error that says so', async () => {
  const { run } = play([createNetworkError(), createNetworkError(), createNetworkError()])
  expect(await catchError(run(post))).toMatchObject({
    code: 'not_sent',
    attempts: 3,
    mayHaveArrived: false,
    message:
      'POST http://api.example/audio/speech: no connection was made (ECONNREFUSED): is the service running?',
    cause: { message: 'fetch failed' },
  })
})

test('a request whose response was lost is not retried if that could charge twice; the error says that it may have arrived', async () => {
  const { run, sentAt } = play([reset()])
  expect(await catchError(run(post))).toMatchObject({
    code: 'lost_response',
    message: expect.stringContaining('its response was lost (ECONNRESET); it may have') as unknown,
    attempts: 1,
    mayHaveArrived: true,
  })
  expect(sentAt).toHaveLength(1)
})

test('a request whose response was lost is retried if the contract, or for a plain fetch the method, makes it idempotent', async () => {
  for (const call of [get, { ...post, operation: createOperation(true) }]) {
    const { run, sentAt } = play([reset()])
    expect((await run(call)).status).toBe(200)
    expect(sentAt).toHaveLength(2)
  }
})

test('after a lost response, a refused connection does not make the call unsent', async () => {
  const { run } = play([reset(), createNetworkError(), createNetworkError()])
  expect(await catchError(run(get))).toMatchObject({
    code: 'lost_response',
    attempts: 3,
    mayHaveArrived: true,
  })
})

test('the server’s time is a minimum', async () => {
  const { run, sentAt, events } = play([
    createResponse(429, { 'x-ratelimit-reset-requests': String(start / 1000 + 7) }),
    createResponse(503, { 'retry-after-ms': '9000' }),
  ])
  expect((await run(post)).status).toBe(200)
  expect(sentAt).toEqual([0, 7000, 16_000])
  expect(events.map(({ attempt, delayMs, source }) => ({ attempt, delayMs, source }))).toEqual([
    { attempt: 1, delayMs: 7000, source: 'server' },
    { attempt: 2, delayMs: 9000, source: 'server' },
  ])
})

test('a server’s time below the backoff changes nothing', async () => {
  const { run, waits, events } = play([createResponse(503, { 'retry-after-ms': '1' })])
  await run(post)
  expect(waits).toEqual([138])
  expect(events[0]?.source).toBe('backoff')
})

test('a time that is too far away fails the call at once, with the time', async () => {
  const { run, sentAt, waits } = play([createResponse(429, { 'retry-after': '61' })])
  const error = await catchError(run(post))
  expect(error).toMatchObject({
    code: 'wait_too_long',
    attempts: 1,
    mayHaveArrived: false,
    retryAt: start + 61_000,
    maxWaitMs: 60_000,
  })
  expect(error.message).toBe(
    'POST http://api.example/audio/speech: the wait exceeds maxWaitMs, 60000 ms; try again at 2026-06-30T12:01:01.000Z',
  )
  expect(await error.response?.text()).toBe('429')
  expect({ sentAt, waits }).toEqual({ sentAt: [0], waits: [] })
})

test('maxWaitMs, 60 seconds by default, limits the sum of all waits', async () => {
  expect((await play([createResponse(429, { 'retry-after': '60' })]).run(post)).status).toBe(200)
  const { run, waits } = play([
    createResponse(429, { 'retry-after': '40' }),
    createResponse(429, { 'retry-after': '40' }),
  ])
  expect(await catchError(run(post))).toMatchObject({
    code: 'wait_too_long',
    attempts: 2,
    retryAt: start + 80_000,
  })
  expect(waits).toEqual([40_000])
})

test('no attempt begins after the deadline', async () => {
  const { run, sentAt } = play(
    [createResponse(429, { 'retry-after': '4' }), createResponse(429, { 'retry-after': '4' })],
    { deadlineMs: 5000 },
  )
  expect(await catchError(run(post))).toMatchObject({
    code: 'deadline',
    attempts: 2,
    retryAt: start + 8000,
    deadlineMs: 5000,
    message:
      'POST http://api.example/audio/speech: the wait exceeds deadlineMs, 5000 ms; try again at 2026-06-30T12:00:08.000Z',
  })
  expect(sentAt).toEqual([0, 4000])
})

test('a stream is sent once: a response is returned, and an error says why', async () => {
  const call: Call = { ...get, method: 'PUT', body: new ReadableStream() }
  const failing = play([createResponse(503)])
  expect((await failing.run(call)).status).toBe(503)
  const lost = play([reset()])
  expect(await catchError(lost.run(call))).toMatchObject({
    code: 'body_not_resendable',
    mayHaveArrived: true,
    attempts: 1,
  })
  const unsent = play([createNetworkError()])
  expect(await catchError(unsent.run({ ...post, body: new ReadableStream() }))).toMatchObject({
    code: 'body_not_resendable',
    mayHaveArrived: false,
  })
  expect([failing.sentAt, lost.sentAt, unsent.sentAt]).toEqual([[0], [0], [0]])
})

test('an abort during a wait ends it at once with the signal’s reason', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const { run, sentAt } = play([createResponse(429, { 'retry-after': '30' })], {
    wait: undefined as never,
    onRetry: () => controller.abort(reason),
  })
  await expect(run({ ...post, signal: controller.signal })).rejects.toBe(reason)
  expect(sentAt).toHaveLength(1)
})

test('an aborted call is not sent or retried, and rejects with the reason of its signal', async () => {
  const reason = new DOMException('The operation was aborted', 'AbortError')
  const before = play([createResponse(200)])
  await expect(before.run({ ...get, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(before.sentAt).toHaveLength(0)
  const controller = new AbortController()
  const during = play([createResponse(503), createResponse(200)], {
    onRetry: () => controller.abort(reason),
  })
  await expect(during.run({ ...get, signal: controller.signal })).rejects.toBe(reason)
  expect(during.sentAt).toHaveLength(1)
})

test('an abort in flight rejects even if the inner middleware ignores it, and a late response is cancelled', async () => {
  let cancelled = 0
  let respond: (response: Response) => void = () => undefined
  const controller = new AbortController()
  const reason = new Error('enough')
  const running = retry()(async () => new Promise((resolve) => (respond = resolve)))({
    ...get,
    signal: controller.signal,
  })
  await Promise.resolve()
  controller.abort(reason)
  await expect(running).rejects.toBe(reason)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  respond(new Response(new ReadableStream({ cancel: () => void cancelled++ })))
  await new Promise((resolve) => void setImmediate(resolve))
  expect(cancelled).toBe(1)
})

test('the give-up event of an aborted call says whether it may have arrived: only after something was sent', async () => {
  const giveUpEvents = async (
    script: readonly (Response | Error)[],
    when: 'before' | 'sent' | 'waiting',
  ) => {
    const controller = new AbortController()
    const events: CallEvent[] = []
    const replies = [...script]
    const middleware = retry({
      onEvent: (event) => events.push(event),
      onRetry: () => when === 'waiting' && controller.abort(),
    })
    const run = middleware(async () => {
      const reply = replies.shift()
      if (when === 'sent') return new Promise(() => queueMicrotask(() => controller.abort()))
      if (reply instanceof Error) throw reply
      return reply ?? createResponse(200)
    })
    if (when === 'before') controller.abort()
    await expect(run({ ...get, signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    return events.filter(({ type }) => type === 'give-up')
  }
  const aborted = { type: 'give-up', reason: 'aborted', attempt: 1 }
  expect(await giveUpEvents([createResponse(200)], 'before')).toMatchObject([
    { ...aborted, mayHaveArrived: false },
  ])
  expect(await giveUpEvents([], 'sent')).toMatchObject([{ ...aborted, mayHaveArrived: true }])
  expect(await giveUpEvents([createNetworkError()], 'waiting')).toMatchObject([
    { ...aborted, mayHaveArrived: false },
  ])
  expect(await giveUpEvents([createResponse(503)], 'waiting')).toMatchObject([
    { ...aborted, mayHaveArrived: false },
  ])
  expect(await giveUpEvents([reset()], 'waiting')).toMatchObject([
    { ...aborted, mayHaveArrived: true },
  ])
})

test('a POST has the same Idempotency-Key on all attempts; the caller’s own key stays, and other methods get none', async () => {
  const keys: (string | null)[] = []
  let count = 0
  const send = compose(
    async (call) => {
      keys.push(call.headers.get('idempotency-key'))
      return createResponse(503)
    },
    [idempotencyKeys(() => `key-${++count}`), retry({ wait: async () => undefined })],
  )
  await send(post)
  await send({ ...post, headers: new Headers({ 'idempotency-key': 'mine' }) })
  await send(get)
  expect(keys).toEqual(['key-1', 'key-1', 'key-1', 'mine', 'mine', 'mine', null, null, null])
  expect(post.headers.has('idempotency-key')).toBe(false)
})

test('with shouldRetryWithKey, a lost POST is retried if its operation declares the header', async () => {
  const keyed = { ...post, headers: new Headers({ 'Idempotency-Key': 'k' }) }
  const declared = {
    ...keyed,
    operation: {
      ...createOperation(false),
      parameters: [{ in: 'header', name: 'Idempotency-Key' }],
    },
  }
  const sends = async (call: Call, options: RetryOptions) => {
    const { run, sentAt } = play([reset()], options)
    await run(call).catch(() => undefined)
    return sentAt.length
  }
  expect(await sends(declared, { rule: shouldRetryWithKey })).toBe(2)
  expect(await sends(declared, {})).toBe(1)
  expect(await sends(keyed, { rule: shouldRetryWithKey })).toBe(1)
  expect(await sends({ ...declared, headers: new Headers() }, { rule: shouldRetryWithKey })).toBe(1)
})

test('the inner middleware sees the attempt and the deadline', async () => {
  const seen: unknown[] = []
  const send = retry({ now: () => start, wait: async () => undefined, deadlineMs: 5000 })(async ({
    attempt,
  }) => {
    seen.push(attempt)
    return createResponse(503)
  })
  await send(get)
  await send(get)
  const ids = seen.map((attempt) => (attempt as { callId: number }).callId)
  expect(new Set(ids).size).toBe(2)
  expect(seen.slice(0, 3)).toMatchObject(
    [1, 2, 3].map((number) => ({ number, startBy: start + 5000 })),
  )
})

test('the error has both time limits', async () => {
  const { run } = play([createResponse(429, { 'retry-after': '99' })], { deadlineMs: 80_000 })
  expect(await catchError(run(post))).toMatchObject({
    code: 'wait_too_long',
    maxWaitMs: 60_000,
    deadlineMs: 80_000,
  })
})

test('after a lost response, a permanent error still says that the call may have arrived', async () => {
  const permanent = Object.assign(new Error('held back'), {
    retryable: false,
    mayHaveArrived: false,
  })
  expect(await catchError(play([reset(), permanent]).run(get))).toMatchObject({
    code: 'lost_response',
    attempts: 2,
    mayHaveArrived: true,
    cause: permanent,
  })
})

test('each retry and give-up is an event with attempt, reason, delay and source', async () => {
  const events: CallEvent[] = []
  const onEvent = (event: CallEvent) => void events.push(event)
  await play([createResponse(503), reset()], { onEvent }).run(get)
  await catchError(play([createResponse(429, { 'retry-after': '99' })], { onEvent }).run(post))
  await catchError(play([reset()], { onEvent }).run(post))
  await play([createResponse(404)], { onEvent }).run(post)
  expect(events.map(({ callId: _id, ...event }) => event)).toEqual([
    {
      type: 'retry',
      attempt: 1,
      operation: undefined,
      reason: 'status 503',
      delayMs: 138,
      source: 'backoff',
    },
    {
      type: 'retry',
      attempt: 2,
      operation: undefined,
      reason: 'ECONNRESET',
      delayMs: 275,
      source: 'backoff',
    },
    {
      type: 'give-up',
      attempt: 1,
      operation: 'createSpeech',
      reason: 'wait_too_long',
      mayHaveArrived: false,
      retryAt: start + 99_000,
    },
    {
      type: 'give-up',
      attempt: 1,
      operation: 'createSpeech',
      reason: 'ECONNRESET',
      mayHaveArrived: true,
    },
  ])
})

test('an error with `retryable: false` is thrown unchanged', async () => {
  const error = Object.assign(new Error('the wallet said no'), { retryable: false })
  const { run, sentAt } = play([error])
  await expect(run(get)).rejects.toBe(error)
  expect(sentAt).toHaveLength(1)
})

test('a response that is not returned is cancelled', async () => {
  let cancelled = 0
  const body = new ReadableStream({ cancel: () => void cancelled++ })
  await play([new Response(body, { status: 500 })]).run(post)
  expect(cancelled).toBe(1)
})

test('the caller may pass a rule and a backoff', async () => {
  const { run, waits } = play([createResponse(418)], {
    rule: (_, outcome) => 'response' in outcome && outcome.response.status === 418,
    backoff: () => 42,
  })
  expect((await run(post)).status).toBe(200)
  expect(waits).toEqual([42])
})

test('an invalid or negative backoff does not wait', async () => {
  const { run, waits } = play([createResponse(500), createResponse(500)], {
    backoff: (attempt) => (attempt === 1 ? NaN : -5),
  })
  await run(post)
  expect(waits).toEqual([0, 0])
})

test('an infinite backoff fails the call with a valid date', async () => {
  expect(
    await catchError(play([createResponse(500)], { backoff: () => Infinity }).run(post)),
  ).toMatchObject({ code: 'wait_too_long' })
})

test('rejects invalid numbers', () => {
  expect(() => retry({ attempts: 0 })).toThrow('attempts is 0')
  expect(() => retry({ maxWaitMs: NaN })).toThrow('maxWaitMs is NaN')
})

test('errors do not contain the query, a header or the body of the call', async () => {
  const call = {
    ...post,
    headers: new Headers({ authorization: 'Bearer planted-secret' }),
    body: 'planted-secret',
    url: `${post.url}&k=planted-secret`,
  }
  const errors = [
    await catchError(play([reset()]).run(call)),
    await catchError(
      play([createResponse(429, { 'retry-after': '99', 'set-cookie': 'planted-secret' })]).run(
        call,
      ),
    ),
  ]
  expect(inspect(errors, { depth: 9 }) + JSON.stringify(errors) + errors.join()).not.toContain(
    'planted-secret',
  )
})

const reply = fc.oneof(
  fc.record({
    kind: fc.constant('status' as const),
    code: fc.constantFrom(200, 400, 401, 402, 409, 429, 500, 503),
    after: fc.option(fc.nat(90)),
  }),
  fc.constantFrom({ kind: 'rejected' as const }, { kind: 'reset' as const }),
)

test('for any script: every call settles, no attempt precedes the server’s time, and an ambiguous POST is sent once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (script, isPost, chance) => {
        const replies = script.map((reply) => {
          if (reply.kind !== 'status')
            return reply.kind === 'reset' ? reset() : createNetworkError()
          return createResponse(
            reply.code,
            reply.after === null ? {} : { 'retry-after': String(reply.after) },
          )
        })
        const { run, sentAt, waits } = play(replies, {
          attempts: 5,
          random: () => chance,
          deadlineMs: 100_000,
        })
        const end = await run(isPost ? post : get).catch((error: unknown) => error)
        expect(end instanceof Response || end instanceof RetryError).toBe(true)
        expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(60_000)
        sentAt.slice(1).forEach((at, index) => {
          const before = script[index]
          if (before?.kind === 'status')
            expect(at).toBeGreaterThanOrEqual((sentAt[index] ?? 0) + (before.after ?? 0) * 1000)
          if (before?.kind === 'reset') expect(isPost).toBe(false)
        })
        if (end instanceof RetryError) expect(end.attempts).toBe(sentAt.length)
      },
    ),
    { numRuns: 500 },
  )
})

test('the ceiling doubles with each attempt up to the cap', () => {
  const backoff = exponential({ base: 100, cap: 500, random: () => 1 })
  expect([1, 2, 3, 4, 5000].map(backoff)).toEqual([100, 200, 400, 500, 500])
})

test('the jitter is full: from a tenth of the ceiling to the ceiling', () => {
  expect([1, 2, 3, 5000].map(exponential({ random: () => 0 }))).toEqual([25, 50, 100, 2000])
  expect(exponential({ random: () => 0.5 })(3)).toBe(550)
})

test('the waits of many clients are spread evenly over the whole range', () => {
  const clients = 900
  const waits = Array.from({ length: clients }, (_, client) =>
    exponential({ base: 1000, random: () => client / clients })(1),
  )
  const tenths = Array.from(
    { length: 9 },
    (_, tenth) => waits.filter((wait) => Math.floor(wait / 100 + 1e-9) === tenth + 1).length,
  )
  expect(tenths).toEqual(Array.from({ length: 9 }, () => clients / 9))
})

test('without options the first ceiling is 250 ms and the last 20 s', () => {
  const waits = Array.from({ length: 200 }, () => exponential()(1))
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(25)
  expect(Math.max(...waits)).toBeLessThan(250)
  expect(exponential({ random: () => 1 })(30)).toBe(20_000)
})
