import type { Call, Send } from '@farebox/middleware'
import { sampleCases } from '@farebox/testing/rounds'
import { expect, test } from 'vitest'
import { virtualClock, type VirtualClock } from '@farebox/testing/virtual-clock'
import { rateLimit, type RateLimitOptions } from './rate-limit.js'

const start = Date.UTC(2026, 5, 30, 12, 0, 37, 421)
const minute = 60_000
const call: Call = {
  url: 'http://api.example/audio/speech',
  method: 'POST',
  headers: new Headers(),
  operation: createOperation(),
}

type Server = {
  readonly send: Send
  readonly rejected: () => number
  readonly accepted: () => number
}

type Shape = {
  readonly limit: number
  /** How far the server's clock is ahead of ours. */
  readonly skewMs: number
  /** Milliseconds to the server, and back. */
  readonly delay: () => number
}

/** Requests of the calendar minute. */
function createFixedWindow(clock: VirtualClock, { limit, skewMs, delay }: Shape): Server {
  let window = 0
  let used = 0
  return createServer(clock, skewMs, delay, (time) => {
    if (Math.floor(time / minute) !== window) used = 0
    window = Math.floor(time / minute)
    const admitted = used < limit
    if (admitted) used++
    return { admitted, limit, remaining: limit - used, resetAt: (window + 1) * minute }
  })
}

/**
 * Requests of the last minute. The reset is the moment when the oldest of them leaves, or when all
 * of them have left.
 */
function createSlidingWindow(
  clock: VirtualClock,
  { limit, skewMs, delay }: Shape,
  reset: 'next' | 'all',
): Server {
  let log: number[] = []
  return createServer(clock, skewMs, delay, (time) => {
    log = log.filter((at) => at > time - minute)
    const admitted = log.length < limit
    if (admitted) log.push(time)
    const counts = reset === 'next' ? log[0] : log.at(-1)
    return { admitted, limit, remaining: limit - log.length, resetAt: (counts ?? time) + minute }
  })
}

type Window = {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetAt: number
}

function createServer(
  clock: VirtualClock,
  skewMs: number,
  delay: () => number,
  count: (time: number) => Window,
): Server {
  let rejected = 0
  let accepted = 0
  const send: Send = async () => {
    await clock.wait(delay())
    const time = clock.now() + skewMs
    const { admitted, limit, remaining, resetAt } = count(time)
    if (admitted) accepted++
    else rejected++
    const headers = {
      date: new Date(time).toUTCString(),
      'x-ratelimit-limit-requests': String(limit),
      'x-ratelimit-remaining-requests': String(remaining),
      'x-ratelimit-reset-requests': String(Math.ceil(resetAt / 1000)),
    }
    await clock.wait(delay())
    return new Response(null, { status: admitted ? 200 : 429, headers })
  }
  return { send, rejected: () => rejected, accepted: () => accepted }
}

/** More calls than the six windows within five minutes can admit. */
const callCount = 420

/** Starts more calls than can be admitted, and runs them for five minutes. */
async function flood(clock: VirtualClock, server: Server, options: RateLimitOptions = {}) {
  const send = rateLimit({ now: clock.now, wait: clock.wait, ...options })(server.send)
  const over = new AbortController()
  const calls = Array.from({ length: callCount }, () =>
    send({ ...call, signal: over.signal }).catch(() => undefined),
  )
  await clock.run(start + 5 * minute)
  // some calls are still waiting
  expect(server.accepted() + server.rejected()).toBeLessThan(callCount)
  over.abort(new Error('over'))
  await clock.run()
  await Promise.all(calls)
  return { rejected: server.rejected(), accepted: server.accepted() }
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const skews = sampleCases([0, 700, -700, 3000, -3000, -15_000, -3_615_000, 3_600_000])
const latencies = { fast: [5, 40], slow: [200, 3000], 'very slow': [4000, 12_000] } as const

for (const [latency, [least, most]] of Object.entries(latencies)) {
  for (const skewMs of skews) {
    const shape = (seed: number): Shape => {
      const random = createRandom(seed)
      return { limit: 60, skewMs, delay: () => Math.round((least + random() * (most - least)) / 2) }
    }

    test(`a ${latency} service with fixed windows, ${skewMs} ms ahead, rejects nothing and is used to 90 %`, async () => {
      const clock = virtualClock(start)
      const { rejected, accepted } = await flood(clock, createFixedWindow(clock, shape(7)))
      const windows =
        Math.floor((start + skewMs + 5 * minute) / minute) -
        Math.floor((start + skewMs) / minute) +
        1
      expect(rejected).toBe(0)
      expect(accepted / (windows * 60)).toBeGreaterThanOrEqual(0.9)
    })

    for (const reset of ['next', 'all'] as const) {
      test(`a ${latency} service with sliding windows (reset: ${reset}), ${skewMs} ms ahead, rejects nothing and is used to 90 %`, async () => {
        const clock = virtualClock(start)
        const { rejected, accepted } = await flood(
          clock,
          createSlidingWindow(clock, shape(11), reset),
        )
        expect(rejected).toBe(0)
        // the reset `all` comes later by the spread of the sends in a window, which grows with the
        // latency
        expect(accepted / (5 * 60)).toBeGreaterThanOrEqual(
          latency === 'very slow' && reset === 'all' ? 0.8 : 0.9,
        )
      })
    }
  }
}

/** The tokens of chats, as a service reserves them: prompt and limit, corrected when they end. */
const tokenLimit = 40_000

/**
 * Tokens of the last minute, by the second. As our service has it, at least half of the limit is
 * free at the reset.
 */
function createTokenService(clock: VirtualClock, { skewMs, delay }: Omit<Shape, 'limit'>) {
  let counts: { second: number; tokens: number }[] = []
  let [rejected, used] = [0, 0]
  const send: Send = async ({ body }) => {
    await clock.wait(delay())
    const time = clock.now() + skewMs
    const second = Math.floor(time / 1000)
    counts = counts.filter((count) => count.second > second - 61)
    const { max_tokens: limit, messages } = JSON.parse(body as string) as {
      readonly max_tokens: number
      readonly messages: readonly { readonly content: string }[]
    }
    const wanted = Math.ceil((280 + (messages[0]?.content.length ?? 0)) / 3) + limit
    const sum = () => counts.reduce((total, { tokens }) => total + tokens, 0)
    const isAdmitted = sum() + wanted <= tokenLimit
    const count = { second, tokens: wanted }
    if (isAdmitted) counts.push(count)
    else rejected++
    const headers = {
      date: new Date(time).toUTCString(),
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-reset-requests': String(second + 60),
      'x-ratelimit-limit-tokens': String(tokenLimit),
      'x-ratelimit-remaining-tokens': String(Math.max(0, tokenLimit - sum())),
      'x-ratelimit-reset-tokens': String(countSecondsToHalf(counts, second)),
    }
    if (isAdmitted) {
      // a stream ends after its head, and most of the limit was not needed
      void clock.wait(delay()).then(() => (count.tokens = Math.ceil(wanted / 2)))
      used += Math.ceil(wanted / 2)
    }
    await clock.wait(delay())
    return new Response(null, { status: isAdmitted ? 200 : 429, headers })
  }
  return { send, rejected: () => rejected, used: () => used }
}

function countSecondsToHalf(
  counts: readonly { readonly second: number; readonly tokens: number }[],
  now: number,
): number {
  let left = counts.reduce((total, { tokens }) => total + tokens, 0)
  for (const { second, tokens } of counts) {
    if (left <= tokenLimit / 2) break
    left -= tokens
    if (left <= tokenLimit / 2) return Math.max(1, second + 61 - now)
  }
  return 1
}

for (const [latency, [least, most]] of Object.entries(latencies)) {
  for (const skewMs of [0, 3000, -15_000]) {
    test(`a ${latency} service that limits tokens, ${skewMs} ms ahead, rejects no chat and is used to 40 %`, async () => {
      const clock = virtualClock(start)
      const random = createRandom(13)
      const delay = () => Math.round((least + random() * (most - least)) / 2)
      const service = createTokenService(clock, { skewMs, delay })
      const send = rateLimit({ now: clock.now, wait: clock.wait, maxWaitMs: Infinity })(
        service.send,
      )
      const over = new AbortController()
      const calls = Array.from({ length: 300 }, () => {
        const content = 'tram '.repeat(Math.ceil(random() * 400))
        const body = {
          model: 'm',
          messages: [{ content }],
          max_tokens: Math.ceil(random() * 4_000),
        }
        return send({
          url: 'http://api.example/chat/completions',
          method: 'POST',
          headers: new Headers(),
          body: JSON.stringify(body),
          signal: over.signal,
        }).catch(() => undefined)
      })
      await clock.run(start + 5 * minute)
      expect(service.rejected()).toBe(0)
      // a half of what is reserved is used, and a window has at least a whole limit of it
      expect(service.used() / (5 * tokenLimit)).toBeGreaterThanOrEqual(0.4)
      over.abort(new Error('over'))
      await clock.run()
      await Promise.all(calls)
    })
  }
}

function createOperation() {
  return {
    id: 'createSpeech',
    method: 'POST',
    path: '/audio/speech',
    security: [],
    idempotent: false,
    rateLimit: 'audio',
  } as const
}
