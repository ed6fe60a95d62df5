import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { box, createFragmentedMp4, encodeU32 } from '@farebox/testing/mp4'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { adminKey, startService, type Harness } from '../../test/harness.js'
import { VideoError, type VideoBackend } from '../domain/video/video-backend.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
beforeEach(() => void (farebox.clock.time += 61_000))
afterAll(() => farebox.service.close())

const asAdmin = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
const still = 'data:image/png;base64,iVBORw0KGgo='
const post = (
  id: 'queueVideo' | 'quoteVideo' | 'retrieveVideo',
  body: object,
  headers: Readonly<Record<string, string>> = asAdmin,
  harness = farebox,
) =>
  harness.call(id, `/video/${id.replace('Video', '')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const clip = {
  model: 'local-test-clip',
  prompt: 'A tram crosses a bridge at dawn',
  duration: '2s',
  resolution: '256p',
}
const queue = (body: object = {}, headers?: Readonly<Record<string, string>>, harness = farebox) =>
  post('queueVideo', { ...clip, ...body }, headers, harness)

/** Asks until the video is there, or has failed. */
async function wait(json: Record<string, unknown>, harness = farebox, body: object = {}) {
  for (;;) {
    const response = await post(
      'retrieveVideo',
      { model: json['model'], queue_id: json['queue_id'], ...body },
      asAdmin,
      harness,
    )
    if (response.status !== 200 || response.json['status'] !== 'PROCESSING') return response
    harness.clock.time += 1_000
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

const createLongVideo = () => createFragmentedMp4(75, { sampleDuration: 2 ** 31 })

async function lookAt(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  return {
    seconds: Math.round(await input.computeDuration()),
    size: [video?.displayWidth, video?.displayHeight],
    hasSound: audio !== null,
  }
}

describe('a video', () => {
  it('is quoted, queued, rendered as requested, and charged when it is ready', async () => {
    const before = await farebox.ledger.balance('key:admin')
    const order = { duration: '3s', resolution: '360p', aspect_ratio: '9:16', audio: false }
    const { json: quote } = await post('quoteVideo', { model: clip.model, ...order })
    const queued = await queue(order)
    expect(queued.json).toEqual({
      model: 'local-test-clip',
      queue_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    })
    expect(before - (await farebox.ledger.balance('key:admin'))).toBe(1_200n)
    const made = await wait(queued.json)
    expect([made.headers.get('content-type'), made.headers.get('x-farebox-backend')]).toEqual([
      'video/mp4',
      'embedded test model',
    ])
    expect(await lookAt(made.bytes)).toEqual({ seconds: 3, size: [360, 640], hasSound: false })
    expect(quote).toEqual({ quote: 0.0012 })
    const { entries } = await farebox.ledger.entries('key:admin', { limit: 1, offset: 0 })
    expect(entries[0]).toMatchObject({
      type: 'CHARGE',
      amount: -1_200n,
      modelId: 'local-test-clip',
    })
    expect(await farebox.ledger.audit()).toEqual([])
  })

  deepTest('shows any prompt, and has sound unless it is turned off', async () => {
    const queued = await queue({ prompt: `%{pts} ':\\;[x]\n\u0000${'w'.repeat(300)} 'drawtext=` })
    expect(await lookAt((await wait(queued.json)).bytes)).toEqual({
      seconds: 2,
      size: [456, 256],
      hasSound: true,
    })
  })

  it('is accessible only to its creator', async () => {
    const { json } = await queue()
    const stranger = await farebox.signIn(await farebox.richWallet())
    expect(
      (await post('retrieveVideo', { model: json['model'], queue_id: json['queue_id'] }, stranger))
        .status,
    ).toBe(404)
    expect(
      (await post('retrieveVideo', { model: 'topaz-video-upscale', queue_id: json['queue_id'] }))
        .status,
    ).toBe(404)
    for (const queue_id of ['nope', '00000000-0000-4000-8000-000000000000', "' or 1=1 --"])
      expect((await post('retrieveVideo', { model: clip.model, queue_id })).status).toBe(404)
    await wait(json)
  })

  it('is deleted on delivery if requested', async () => {
    const { json } = await queue()
    expect((await wait(json, farebox, { delete_media_on_completion: true })).status).toBe(200)
    expect((await wait(json)).json).toMatchObject({ code: 'MEDIA_NOT_FOUND' })
  })

  it('is queued once per Idempotency-Key', async () => {
    const headers = { ...asAdmin, 'idempotency-key': 'film' }
    const before = await farebox.ledger.balance('key:admin')
    const responses = await Promise.all([
      queue({}, headers),
      queue({}, headers),
      queue({}, headers),
    ])
    const [queued] = responses.filter(({ status }) => status === 200)
    expect(responses.filter(({ json }) => json['code'] === 'IDEMPOTENCY_IN_PROGRESS')).toHaveLength(
      2,
    )
    expect((await queue({}, headers)).json).toEqual(queued?.json)
    expect(before - (await farebox.ledger.balance('key:admin'))).toBe(500n)
    expect((await queue({ prompt: 'Another' }, headers)).status).toBe(409)
    await wait(queued?.json ?? {})
  })

  deepTest(
    'is held of the balance at once, which is one number everywhere, and charged when it is there',
    async () => {
      let finish = () => {}
      const isFinished = new Promise<void>((resolve) => (finish = resolve))
      const render = async () => isFinished.then(() => new Uint8Array(8))
      const harness = await startService({ video: { name: 'test', render } })
      const wallet = await harness.richWallet(1)
      const as = async () => ({ headers: await harness.signIn(wallet) })
      const seen = async () => {
        const balance = await harness.call(
          'getBalance',
          `/x402/balance/${wallet.address}`,
          await as(),
        )
        const page = await harness.call(
          'listTransactions',
          `/x402/transactions/${wallet.address}`,
          await as(),
        )
        const { currentBalance, transactions } = page.json['data'] as {
          readonly currentBalance: number
          readonly transactions: readonly { readonly type: string; readonly balanceAfter: number }[]
        }
        return [
          (balance.json['data'] as { readonly balanceUsd: number }).balanceUsd,
          currentBalance,
          transactions.map(({ type }) => type),
        ]
      }
      const queued = await queue({}, (await as()).headers, harness)
      expect(queued.headers.get('x-balance-remaining')).toBe('0.999500')
      expect(await seen()).toEqual([0.9995, 0.9995, ['TOP_UP']])
      finish()
      await expect.poll(async () => (await seen())[2]).toContain('CHARGE')
      expect(await seen()).toEqual([0.9995, 0.9995, ['CHARGE', 'TOP_UP']])
      await harness.service.close()
    },
  )

  it('is rejected for a wallet that cannot pay', async () => {
    const wallet = await farebox.richWallet(0.0001)
    const rejected = await queue({}, await farebox.signIn(wallet))
    expect([rejected.status, rejected.json['reason']]).toEqual([402, 'insufficient_balance'])
    const rich = await farebox.richWallet(1)
    expect((await queue({}, await farebox.signIn(rich))).headers.get('x-balance-remaining')).toBe(
      '0.999500',
    )
  })
})

describe('input that a model does not accept', () => {
  it.each([
    [{ model: 'nope' }, 'model', 'There is no video model'],
    [{ duration: '16s' }, 'duration', 'local-test-clip takes 2s'],
    [{ resolution: '4k' }, 'resolution', 'found 4k'],
    [{ upscale_factor: 4 }, 'upscale_factor', 'does not upscale'],
    [
      { model: 'seedance-2-0-fast-text-to-video', duration: '5s', resolution: '1080p' },
      'resolution',
      'takes 480p, 720p',
    ],
    [
      {
        model: 'seedance-2-0-text-to-video',
        duration: '5s',
        resolution: '480p',
        prompt: 'x'.repeat(2501),
      },
      'prompt',
      'takes 2500 characters; found 2501',
    ],
    [
      { model: 'seedance-2-0-image-to-video', duration: '5s', resolution: '480p' },
      'image_url',
      'starts from an image',
    ],
    [
      { model: 'seedance-2-0-reference-to-video', duration: '5s', resolution: '480p' },
      'reference_image_urls',
      'follows references',
    ],
  ])('is rejected with its field: %j', async (body, field, message) => {
    const { status, json } = await queue(body)
    expect([status, JSON.stringify((json['details'] as Record<string, unknown>)[field])]).toEqual([
      400,
      expect.stringContaining(message),
    ])
  })

  it('is also rejected by the rules of the contract', async () => {
    expect((await queue({ reference_audio_urls: ['https://x.example/a.mp3'] })).status).toBe(400)
    expect(
      (await post('queueVideo', { model: 'topaz-video-upscale', prompt: 'x', duration: 'Auto' }))
        .status,
    ).toBe(400)
  })
})

describe('consent', () => {
  const faces = {
    model: 'seedance-2-0-image-to-video',
    duration: '4s',
    resolution: '480p',
    image_url: still,
  }
  const seedance = {
    confirmed_terms_and_privacy: true,
    confirmed_legal_right: true,
    confirmed_screening_acknowledged: true,
  }

  it('is required for media that may show faces, with the policy, and nothing is charged', async () => {
    const before = await farebox.ledger.balance('key:admin')
    const { status, json } = await queue({ ...faces, end_image_url: still })
    expect([status, json['error'], json['face_media_roles']]).toEqual([
      409,
      { code: 'needs_consent', message: expect.any(String) as string },
      ['image', 'end_image'],
    ])
    expect(
      (json['consent'] as { readonly policy_text: string }).policy_text.length,
    ).toBeGreaterThan(100)
    expect(await farebox.ledger.balance('key:admin')).toBe(before)
  })

  deepTest('lets the same request through', async () => {
    const { status, json } = await queue({ ...faces, consents: { seedance } })
    expect(status).toBe(200)
    expect((await lookAt((await wait(json)).bytes)).seconds).toBe(4)
  })

  it('requires all three members or none', async () => {
    const faults = [
      { ...seedance, confirmed_legal_right: false },
      { confirmed_legal_right: true },
      { ...seedance, consent_version: 'x' },
    ]
    for (const fault of faults)
      expect((await queue({ ...faces, consents: { seedance: fault } })).status).toBe(400)
  })

  deepTest('is not required for text-to-video', async () => {
    const { status, json } = await queue({
      model: 'seedance-2-0-text-to-video',
      duration: '4s',
      resolution: '480p',
    })
    expect(status).toBe(200)
    await wait(json)
  })
})

describe('an upscale', () => {
  deepTest('enlarges the video that is sent, for its length', async () => {
    const small = await wait((await queue({ duration: '4s' })).json)
    const video_url = `data:video/mp4;base64,${Buffer.from(small.bytes).toString('base64')}`
    const order = {
      model: 'topaz-video-upscale',
      prompt: 'sharp',
      duration: 'Auto',
      video_url,
      upscale_factor: 2,
    }
    expect(
      (
        await post('quoteVideo', {
          model: order.model,
          duration: 'Auto',
          video_url,
          upscale_factor: 4,
        })
      ).json['quote'],
    ).toBeCloseTo(1.6, 1)
    const made = await wait((await post('queueVideo', order)).json)
    expect(await lookAt(made.bytes)).toEqual({ seconds: 4, size: [912, 512], hasSound: true })
  })

  it('fetches nothing, and refunds the charge', async () => {
    const before = await farebox.ledger.balance('key:admin')
    const order = {
      model: 'topaz-video-upscale',
      prompt: 'x',
      duration: 'Auto',
      video_url: 'http://169.254.169.254/latest',
    }
    const failed = await wait((await post('queueVideo', order)).json)
    expect([failed.status, failed.json['error']]).toEqual([
      500,
      expect.stringContaining('The local renderer does not fetch URLs.'),
    ])
    expect(await farebox.ledger.balance('key:admin')).toBe(before)
  })

  it.each<readonly [string, string, string]>([
    ['a playlist', 'text', '#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n'],
    ['a video that claims four billion samples in 2 kB', 'mp4', String(2 ** 32 - 1)],
    ['a video that claims to last for years', 'long', '75'],
  ])('is 400 immediately for %s, quoted or queued', async (_what, kind, text) => {
    const claimed = {
      text: () => Buffer.from(text),
      mp4: () => createFragmentedMp4(Number(text), { data: 0 }),
      long: createLongVideo,
    }
    const bytes = claimed[kind as keyof typeof claimed]()
    const order = {
      model: 'topaz-video-upscale',
      duration: 'Auto',
      video_url: `data:video/mp4;base64,${Buffer.from(bytes).toString('base64')}`,
    }
    const before = await farebox.ledger.balance('key:admin')
    for (const response of [
      await post('quoteVideo', order, {}),
      await post('queueVideo', { ...order, prompt: 'x' }),
    ])
      expect([response.status, response.json['details']]).toEqual([
        400,
        { video_url: { _errors: [expect.any(String)] } },
      ])
    expect(await farebox.ledger.balance('key:admin')).toBe(before)
  })

  it('is measured once, when it is queued, and never on the main thread', async () => {
    const seconds: number[] = []
    const harness = await startService({
      video: {
        name: 'test',
        render: async (order) => {
          seconds.push(order.seconds)
          return new Uint8Array(8)
        },
      },
    })
    const video_url = `data:video/mp4;base64,${Buffer.from(createFragmentedMp4(175, {})).toString('base64')}`
    const { json } = await post(
      'queueVideo',
      { model: 'topaz-video-upscale', prompt: 'x', duration: 'Auto', video_url },
      asAdmin,
      harness,
    )
    expect((await wait(json, harness)).bytes).toHaveLength(8)
    expect(seconds).toEqual([7])
    await harness.service.close()
  })
})

describe('an upscale whose length is misleading', () => {
  const upscale = (video_url: string) => ({
    model: 'topaz-video-upscale',
    duration: 'Auto',
    video_url,
    upscale_factor: 4,
  })
  const made = (seconds: number) =>
    box('moov', box('mvhd', encodeU32(0, 0, 0, 1000, seconds * 1000, 0x10000, 0x1000000, 0, 0)))
  const making = (seconds: number) =>
    startService({ video: { name: 'test', render: async () => made(seconds) } })

  it.each([
    [12, 200, 4_800_000n],
    [0.04, 200, 800_000n],
    [30, 200, 12_000_000n],
    [7_200, 500, 12_000_000n],
  ])(
    'at a URL holds the price of 30 s; one of %d s is %d and costs %d',
    async (seconds, status, price) => {
      const harness = await making(seconds)
      const order = upscale('https://video.example/film.mp4')
      expect((await post('quoteVideo', order, {}, harness)).json).toEqual({ quote: 12 })
      const { json } = await post('queueVideo', { ...order, prompt: 'x' }, asAdmin, harness)
      expect((await wait(json, harness)).status).toBe(status)
      while ((await harness.ledger.audit()).length + (await openHolds(harness)) > 0) continue
      expect(await harness.ledger.balance('key:admin')).toBe(100_000_000n - price)
      await harness.service.close()
    },
  )

  it('in the request is priced by its frames, and at least by the shortest duration', async () => {
    const readQuote = async (pictures: number, sampleDuration: number) => {
      const video_url = `data:video/mp4;base64,${Buffer.from(createFragmentedMp4(pictures, { sampleDuration })).toString('base64')}`
      return (await post('quoteVideo', upscale(video_url), {})).json['quote']
    }
    // a minute of pictures with the times of 1.8 s, and a few pictures
    expect([await readQuote(1_800, 1), await readQuote(5, 1)]).toEqual([12, 0.8])
  })
})

const openHolds = async ({ database }: Harness) =>
  (await database.query(`select 1 from hold where state = 'held'`)).length

describe('a download URL', () => {
  const fetchUrl = (url: string, init?: RequestInit) =>
    farebox.service.fetch(new Request(url, init))

  it('returns the video, or ranges of it, without credentials, until it is revoked', async () => {
    const { json } = await queue({ model: 'local-test-clip-private' })
    const url = json['download_url'] as string
    expect((await wait(json)).json).toMatchObject({ status: 'COMPLETED' })
    const whole = new Uint8Array(await (await fetchUrl(url)).arrayBuffer())
    expect((await lookAt(whole)).seconds).toBe(2)
    const part = await fetchUrl(url, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 10-19/${whole.length}`,
    ])
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(whole.slice(10, 20))
    const tail = await fetchUrl(url, { headers: { range: 'bytes=-5' } })
    expect(new Uint8Array(await tail.arrayBuffer())).toEqual(whole.slice(-5))
    expect((await fetchUrl(url, { headers: { range: `bytes=${whole.length}-` } })).status).toBe(416)
    expect((await fetchUrl(url, { headers: { range: 'bytes=0-1,4-5' } })).status).toBe(200)
    expect((await fetchUrl(url, { method: 'HEAD' })).headers.get('content-length')).toBe(
      String(whole.length),
    )
    expect((await fetchUrl(url, { method: 'DELETE' })).status).toBe(204)
    expect((await fetchUrl(url)).status).toBe(410)
  })

  it('is valid for 24 hours, and cannot be forged', async () => {
    const { json } = await queue({ model: 'local-test-clip-private' })
    const url = new URL(json['download_url'] as string)
    await wait(json)
    const forged = new URL(url)
    forged.searchParams.set('expires', '9999999999')
    expect((await fetchUrl(forged.href)).status).toBe(403)
    expect((await fetchUrl(`${url.origin}${url.pathname}`)).status).toBe(403)
    farebox.clock.time += 86_400_000
    expect((await fetchUrl(url.href)).status).toBe(410)
  })
})

it('a download URL is good for 24 hours after a video that waited longer for its turn', async () => {
  let finish = (_media: Uint8Array) => {}
  const made = new Promise<Uint8Array>((resolve) => (finish = resolve))
  const harness = await startService({ video: { name: 'test', render: () => made } })
  const { json } = await queue({ model: 'local-test-clip-private' }, asAdmin, harness)
  const get = () => harness.service.fetch(new Request(json['download_url'] as string))
  harness.clock.time += 30 * 3_600_000
  expect((await get()).status).toBe(404)
  finish(new Uint8Array(8))
  await wait(json, harness)
  expect((await (await get()).arrayBuffer()).byteLength).toBe(8)
  harness.clock.time += 24 * 3_600_000
  expect((await get()).status).toBe(410)
  await harness.service.close()
})

describe('several callers', () => {
  const order = { model: clip.model, prompt: 'x', duration: '2s', resolution: '256p' }
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(setImmediate)
  }

  it('take turns, and a job that never ends blocks nobody else', async () => {
    const begun: string[] = []
    const render: VideoBackend['render'] = ({ prompt }, signal) => {
      begun.push(prompt)
      if (!prompt.startsWith('hangs')) return Promise.resolve(new Uint8Array(8))
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    }
    const harness = await startService({ video: { name: 'test', render }, videosAtOnce: 2 })
    const other = await harness.signIn(await harness.richWallet(1))
    for (const prompt of ['hangs 1', 'hangs 2']) await queue({ ...order, prompt }, asAdmin, harness)
    await until(() => begun.length === 1)
    await queue({ ...order, prompt: 'from another' }, other, harness)
    await until(() => begun.length === 2)
    expect(begun).toEqual(['hangs 1', 'from another'])
    await harness.service.close()
  })

  it('have as many videos rendered concurrently as configured', async () => {
    const begun: (() => void)[] = []
    const render = () =>
      new Promise<Uint8Array>((resolve) => begun.push(() => resolve(new Uint8Array(8))))
    const harness = await startService({ video: { name: 'test', render }, videosAtOnce: 4 })
    for (let count = 0; count < 3; count++) {
      const wallet = await harness.signIn(await harness.richWallet(1))
      await queue(order, wallet, harness)
      await queue(order, await harness.signIn(await harness.richWallet(1)), harness)
    }
    await until(() => begun.length === 4)
    begun[0]?.()
    await until(() => begun.length === 5)
    for (const finish of begun) finish()
    await until(() => begun.length === 6)
    begun[5]?.()
    await harness.service.close()
  })
})

describe('prompts and media', () => {
  const picture = (bytes: number) => `data:image/png;base64,${'A'.repeat(bytes)}`
  const faces = {
    model: 'seedance-2-0-image-to-video',
    prompt: 'café 🚋',
    duration: '4s',
    resolution: '480p',
  }
  const consents = {
    seedance: {
      confirmed_terms_and_privacy: true,
      confirmed_legal_right: true,
      confirmed_screening_acknowledged: true,
    },
  }
  const stored = async ({ database }: Harness) =>
    (await database.query('select 1 from video_input')).length

  it('are available to the backend, and deleted when the video is ready or has failed', async () => {
    const seen: unknown[] = []
    const harness = await startService({
      video: {
        name: 'test',
        render: async ({ request }) => {
          seen.push(request)
          if (seen.length === 1) return new Uint8Array(8)
          throw new VideoError('The muse is away.')
        },
      },
    })
    const body = { ...faces, consents, image_url: picture(2_000_000) }
    for (const status of [200, 500]) {
      const { json } = await post('queueVideo', body, asAdmin, harness)
      expect((await wait(json, harness)).status).toBe(status)
      expect(await stored(harness)).toBe(0)
    }
    expect(seen).toEqual([body, body])
    await harness.service.close()
  })

  it('that wait are limited, per caller and in total', async () => {
    const render: VideoBackend['render'] = (_order, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    const videoInputs = { perCaller: 5_000, inTotal: 9_000 }
    const harness = await startService({ video: { name: 'test', render }, videoInputs })
    const wallet = await harness.richWallet(50)
    const send = async (image: number, headers: Readonly<Record<string, string>> = asAdmin) => {
      const {
        status,
        json,
        headers: answered,
      } = await post(
        'queueVideo',
        { ...faces, consents, image_url: picture(image) },
        headers,
        harness,
      )
      return [status, json['code'], answered.get('retry-after')]
    }
    expect(await send(3_000)).toEqual([200, undefined, null])
    const before = await harness.ledger.balance('key:admin')
    expect(await send(3_000)).toEqual([429, 'VIDEO_QUEUE_FULL', '30'])
    expect(await harness.ledger.balance('key:admin')).toBe(before)
    expect(await send(4_000, await harness.signIn(wallet))).toEqual([200, undefined, null])
    expect(await send(2_000, await harness.signIn(await harness.richWallet(50)))).toEqual([
      429,
      'VIDEO_QUEUE_FULL',
      '30',
    ])
    expect(await stored(harness)).toBe(2)
    await harness.service.close()
  })
})

describe('a restart', () => {
  it('begins what was under way anew, days later too, and the video is charged once', async () => {
    const database = await openEmptyDatabase()
    const kept = { ...database, close: async () => undefined }
    let begun = () => {}
    const isBegun = new Promise<void>((resolve) => (begun = resolve))
    const endless: VideoBackend['render'] = (_order, signal) => {
      begun()
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    }
    const first = await startService({ database: kept, video: { name: 'test', render: endless } })
    const [inWork, waiting] = [await queue({}, asAdmin, first), await queue({}, asAdmin, first)]
    await isBegun
    first.clock.time += 72 * 3_600_000
    await first.ledger.releaseExpired()
    await first.service.close()

    const second = await startService({
      database: kept,
      video: { name: 'test', render: async () => new Uint8Array(8) },
    })
    for (const { json } of [inWork, waiting])
      expect((await wait(json, second)).bytes).toHaveLength(8)
    const { entries } = await second.ledger.entries('key:admin', { limit: 9, offset: 0 })
    expect(entries.map(({ type }) => type)).toEqual(['CHARGE', 'CHARGE', 'GRANT'])
    expect(await second.ledger.audit()).toEqual([])
    await second.service.close()
    await database.close()
  })
})

describe('a backend that fails', () => {
  const failing = (render: VideoBackend['render']) =>
    startService({ video: { name: 'test', render } })

  it('refunds the charge, and says why', async () => {
    const harness = await failing(async () => Promise.reject(new VideoError('The muse is away.')))
    const failed = await wait((await queue({}, asAdmin, harness)).json, harness)
    expect([failed.status, failed.json['error']]).toEqual([
      500,
      'The muse is away. Its price was given back.',
    ])
    expect(await harness.ledger.spendable('key:admin')).toMatchObject({ usd: 100_000_000n })
    await harness.service.close()
  })

  it('does not expose internal errors', async () => {
    const harness = await failing(async () => Promise.reject(new Error('secret path /etc')))
    const failed = await wait((await queue({}, asAdmin, harness)).json, harness)
    expect(failed.json['error']).toBe('The video could not be made. Its price was given back.')
    expect(harness.crashes).toHaveLength(1)
    await harness.service.close()
  })
})
