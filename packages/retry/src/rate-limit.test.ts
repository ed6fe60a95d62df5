import { getEventListeners } from 'node:events'
import type { Call, Operation } from '@farebox/middleware'
import { rateLimits } from '@farebox/types/operations'
import { expect, test, vi } from 'vitest'
import { flushPromises, virtualClock } from '@farebox/testing/virtual-clock'
import { findBucket, windowMs } from './bucket.js'
import { nameCaller, steadyNow } from './caller.js'
import { RateLimitError } from './errors.js'
import type { CallEvent } from './events.js'
import { rateLimit, type RateLimitOptions } from './rate-limit.js'
import { memoryLimitStore, createLimitStore, type LimitStore } from './limit-store.js'
import { retry } from './retry.js'

const start = Date.UTC(2026, 5, 30, 12)
const classes: Readonly<Record<string, NonNullable<Operation['limits']>>> = rateLimits.classes
/** As in the generated client. */
const createOperation = (rateLimit: string): Operation => ({
  id: 'createSpeech',
  method: 'POST',
  path: '/audio/speech',
  security: [],
  idempotent: false,
  rateLimit,
  limits: classes[rateLimit] ?? {},
})
const call = (rateLimit = 'audio', rest: Partial<Call> = {}): Call => ({
  url: 'http://api.example/audio/speech?key=planted-secret',
  method: 'POST',
  headers: new Headers({ authorization: 'Bearer planted-secret' }),
  operation: createOperation(rateLimit),
  ...rest,
})

/** A service whose responses the test sends one by one. */
function play(options: RateLimitOptions = {}) {
  const clock = virtualClock(start)
  const sentAt: number[] = []
  const names: string[] = []
  const open: ((result: Response | Error) => void)[] = []
  const events: CallEvent[] = []
  const middleware = rateLimit({
    now: clock.now,
    wait: clock.wait,
    onEvent: (event) => void events.push(event),
    ...options,
  })
  const send = middleware(async (call) => {
    sentAt.push(clock.now() - start)
    names.push(call.headers.get('x-name') ?? '')
    return new Promise((resolve, reject) =>
      open.push((result) => (result instanceof Error ? reject(result) : resolve(result))),
    )
  })
  const respond = async (response: Response | Error = new Response()) => {
    open.shift()?.(response)
    await flushPromises()
  }
  const respondAll = async (create: () => Response = () => new Response()) => {
    while (open.length > 0) await respond(create())
  }
  return { clock, send, sentAt, names, events, respond, respondAll, middleware }
}

const withLimits = (headers: Record<string, string | number>, status = 200) =>
  new Response(null, {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [`x-ratelimit-${name}`, `${value}`]),
    ),
  })
const withRemaining = (remaining: number, secondsAhead = 30, limit = 60) =>
  withLimits({
    'limit-requests': limit,
    'remaining-requests': remaining,
    'reset-requests': start / 1000 + secondsAhead,
  })

const catchError = async (promise: Promise<unknown>): Promise<RateLimitError> => {
  const error: unknown = await promise.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )
  if (error instanceof RateLimitError) return error
  throw error
}

test('before the first response a burst of four is sent; a response with free slots lets the others go', async () => {
  const { send, sentAt, respond } = play()
  for (let index = 0; index < 20; index++) void send(call())
  await flushPromises()
  expect(sentAt).toHaveLength(4)
  await respond(withRemaining(59))
  expect(sentAt).toHaveLength(20)
})

test('sends no more than the remaining requests of the latest response, less those in flight', async () => {
  const { send, sentAt, respond, respondAll, clock } = play()
  for (let index = 0; index < 20; index++) void send(call())
  await flushPromises()
  await respond(withRemaining(7))
  expect(sentAt).toHaveLength(8)
  let remaining = 7
  await respondAll(() => withRemaining(--remaining))
  expect(sentAt).toHaveLength(8)
  await clock.run(start + 29_999)
  expect(sentAt).toHaveLength(8)
  await clock.run(start + 30_000)
  expect(sentAt.slice(8)).toEqual([30_000, 30_000, 30_000, 30_000])
})

test('an overtaken response does not raise the remaining requests', async () => {
  const { send, sentAt, respond } = play()
  for (let index = 0; index < 8; index++) void send(call())
  await flushPromises()
  await respond(withRemaining(3))
  await respond(withRemaining(4))
  // three remain for the two in flight, so one more may go
  expect(sentAt).toHaveLength(5)
})

for (const [plan, name, limit] of [
  ['default', 'audio', 60],
  ['partner', 'audio', 120],
  ['default', 'image', 20],
  ['default', 'videoQueue', 40],
  ['partner', 'videoQueue', 40],
  ['default', 'videoRetrieve', 120],
  ['default', 'apiKeyCreation', 20],
] as const) {
  test(`a service without rate-limit headers gets ${limit} requests a minute of ${name} on the ${plan} plan`, async () => {
    const { send, sentAt, respondAll, clock } = play({ plan })
    for (let index = 0; index < 2 * limit; index++) void send(call(name))
    await flushPromises()
    await respondAll()
    expect(sentAt).toHaveLength(limit)
    await clock.run(start + 59_999)
    expect(sentAt).toHaveLength(limit)
    await clock.run(start + 61_000)
    expect(sentAt).toHaveLength(2 * limit)
  })
}

test('text models, named by the body, have the budget of their tier', async () => {
  const { send, sentAt, respondAll } = play({ bucket: findBucket })
  const chat = (model: string): Call => ({
    url: 'http://api.example/chat/completions',
    method: 'POST',
    headers: new Headers(),
    body: JSON.stringify({
      messages: [{ content: 'say "model":"qwen3-4b"' }],
      model,
      max_tokens: 9,
    }),
  })
  for (let index = 0; index < 30; index++)
    void send(chat(index % 2 === 0 ? 'kimi-k2-thinking' : 'deepseek-ai-DeepSeek-R1'))
  for (let index = 0; index < 60; index++) void send(chat('mistral-31-24b'))
  await flushPromises()
  await respondAll()
  expect(sentAt).toHaveLength(20 + 60)
})

test("findBucket finds a class by its name, and the window is the table's", () => {
  const { limits: _none, ...row } = createOperation('audio')
  expect(findBucket(call('audio', { operation: row }))).toEqual({ name: 'audio', requests: 60 })
  expect(findBucket(call('audio', { operation: row }), 'partner')).toEqual({
    name: 'audio',
    requests: 120,
  })
  expect(windowMs).toBe(rateLimits.windowSeconds * 1000)
})

test('an operation without limits is not held after its first response', async () => {
  const { send, sentAt, respondAll } = play()
  for (let index = 0; index < 1000; index++) void send(call('unstated'))
  await flushPromises()
  await respondAll()
  expect(sentAt).toHaveLength(1000)
})

test('calls wait for the reset of tokens when too few remain', async () => {
  const { send, sentAt, respond, clock } = play({ tokens: () => 300 })
  void send(call('unstated'))
  await flushPromises()
  await respond(withLimits({ 'limit-tokens': 1000, 'remaining-tokens': 500, 'reset-tokens': 12 }))
  void send(call('unstated'))
  void send(call('unstated'))
  await flushPromises()
  expect(sentAt).toEqual([0, 0])
  await clock.run(start + 12_000)
  expect(sentAt).toEqual([0, 0, 12_000])
})

test('a 429 holds the budget until the time that it names', async () => {
  const { send, sentAt, respond, clock } = play()
  void send(call())
  await flushPromises()
  await respond(new Response(null, { status: 429, headers: { 'retry-after': '7' } }))
  void send(call())
  void send(call('image'))
  await clock.run(start + 6999)
  expect(sentAt).toEqual([0, 0])
  await clock.run(start + 7000)
  expect(sentAt).toEqual([0, 0, 7000])
})

test('a call whose slot is too far away fails at once, with the time of the slot', async () => {
  const { send, respond, clock } = play()
  void send(call())
  await flushPromises()
  await respond(withRemaining(0, 3600))
  const error = await catchError(send(call()))
  expect(error).toMatchObject({
    code: 'wait_too_long',
    retryAt: start + 3_600_000,
    mayHaveArrived: false,
    retryable: false,
  })
  expect(error.message).toBe(
    'POST http://api.example/audio/speech: not sent: the budget of "audio" is used up beyond maxWaitMs, 90000 ms; try again at 2026-06-30T13:00:00.000Z',
  )
  expect(clock.waiting()).toBe(0)
})

test('a call whose deadline comes before its slot fails at once, or at the deadline if the slot is unknown', async () => {
  const { send, respond, clock } = play()
  const due = (ms: number) =>
    call('audio', { attempt: { callId: 1, number: 1, startBy: start + ms } })
  for (let index = 0; index < 4; index++) void send(call())
  const waiting = catchError(send(due(5000)))
  await clock.run(start + 6000)
  expect(await waiting).toMatchObject({
    code: 'deadline',
    message: expect.stringContaining('is used up beyond deadlineMs') as string,
  })
  await respond(withRemaining(0))
  expect(await catchError(send(due(29_000)))).toMatchObject({
    code: 'deadline',
    retryAt: start + 30_000,
  })
})

test('higher priorities go first, in order of arrival, and every eighth slot goes to the oldest call', async () => {
  const { send, names, respond, clock } = play({
    burst: 1,
    priority: ({ headers }) => Number(headers.get('x-priority')),
  })
  const named = (name: string, priority: number) =>
    void send(
      call('audio', { headers: new Headers({ 'x-name': name, 'x-priority': `${priority}` }) }),
    )
  named('first', 0)
  await flushPromises()
  for (let index = 0; index < 3; index++) named(`low ${index}`, 0)
  for (let index = 0; index < 9; index++) named(`high ${index}`, 1)
  await flushPromises()
  await respond(withRemaining(12))
  await clock.run()
  expect(names).toEqual(
    [
      'first',
      ...[0, 1, 2, 3, 4, 5].map((n) => `high ${n}`),
      'low 0',
      'high 6',
      'high 7',
      'high 8',
      'low 1',
      'low 2',
    ].map(String),
  )
})

test('an abort rejects at once with its own reason, and leaves no timer and no listener', async () => {
  const { send, respond, clock } = play()
  void send(call())
  await flushPromises()
  await respond(withRemaining(0))
  const controller = new AbortController()
  const reason = new Error('enough')
  const waiting = send(call('audio', { signal: controller.signal }))
  await flushPromises()
  expect(clock.waiting()).toBe(1)
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(clock.waiting()).toBe(0)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  await expect(send(call('audio', { signal: controller.signal }))).rejects.toBe(reason)
})

test('an unsent request does not count, and a lost one does', async () => {
  const { send, sentAt, respond } = play()
  const attempt = () => void send(call()).catch(() => undefined)
  attempt()
  await flushPromises()
  await respond(withRemaining(2))
  attempt()
  await flushPromises()
  await respond(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
  attempt()
  await flushPromises()
  await respond(Object.assign(new Error('read'), { code: 'ECONNRESET' }))
  attempt()
  attempt()
  await flushPromises()
  expect(sentAt).toHaveLength(4)
})

test('invalid headers are ignored', async () => {
  for (const value of ['', '-1', 'inf', '1e400', 'NaN', '0x10', 'soon']) {
    const { send, sentAt, respondAll } = play()
    for (let index = 0; index < 30; index++) void send(call())
    await flushPromises()
    await respondAll(() =>
      withLimits({
        'limit-requests': value,
        'remaining-requests': value,
        'reset-requests': value,
        'reset-tokens': value,
      }),
    )
    expect(sentAt).toHaveLength(30)
  }
})

test('a wait emits one event, with its reason and source, and without secrets', async () => {
  const { send, events, respond } = play()
  for (let index = 0; index < 5; index++) void send(call())
  await flushPromises()
  for (let index = 0; index < 4; index++) await respond(withRemaining(0))
  void send(call())
  await flushPromises()
  expect(events).toEqual([
    {
      type: 'wait',
      by: 'rateLimit',
      callId: 0,
      attempt: 1,
      operation: 'createSpeech',
      reason: 'audio',
      delayMs: undefined,
      source: 'in-flight',
    },
    {
      type: 'wait',
      by: 'rateLimit',
      callId: 0,
      attempt: 1,
      operation: 'createSpeech',
      reason: 'audio',
      delayMs: 30_000,
      source: 'server',
    },
  ])
  expect(JSON.stringify(events)).not.toContain('planted-secret')
})

test('an error of onEvent is ignored', async () => {
  const { send, sentAt, respond, clock } = play({
    onEvent: () => {
      throw new Error('the disk is full')
    },
  })
  for (let index = 0; index < 6; index++) void send(call())
  await flushPromises()
  for (let index = 0; index < 4; index++) await respond(withRemaining(0))
  await clock.run()
  expect(sentAt).toHaveLength(6)
})

/** A remote store: each update takes a while. */
function createRemoteStore(wait: (milliseconds: number) => Promise<void>): LimitStore {
  const texts = new Map<string, string>()
  let last: Promise<unknown> = Promise.resolve()
  return createLimitStore((key, change) => {
    const update = last.then(async () => {
      await wait(3)
      texts.set(key, change(texts.get(key)) ?? texts.get(key) ?? '')
    })
    last = update.catch(() => undefined)
    return update
  })
}

test('processes that share a store share the budget', async () => {
  const clock = virtualClock(start)
  const store = createRemoteStore(clock.wait)
  const sentAt: number[] = []
  const processes = [1, 2, 3].map(() =>
    rateLimit({ now: clock.now, wait: clock.wait, caller: 'key-7', store })(async () => {
      sentAt.push(clock.now() - start)
      await clock.wait(50)
      return new Response()
    }),
  )
  const calls = processes.flatMap((send) => Array.from({ length: 10 }, () => send(call('image'))))
  await clock.run(start + 60_000)
  expect(sentAt).toHaveLength(20)
  await clock.run()
  await Promise.all(calls)
  expect(sentAt).toHaveLength(30)
})

test('a store that repeats a change, as compare-and-set does, counts it once', async () => {
  const texts = new Map<string, string>()
  const store = createLimitStore((key, change) => {
    change(texts.get(key))
    texts.set(key, change(texts.get(key)) ?? texts.get(key) ?? '')
  })
  const { send, sentAt, respondAll } = play({ caller: 'key-7', store })
  for (let index = 0; index < 30; index++) void send(call('image'))
  await flushPromises()
  await respondAll()
  expect(sentAt).toHaveLength(20)
})

test('an error of the store rejects the call', async () => {
  const broken = new Error('the store is away')
  const { send } = play({ caller: 'key-7', store: { update: async () => Promise.reject(broken) } })
  await expect(send(call())).rejects.toBe(broken)
})

test.each([
  ['rejects', async () => Promise.reject(new Error('the store is away'))],
  [
    'throws',
    () => {
      throw new Error('the store is away')
    },
  ],
])('a call whose store %s was not sent, and is retried', async (_how, update) => {
  const { send } = play({ caller: 'key-7', store: createLimitStore(update) })
  const result = retry({ attempts: 2, backoff: () => 0 })(send)(call())
  await expect(result).rejects.toMatchObject({
    code: 'not_sent',
    attempts: 2,
    mayHaveArrived: false,
    cause: { code: 'store_failed', cause: { message: 'the store is away' } },
  })
})

test('middleware with the same caller shares a budget, and other middleware does not', async () => {
  const responses: ((response: Response) => void)[] = []
  const caller = nameCaller('http://api.example/v1', 'key-7')
  const create = (name: string | undefined) =>
    rateLimit({ caller: name })(() => new Promise((resolve) => void responses.push(resolve)))
  const [first, second, foreign, unnamed] = [
    create(caller),
    create(caller),
    create(nameCaller('http://api.example', 'key-8')),
    create(undefined),
  ]
  for (let index = 0; index < 4; index++) void first(call())
  const waiting = second(call())
  await flushPromises()
  expect(responses).toHaveLength(4)
  void foreign(call())
  void unnamed(call())
  await flushPromises()
  expect(responses).toHaveLength(6)
  responses[0]?.(new Response())
  await flushPromises()
  expect(responses).toHaveLength(7)
  responses[6]?.(new Response())
  await waiting
  expect(caller).not.toContain('key-7')
})

test('our own count rejects no call while a probe is in flight, and the probe decides', async () => {
  const { send, sentAt, respond, clock } = play({ maxWaitMs: 10_000 })
  const limited = () =>
    withRemaining(10 - (sentAt.length % 10), (clock.now() - start) / 1000 + 1, 10)
  const calls = Array.from({ length: 10 }, () => send(call('unstated')))
  await flushPromises()
  for (let index = 0; index < 10; index++) await respond(withRemaining(9 - index, 1, 10))
  await Promise.all(calls)
  await clock.run(start + 1000)
  const later = Array.from({ length: 10 }, () => send(call('unstated')))
  await flushPromises()
  expect(sentAt.slice(10)).toEqual([1000])
  await respond(limited())
  for (let index = 0; index < 9; index++) await respond(limited())
  expect(await Promise.all(later)).toHaveLength(10)
})

test('the default clock never goes back, so a wall clock that is set back an hour holds no call', () => {
  let wall = start
  const now = vi.spyOn(Date, 'now').mockImplementation(() => wall)
  const before = steadyNow()
  wall -= 3_600_000
  const after = steadyNow()
  now.mockRestore()
  expect(after).toBeGreaterThanOrEqual(before)
  expect(after - before).toBeLessThan(3_600_000)
})

test('a shared state from the future, whose clock was set back, is ignored', async () => {
  let time = start + 3_600_000
  const store = memoryLimitStore(() => time)
  const create = () =>
    rateLimit({ caller: 'key-7', store, now: () => time })(async () => new Response())
  const first = create()
  for (let index = 0; index < 20; index++) await first(call('image'))
  time = start
  expect((await create()(call('image'))).status).toBe(200)
})

test('rejects an invalid burst', () => {
  expect(() => rateLimit({ burst: NaN })).toThrow('rateLimit: burst is NaN, expected at least 1')
})
