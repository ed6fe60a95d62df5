import * as fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { expect, it } from 'vitest'
import { flushPromises, virtualClock } from '@farebox/testing/virtual-clock'
import { createFarebox } from './farebox.js'
import { FareboxError } from './error.js'
import type { FareboxEvent } from './options.js'

const start = Date.UTC(2026, 5, 30, 12)
const deadlineMs = 45_000
const maxWaitMs = 30_000

/** The headers in which a server may ask for a wait of this many seconds. */
const forms = {
  seconds: (after: number) => ({ 'retry-after': String(after) }),
  fraction: (after: number) => ({ 'retry-after': `${after}.25` }),
  milliseconds: (after: number) => ({ 'retry-after-ms': String(after * 1000) }),
  date: (after: number, serverNow: number) => ({
    'retry-after': new Date(serverNow + after * 1000).toUTCString(),
  }),
  reset: (after: number, serverNow: number) => reset(Math.floor(serverNow / 1000) + after),
  resetInMilliseconds: (after: number, serverNow: number) => reset(serverNow + after * 1000),
  nonsense: () => ({
    'retry-after': 'inf',
    'retry-after-ms': '1e400',
    'x-ratelimit-reset-requests': 'soon',
  }),
  none: () => ({}),
} as const

const reset = (at: number) => ({
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': String(at),
})

const behaviour = fc.record({
  status: fc.constantFrom(
    200,
    200,
    200,
    400,
    402,
    409,
    429,
    429,
    500,
    503,
    'reset' as const,
    'rejected' as const,
  ),
  form: fc.constantFrom(...(Object.keys(forms) as (keyof typeof forms)[])),
  after: fc.nat(50),
  tripMs: fc.nat(4000),
})
type Behaviour = typeof behaviour extends fc.Arbitrary<infer B> ? B : never

const plannedCall = fc.record({
  at: fc.nat(40_000),
  isPost: fc.boolean(),
  abortAfter: fc.oneof(
    { arbitrary: fc.constant(null), weight: 4 },
    { arbitrary: fc.nat(20_000), weight: 1 },
  ),
})

type ReceivedRequest = {
  readonly at: number
  readonly failed: boolean
  /** The request arrived, and its response was lost. */
  readonly lost: boolean
  readonly reached: boolean
  /** The earliest time for a send of this call. */
  readonly notBefore: number
}

it('keeps its guarantees for any concurrent calls, whatever the service does', async () => {
  const plan = fc.array(plannedCall, { minLength: 1, maxLength: 60 })
  const script = fc.array(behaviour, { minLength: 1, maxLength: 30 })
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  await fc.assert(
    fc.asyncProperty(
      script,
      plan,
      chance,
      fc.integer({ min: -4_000_000, max: 4_000_000 }),
      playAndCheck,
    ),
    { numRuns: countRounds(150) },
  )
})

async function playAndCheck(
  script: readonly Behaviour[],
  plan: readonly (typeof plannedCall extends fc.Arbitrary<infer C> ? C : never)[],
  chance: number,
  skewMs: number,
): Promise<void> {
  const clock = virtualClock(start)
  const heard = new Map<string, ReceivedRequest[]>()
  const events: FareboxEvent[] = []
  let sends = 0

  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const name = new Headers(init?.headers).get('x-call') ?? ''
    const { status, form, after, tripMs } =
      script[sends++ % script.length] ?? expect.fail('the script is empty')
    const at = clock.now()
    const mine = heard.get(name) ?? []
    heard.set(name, mine)
    if (status === 'rejected') {
      mine.push({ at, failed: false, lost: false, reached: false, notBefore: 0 })
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    }
    const index =
      mine.push({
        at,
        failed: status === 'reset' || status >= 400,
        lost: true,
        reached: true,
        notBefore: 0,
      }) - 1
    await clock.wait(tripMs)
    if (init?.signal?.aborted === true) throw init.signal.reason
    if (status === 'reset') throw new TypeError('terminated')
    const serverNow = clock.now() + skewMs
    const headers = forms[form](after, serverNow)
    const isLimited = status === 429 || status === 500 || status === 503
    // dates and resets may be cut to whole seconds, and so is the Date that relates them to our
    // clock
    const whole =
      form === 'date' || form === 'reset' ? Math.floor(serverNow / 1000) * 1000 - serverNow : 0
    const floor =
      isLimited && form !== 'nonsense' && form !== 'none' ? clock.now() + after * 1000 + whole : 0
    mine[index] = { at, failed: status >= 400, lost: false, reached: true, notBefore: floor }
    return Response.json(
      { data: [] },
      { status, headers: { date: new Date(serverNow).toUTCString(), ...headers } },
    )
  }

  const tools = { now: clock.now, wait: clock.wait }
  const farebox = createFarebox({
    baseUrl: 'https://api.example.test/api/v1',
    apiKey: 'KEY',
    fetch,
    retry: { ...tools, random: () => chance, deadlineMs, maxWaitMs },
    rateLimit: tools,
    failureBudget: tools,
    onEvent: (event) => void events.push(event),
  })

  const calls = plan.map(async ({ at, isPost, abortAfter }, index) => {
    const name = String(index)
    await clock.wait(at)
    const begun = clock.now()
    const controller = new AbortController()
    const over = new AbortController()
    if (abortAfter !== null)
      clock.wait(abortAfter, over.signal).then(
        () => controller.abort(),
        () => undefined,
      )
    const options = { headers: { 'x-call': name }, signal: controller.signal }
    const work: Promise<unknown> = isPost
      ? farebox.queueVideo({ model: 'm', prompt: 'p', duration: '5s' }, options)
      : farebox.listModels({}, options)
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    over.abort()
    return { name, isPost, begun, ended: clock.now(), aborted: controller.signal.aborted, error }
  })
  await clock.run()
  const ends = await Promise.all(calls)
  await flushPromises()

  expect(clock.waiting()).toBe(0)
  for (const { name, isPost, begun, ended, aborted, error } of ends) {
    const mine = heard.get(name) ?? []
    if (error !== undefined && !(error instanceof FareboxError)) throw error
    mine.slice(1).forEach(({ at }, index) => {
      expect(at).toBeGreaterThanOrEqual(mine[index]?.notBefore ?? 0)
      if (isPost) expect(mine[index]?.lost).toBe(false)
    })
    for (const { at } of mine) {
      expect(at - begun).toBeLessThanOrEqual(deadlineMs)
      expect(at).toBeLessThanOrEqual(ended)
    }
    if (error === undefined || aborted) continue
    expect(error.attempts).toBe(mine.length)
    if (!error.mayHaveArrived) expect(mine.filter(({ lost }) => lost)).toEqual([])
  }
  const failures = [...heard.values()].flat().filter(({ failed }) => failed)
  for (const { at } of failures)
    expect(
      failures.filter((one) => one.at >= at && one.at < at + 30_000).length,
    ).toBeLessThanOrEqual(20)
  for (const waited of sumWaits(events).values()) expect(waited).toBeLessThanOrEqual(maxWaitMs)
}

/** The sum of the waits between the attempts of each call. */
function sumWaits(events: readonly FareboxEvent[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const event of events) {
    if (event.type === 'retry')
      sums.set(event.callId ?? 0, (sums.get(event.callId ?? 0) ?? 0) + event.delayMs)
  }
  return sums
}
