import { countRounds } from '@farebox/testing/rounds'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { adminKey, origin, startService, type Harness } from '../../test/harness.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import type { CatalogueOverrides } from '../domain/models/catalogue-settings.js'
import { createCatalogue } from '../domain/models/read-catalogue.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import type { VideoBackend } from '../domain/video/video-backend.js'

const account = 'key:admin'
const asAdmin = { authorization: `Bearer ${adminKey}` }
const renderer: VideoBackend = { name: 'test', render: async () => new Uint8Array([1]) }

/** Speaks a byte, and looks at the balance while it does. */
function createSpeaker(look: () => Promise<unknown>): SpeechBackend {
  return {
    describe: () => 'test',
    speak: async function* ({ text }) {
      await look()
      yield { bytes: new Uint8Array([1]), made: Array.from(text).length }
    },
    close: async () => undefined,
  }
}

const post = (
  farebox: Harness,
  id: 'createSpeech' | 'quoteVideo' | 'queueVideo' | 'retrieveVideo' | 'createVoice',
  path: string,
  body: object,
) =>
  farebox.call(id, path, {
    method: 'POST',
    headers: { ...asAdmin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const parse = (farebox: Harness, headers: Readonly<Record<string, string>> = asAdmin) => {
  const body = new FormData()
  body.append('file', new Blob(['Tram fares']), 'a.txt')
  return farebox.call('parseText', '/augment/text-parser', { method: 'POST', headers, body })
}

/** The charge of the last entry, once there are so many. */
async function readCharge(farebox: Harness, entries: number): Promise<bigint> {
  const read = () => farebox.ledger.entries(account, { limit: 100, offset: 0 })
  await expect.poll(async () => (await read()).entries.length, { interval: 5 }).toBe(entries)
  return -((await read()).entries[0]?.amount ?? 0n)
}

const toMicroUsd = (usd: unknown) => BigInt(Math.round(Number(usd) * 1e6))
const createUsdArbitrary = (most: number, least = 0) =>
  fc.integer({ min: least, max: most * 1e6 }).map((units) => units / 1e6)

const overrides: fc.Arbitrary<CatalogueOverrides> = fc.record({
  speech: fc.dictionary(
    fc.constantFrom('tts-kokoro', 'tts-orpheus', 'tts-xai-v1'),
    fc.record(
      { enabled: fc.boolean(), usdPerMillionCharacters: createUsdArbitrary(5000) },
      { requiredKeys: [] },
    ),
  ),
  video: fc.record({
    'local-test-clip': fc.record({
      usdPerSecond: createUsdArbitrary(0.5),
      priceFactors: fc.record({ '480p': createUsdArbitrary(2, 1) }),
    }),
    harbour: fc.record({
      name: fc.constant('Harbour'),
      input: fc.constant('text' as const),
      usdPerSecond: createUsdArbitrary(0.5),
      durations: fc.constant(['5s', '7s'] as const),
    }),
  }),
  operations: fc.record({ parseText: fc.record({ usdPerRequest: createUsdArbitrary(1) }) }),
})

const orders = [
  { model: 'local-test-clip', duration: '3s', resolution: '480p' },
  { model: 'harbour', duration: '7s' },
]

it('lists, quotes, holds and charges the same price, for any catalogue', async () => {
  const run = async (given: CatalogueOverrides, text: string) => {
    let held = 0n
    let before = 0n
    const speech = createSpeaker(
      async () => (held = before - (await farebox.ledger.balance(account))),
    )
    const farebox = await startService({
      catalogue: createCatalogue(given),
      speech,
      video: renderer,
    })
    let entries = 1
    const { json } = await farebox.call('listModels', '/models?type=tts')
    const models = json['data'] as {
      readonly id: string
      readonly model_spec: { readonly pricing: { readonly input: { readonly usd: number } } }
    }[]
    expect(models.map(({ id }) => id).toSorted()).toEqual(
      Object.keys(contractCatalogue.settings.speech)
        .filter((id) => given.speech?.[id]?.enabled !== false)
        .toSorted(),
    )
    for (const id of ['tts-kokoro', 'tts-orpheus']) {
      before = await farebox.ledger.balance(account)
      const listed = models.find((model) => model.id === id)?.model_spec.pricing.input.usd
      const response = await post(farebox, 'createSpeech', '/audio/speech', {
        model: id,
        voice: id === 'tts-kokoro' ? 'af_sky' : 'tara',
        input: text,
      })
      if (listed === undefined) {
        expect([response.status, await farebox.ledger.balance(account)]).toEqual([400, before])
        continue
      }
      const price = (BigInt(Array.from(text).length) * toMicroUsd(listed) + 999_999n) / 1_000_000n
      expect([response.status, held]).toEqual([200, price])
      if (price > 0n) expect(await readCharge(farebox, ++entries)).toBe(price)
    }
    for (const order of orders) {
      const quoted = toMicroUsd(
        (await post(farebox, 'quoteVideo', '/video/quote', order)).json['quote'],
      )
      const model = (await farebox.call('getModel', `/models/${order.model}`)).json[
        'model_spec'
      ] as {
        pricing: { per_second: { usd: number } }
      }
      // a whole number of seconds at 720p, or at no resolution, is a multiple of the price of one
      if (order.resolution === undefined)
        expect(quoted).toBe(toMicroUsd(model.pricing.per_second.usd) * 7n)
      before = await farebox.ledger.balance(account)
      const queued = await post(farebox, 'queueVideo', '/video/queue', {
        ...order,
        prompt: 'A tram',
      })
      expect(before - (await farebox.ledger.balance(account))).toBe(quoted)
      if (quoted > 0n) expect(await readCharge(farebox, ++entries)).toBe(quoted)
      else expect(queued.status).toBe(200)
    }
    const price = toMicroUsd(given.operations?.['parseText']?.usdPerRequest ?? 0)
    expect((await parse(farebox)).status).toBe(200)
    if (price > 0n) expect(await readCharge(farebox, ++entries)).toBe(price)
    const served = (await (
      await farebox.service.fetch(new Request(`${origin}/openapi.json`))
    ).json()) as Record<string, Record<string, unknown>>
    expect(toMicroUsd(served['x-prices']?.['textParserUsdPerRequest'])).toBe(price)
    expect(farebox.crashes).toEqual([])
    await farebox.service.close()
  }
  await fc.assert(
    fc.asyncProperty(overrides, fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), run),
    { numRuns: countRounds(8) },
  )
})

describe("an operator's catalogue", () => {
  it('disables models: callers neither find nor pay for them', async () => {
    const catalogue = createCatalogue({
      speech: {
        'tts-kokoro': { enabled: false },
        'tts-chatterbox-hd': { enabled: false },
        'tts-minimax-speech-02-hd': { enabled: false },
      },
      video: { 'topaz-video-upscale': { enabled: false } },
      tiers: { XS: { models: ['qwen3-4b'] } },
    })
    const farebox = await startService({
      catalogue,
      speech: createSpeaker(async () => undefined),
      video: renderer,
    })
    for (const id of ['tts-kokoro', 'topaz-video-upscale', 'llama-3.2-3b'])
      expect((await farebox.call('getModel', `/models/${id}`)).status).toBe(404)
    const wallet = await farebox.richWallet()
    const speech = await farebox.call('createSpeech', '/audio/speech', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'payment-signature': await farebox.pay(wallet),
      },
      body: JSON.stringify({ input: 'Hello' }),
    })
    expect([speech.status, speech.json['details']]).toEqual([
      400,
      { model: { _errors: [expect.stringContaining('This service has no model tts-kokoro.')] } },
    ])
    expect(speech.headers.get('payment-response')).toBeNull()
    const form = new FormData()
    form.append('file', new Blob(['x']), 'a.wav')
    form.append('model', 'tts-chatterbox-hd')
    const voice = await farebox.call('createVoice', '/audio/voices', {
      method: 'POST',
      headers: asAdmin,
      body: form,
    })
    expect([voice.status, JSON.stringify(voice.json)]).toEqual([
      400,
      expect.stringContaining('no model does'),
    ])
    const { json } = await farebox.call('getRateLimits', '/api_keys/rate_limits', {
      headers: asAdmin,
    })
    expect(JSON.stringify(json)).not.toMatch(/tts-kokoro|topaz|llama-3\.2/)
    await farebox.service.close()
  })

  it('still makes a video that was queued before its model was disabled', async () => {
    const order = { model: 'local-test-clip', prompt: 'A tram', duration: '2s' }
    let started: () => void = () => undefined
    const rendering = new Promise<void>((resolve) => (started = resolve))
    const waiting: VideoBackend = {
      name: 'test',
      render: async (_order, signal) => {
        started()
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        )
      },
    }
    const database = await openEmptyDatabase()
    const kept = { ...database, close: async () => undefined }
    const before = await startService({ database: kept, video: waiting })
    const { json } = await post(before, 'queueVideo', '/video/queue', order)
    await rendering
    await before.service.close()

    const catalogue = createCatalogue({
      video: { 'local-test-clip': { enabled: false, usdPerSecond: 1 } },
    })
    const after = await startService({ database: kept, video: renderer, catalogue })
    expect(await readCharge(after, 2)).toBe(2000n)
    const retrieved = { model: 'local-test-clip', queue_id: json['queue_id'] }
    expect((await post(after, 'retrieveVideo', '/video/retrieve', retrieved)).bytes).toEqual(
      new Uint8Array([1]),
    )
    expect((await post(after, 'queueVideo', '/video/queue', order)).status).toBe(400)
    await after.service.close()
    await database.close()
  })

  it('sets the rate limits that headers and getRateLimits report', async () => {
    const catalogue = createCatalogue({
      limits: { audio: { default: { requests: 3 } }, unstated: { default: { requests: 9 } } },
    })
    const farebox = await startService({ catalogue, speech: createSpeaker(async () => undefined) })
    const speak = () =>
      post(farebox, 'createSpeech', '/audio/speech', { input: 'Hi', voice: 'af_sky' })
    const responses = [await speak(), await speak(), await speak(), await speak()]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(responses[0]?.headers.get('x-ratelimit-limit-requests')).toBe('3')
    expect((await parse(farebox)).headers.get('x-ratelimit-limit-requests')).toBe('9')
    const { json } = await farebox.call('getRateLimits', '/api_keys/rate_limits', {
      headers: asAdmin,
    })
    expect((json as { data: { rateLimits: unknown[] } }).data.rateLimits).toContainEqual({
      apiModelId: 'tts-kokoro',
      rateLimits: [{ amount: 3, type: 'RPM' }],
    })
    await farebox.service.close()
  })

  it('requires a resolution when the default one is not sold', async () => {
    const farebox = await startService({
      catalogue: createCatalogue({ video: { 'local-test-clip': { resolutions: ['480p'] } } }),
    })
    const quote = (more: object) =>
      post(farebox, 'quoteVideo', '/video/quote', {
        model: 'local-test-clip',
        duration: '2s',
        ...more,
      })
    expect((await quote({})).json['details']).toEqual({
      resolution: { _errors: ['local-test-clip takes 480p; found 720p.'] },
    })
    expect((await quote({ resolution: '480p' })).json).toEqual({ quote: 0.001 })
    await farebox.service.close()
  })
})
