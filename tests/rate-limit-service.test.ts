import type { Send } from '@farebox/middleware'
import { rateLimit } from '@farebox/retry'
import { createService, type ServiceOptions } from '@farebox/service'
import { operations, rateLimits } from '@farebox/types/operations'
import { afterEach, expect, test } from 'vitest'
import { openEmptyDatabase } from '../packages/service/test/empty-database.js'
import { sampleCases } from '@farebox/testing/rounds'
import { flushPromises, virtualClock } from '@farebox/testing/virtual-clock'

const minute = 60_000
const minutes = 5
const start = Date.UTC(2026, 5, 30, 12, 0, 37, 421)
const limit = 60
const speech: NonNullable<ServiceOptions['speech']> = {
  describe: () => 'none',
  async *speak() {
    yield { bytes: new Uint8Array(1), made: 6 }
  },
  close: async () => undefined,
}

let close: () => Promise<void> = async () => undefined
afterEach(() => close())

/** The service at the far end of a slow line, with a clock that only the test moves. */
async function createRemoteService(delay: () => number, skewMs: number) {
  const clock = virtualClock(start)
  const options = {
    origin: 'http://127.0.0.1:4020',
    adminKey: 'test-admin-key',
    adminCreditUsd: 1_000_000,
    speech,
  }
  const service = await createService({
    ...options,
    database: await openEmptyDatabase(),
    now: () => clock.now() + skewMs,
  })
  close = service.close
  const answeredAt: number[] = []
  let rejected = 0
  const busy = new Set<Request>()
  const send: Send = async (call) => {
    await clock.wait(delay())
    const request = new Request(`${options.origin}/api/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-admin-key', 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Hello.' }),
    })
    busy.add(request)
    const response = await service.fetch(request)
    await response.arrayBuffer()
    busy.delete(request)
    if (response.status === 200) answeredAt.push(clock.now())
    else rejected++
    await clock.wait(delay())
    call.signal?.throwIfAborted()
    return response
  }
  /**
   * As `clock.run`, in steps that end only when the service, whose database keeps its own time, has
   * answered.
   */
  const run = async (until: number) => {
    for (let time = clock.now(); time <= until; time += 10) {
      await clock.run(time)
      while (busy.size > 0) await flushPromises()
    }
  }
  return { clock, send, run, answeredAt, rejected: () => rejected }
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const ways = { quick: [5, 40], slow: [200, 3000], 'very slow': [4000, 12_000] } as const
/**
 * Least part of the budget that is used, where more is wanted than there is (decisions/limits.md).
 */
const shares = {
  flood: { quick: 0.95, slow: 0.95, 'very slow': 0.8 },
  stream: { quick: 0.9, slow: 0.9, 'very slow': 0.75 },
} as const

const demands = [
  ['flood', 0],
  ['stream', 700],
  ['stream', -15_300],
] as const
const cases = (['quick', 'slow', 'very slow'] as const).flatMap((way) =>
  demands.map(([demand, skewMs]) => ({ way, demand, skewMs })),
)

test.each(sampleCases(cases))(
  'rateLimit over a $way line, $skewMs ms ahead, gets no 429 from the service and uses its share of the limit ($demand)',
  async ({ way, demand, skewMs }) => {
    const [least, most] = ways[way]
    const random = createRandom(7)
    const { clock, send, run, answeredAt, rejected } = await createRemoteService(
      () => Math.round((least + random() * (most - least)) / 2),
      skewMs,
    )
    const paced = rateLimit({ now: clock.now, wait: clock.wait })(send)
    const over = new AbortController()
    const row = operations.createSpeech
    const operation = { ...row, limits: rateLimits.classes.audio }
    const call = {
      url: 'http://127.0.0.1:4020/audio/speech',
      method: 'POST',
      headers: new Headers(),
      operation,
      signal: over.signal,
    }
    const calls: Promise<unknown>[] = []
    const one = () => void calls.push(paced(call).catch(() => undefined))
    if (demand === 'flood') for (let count = 0; count < (minutes + 2) * limit; count++) one()
    // a little more than the limit, evenly
    for (
      let time = start;
      time < start + minutes * minute;
      time += demand === 'flood' ? minute : 950
    ) {
      if (demand === 'stream') one()
      await run(time)
    }
    await run(start + minutes * minute)
    over.abort(new Error('over'))
    // the service may respond after the last timer so far, and its response has a way to go
    const ended = Promise.all(calls).then(() => true)
    while (!(await Promise.race([ended, clock.run()])));

    const used =
      answeredAt.filter((time) => time < start + minutes * minute).length / (minutes * limit)
    expect(rejected()).toBe(0)
    expect(used).toBeGreaterThanOrEqual(shares[demand][way])
    for (const end of answeredAt) {
      expect(
        answeredAt.filter((time) => time > end - minute && time <= end).length,
      ).toBeLessThanOrEqual(limit)
    }
  },
)
