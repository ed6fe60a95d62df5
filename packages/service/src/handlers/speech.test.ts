import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, createWallet, startService, type Harness } from '../../test/harness.js'
import { createFragmentedMp4 } from '@farebox/testing/mp4'
import { deepTest, countRounds, sampleCases } from '@farebox/testing/rounds'
import { SpeechError, type SpeechBackend } from '../domain/speech/speech-backend.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService({ nameBackends: true })))
beforeEach(() => void (farebox.clock.time += 61_000))
afterAll(() => farebox.service.close())

const asAdmin = { authorization: `Bearer ${adminKey}` }
const say = (
  body: object,
  headers: Readonly<Record<string, string>> = asAdmin,
  harness = farebox,
) =>
  harness.call('createSpeech', '/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ input: 'Two tickets, please.', ...body }),
  })
const readSeconds = async (bytes: Uint8Array) => {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
  const track = await input.getPrimaryAudioTrack()
  return track === null ? 0 : track.computeDuration()
}

describe('createSpeech', () => {
  const containers = [
    ['mp3', 'audio/mpeg', /^(?:\xff[\xe2-\xfb]|ID3)/],
    ['opus', 'audio/opus', /^OggS/],
    ['aac', 'audio/aac', /^\xff[\xf0-\xff]/],
    ['flac', 'audio/flac', /^fLaC/],
    ['wav', 'audio/wav', /^RIFF.{4}WAVE/s],
  ] as const
  it.each(sampleCases(containers))(
    'creates %s, whole and streamed, of the same length',
    async (format, mediaType, magic) => {
      const whole = await say({ response_format: format })
      const streamed = await say({ response_format: format, streaming: true })
      for (const response of [whole, streamed]) {
        expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType])
        expect(Buffer.from(response.bytes.subarray(0, 16)).toString('latin1')).toMatch(magic)
      }
      const [one, other] = [await readSeconds(whole.bytes), await readSeconds(streamed.bytes)]
      expect(one).toBeGreaterThan(1)
      expect(one).toBeLessThan(3)
      if (format !== 'wav') expect(Math.abs(one - other)).toBeLessThan(0.2)
    },
  )

  deepTest('returns raw samples at 24 kHz as pcm', async () => {
    const [pcm, wav] = [
      await say({ response_format: 'pcm' }),
      await say({ response_format: 'wav' }),
    ]
    expect(pcm.headers.get('content-type')).toBe('audio/pcm')
    expect(Buffer.from(wav.bytes.subarray(44)).equals(Buffer.from(pcm.bytes))).toBe(true)
    expect(new DataView(wav.bytes.buffer).getUint32(24, true)).toBe(24_000)
    expect(new Set(pcm.bytes).size).toBeGreaterThan(100)
  })

  deepTest('names the voice that is used', async () => {
    const backend = async (body: object) =>
      (await say({ response_format: 'pcm', ...body })).headers.get('x-farebox-backend')
    expect(await backend({})).toBe('embedded test model; synthesizer=flite; voice=slt')
    expect(await backend({ voice: 'am_adam' })).toMatch(/voice=(rms|awb)$/)
    expect(await backend({ model: 'tts-xai-v1' })).toBe(
      'embedded test model; synthesizer=flite; voice=slt',
    )
  })

  deepTest('changes the speed without changing the pitch', async () => {
    const lengths = []
    for (const speed of [4, 1, 0.25])
      lengths.push((await say({ response_format: 'pcm', speed })).bytes.length)
    const [fast, normal, slow] = lengths as [number, number, number]
    expect(normal / fast).toBeGreaterThan(2.5)
    expect(slow / normal).toBeGreaterThan(3)
  })

  it('rejects a voice of another model, and says where its voices are listed', async () => {
    const rejected = await say({ model: 'tts-xai-v1', voice: 'af_sky' })
    expect(rejected.status).toBe(400)
    expect(rejected.json['details']).toEqual({
      voice: {
        _errors: ['af_sky is not a voice of tts-xai-v1. GET /models/tts-xai-v1 lists its voices.'],
      },
    })
  })

  it('rejects a request for events, for which a client of OpenAI would wait', async () => {
    const { status, json } = await say({ stream_format: 'sse' })
    expect([status, json['error']]).toEqual([
      400,
      'The request is not valid. stream_format: This operation sends no events. Leave the field out.',
    ])
    expect((await say({ stream_format: 'audio' })).status).toBe(200)
  })

  it('rejects a voice of no model, and says where voices are listed', async () => {
    const { status, json } = await say({ voice: 'alloy' })
    expect([status, json['error']]).toEqual([
      400,
      expect.stringMatching(
        /^The request is not valid\. voice: .*\. GET \/models\?type=tts lists the voices/,
      ),
    ])
  })

  it("charges per character at the model's price, and returns the remaining balance", async () => {
    const wallet = await farebox.richWallet(1)
    const before = await farebox.ledger.balance(wallet.address)
    const response = await say(
      { input: 'é𝄞 1234567', model: 'tts-qwen3-1-7b', response_format: 'pcm' },
      await farebox.signIn(wallet),
    )
    // ten code points at 112.5 USD a million
    expect(before - (await farebox.ledger.balance(wallet.address))).toBe(1_125n)
    expect(response.headers.get('x-balance-remaining')).toBe('0.998875')
    const { entries } = await farebox.ledger.entries(wallet.address, { limit: 1, offset: 0 })
    expect(entries[0]).toMatchObject({ type: 'CHARGE', amount: -1_125n, modelId: 'tts-qwen3-1-7b' })
  })

  it('rejects a wallet that cannot pay, and charges it nothing', async () => {
    const poor = createWallet()
    const rejected = await say({}, await farebox.signIn(poor))
    expect([rejected.status, rejected.json['reason']]).toEqual([402, 'insufficient_balance'])
    expect(rejected.headers.get('payment-required')).toBeTruthy()
  })

  it('charges once per Idempotency-Key, returns 409 meanwhile, and replays the same response', async () => {
    const headers = { ...asAdmin, 'idempotency-key': 'once' }
    const before = await farebox.ledger.balance('key:admin')
    const responses = await Promise.all(
      Array.from({ length: 3 }, () => say({ response_format: 'wav' }, headers)),
    )
    const [first] = responses.filter(({ status }) => status === 200)
    const others = responses.filter((response) => response !== first)
    for (const other of others) {
      expect([other.status, other.json['code'], other.headers.get('retry-after')]).toEqual([
        409,
        'IDEMPOTENCY_IN_PROGRESS',
        '1',
      ])
    }
    const again = await say({ response_format: 'wav' }, headers)
    expect([
      first?.headers.get('idempotent-replayed'),
      again.headers.get('idempotent-replayed'),
    ]).toEqual([null, 'true'])
    expect(again.bytes).toEqual(first?.bytes)
    expect(before - (await farebox.ledger.balance('key:admin'))).toBe(70n)
    expect((await say({ input: 'Something else' }, headers)).status).toBe(409)
    expect(await farebox.ledger.audit()).toEqual([])
  })

  deepTest(
    'says what has no word in it as silence, and letters it does not know without failing',
    async () => {
      for (const input of ['...', '🚋', '你好', 'Ça va? — “oui”', '-f /etc/passwd']) {
        const { status, bytes } = await say({ input, response_format: 'pcm' })
        expect([status, bytes.length > 1000], input.slice(0, 20)).toEqual([200, true])
      }
    },
  )

  // one long sentence, or thirty short ones; fast, as there is less sound to make then
  const repeated = [
    ['x', 300],
    ['9', 300],
    ['!a', countRounds(30)],
    ['A.B. ', countRounds(30)],
  ] as const
  it.each(sampleCases(repeated))('says %j %i times', async (part, times) => {
    const { status, bytes } = await say({
      input: part.repeat(times),
      response_format: 'pcm',
      speed: 4,
    })
    expect([status, bytes.length > 1000]).toEqual([200, true])
  })

  deepTest('sends the first audio long before the last', async () => {
    const request = new Request('http://127.0.0.1:4020/api/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...asAdmin },
      body: JSON.stringify({
        input: 'Trams run. '.repeat(12),
        response_format: 'pcm',
        streaming: true,
        speed: 4,
      }),
    })
    const response = await farebox.service.fetch(request)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(first?.value?.length).toBeLessThan(50_000)
    let parts = 1
    while ((await reader?.read())?.done === false) parts++
    expect(parts).toBeGreaterThan(10)
  })
})

describe('a backend that fails', () => {
  const failing = (speak: SpeechBackend['speak']): Promise<Harness> =>
    startService({ speech: { describe: () => 'test', speak, close: async () => undefined } })
  const part = { bytes: new Uint8Array(10), made: 1 }

  it('costs nothing before the first byte', async () => {
    const harness = await failing(async function* () {
      if (farebox.clock.time > 0) throw new SpeechError('busy', 'Full.')
      yield part
    })
    const response = await say({}, asAdmin, harness)
    expect([response.status, response.json['code'], response.headers.get('retry-after')]).toEqual([
      503,
      'MODEL_AT_CAPACITY',
      '5',
    ])
    expect(await harness.ledger.spendable('key:admin')).toMatchObject({ usd: 100_000_000n })
    await harness.service.close()
  })

  it('rejects input that would take too long before holding its price', async () => {
    const rejectLate = () => {
      throw new SpeechError('busy', 'Late.', { retryAfterSeconds: 12 })
    }
    const harness = await startService({
      speech: {
        describe: () => 'test',
        rejectLate,
        speak: async function* () {},
        close: async () => undefined,
      },
    })
    const response = await say({}, asAdmin, harness)
    expect([response.status, response.json['code'], response.headers.get('retry-after')]).toEqual([
      503,
      'MODEL_AT_CAPACITY',
      '12',
    ])
    expect(await harness.database.query('select 1 from hold')).toEqual([])
    await harness.service.close()
  })

  it('has its stream cut off and charges nothing', async () => {
    const harness = await failing(async function* () {
      yield part
      throw new Error('broken')
    })
    await expect(say({ streaming: true }, asAdmin, harness)).rejects.toThrow()
    expect(await harness.ledger.spendable('key:admin')).toMatchObject({ usd: 100_000_000n })
    const { entries } = await harness.ledger.entries('key:admin', { limit: 2, offset: 0 })
    expect(entries.map(({ type }) => type)).toEqual(['GRANT'])
    expect(await harness.ledger.audit()).toEqual([])
    await harness.service.close()
  })

  it('fails whole speech with a status, even after part of it was made', async () => {
    const harness = await failing(async function* () {
      yield part
      throw new SpeechError('busy', 'Full.')
    })
    const response = await say({}, asAdmin, harness)
    expect([response.status, response.json['code']]).toEqual([503, 'MODEL_AT_CAPACITY'])
    expect(await harness.ledger.spendable('key:admin')).toMatchObject({ usd: 100_000_000n })
    await harness.service.close()
  })

  it('is notified when the caller disconnects', async () => {
    let told: AbortSignal | undefined
    const harness = await failing(async function* (_request, signal) {
      told = signal
      yield part
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    })
    const caller = new AbortController()
    const request = new Request('http://127.0.0.1:4020/api/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...asAdmin },
      body: JSON.stringify({ input: 'x', streaming: true }),
      signal: caller.signal,
    })
    const response = await harness.service.fetch(request)
    const reader = response.body?.getReader()
    await reader?.read()
    caller.abort()
    expect(told?.aborted).toBe(true)
    await reader?.cancel().catch(() => undefined)
    await harness.service.close()
  })
})

describe('createVoice', () => {
  const learn = async (file: Uint8Array<ArrayBuffer>, model?: string, key?: string) => {
    const body = new FormData()
    body.set('file', new Blob([file]), 'me.wav')
    if (model !== undefined) body.set('model', model)
    return farebox.call('createVoice', '/audio/voices', {
      method: 'POST',
      headers: { ...asAdmin, ...(key !== undefined && { 'idempotency-key': key }) },
      body,
    })
  }
  const recordings = new Map<number, Promise<Uint8Array>>()
  const made = async (repeat: number) =>
    (await say({ input: 'A long enough recording. '.repeat(repeat), response_format: 'wav' })).bytes
  /** A copy, since the service moves what it reads. */
  const recording = async (repeat = 5) => {
    const known = recordings.get(repeat) ?? made(repeat)
    recordings.set(repeat, known)
    return Uint8Array.from(await known)
  }

  it('returns a handle that works only with its model and for its creator', async () => {
    const { status, json } = await learn(await recording())
    expect([status, json['model']]).toEqual([200, 'tts-chatterbox-hd'])
    const voice = json['id'] as string
    expect(voice).toMatch(/^vv_[\w-]{16}$/)
    const spoken = await say({ model: 'tts-chatterbox-hd', voice, response_format: 'pcm' })
    expect([spoken.status, spoken.headers.get('x-farebox-backend')]).toEqual([
      200,
      'embedded test model; synthesizer=flite; voice=kal16',
    ])
    expect((await say({ model: 'tts-minimax-speech-02-hd', voice })).json['details']).toMatchObject(
      {
        voice: { _errors: [`${voice} was made with tts-chatterbox-hd.`] },
      },
    )
    const stranger = await farebox.richWallet()
    expect(
      (await say({ model: 'tts-chatterbox-hd', voice }, await farebox.signIn(stranger))).status,
    ).toBe(400)
    farebox.clock.time += 8 * 86_400_000
    expect((await say({ model: 'tts-chatterbox-hd', voice })).status).toBe(400)
  })

  it('creates one voice per Idempotency-Key', async () => {
    const file = await recording()
    const [first, again] = [await learn(file, undefined, 'v1'), await learn(file, undefined, 'v1')]
    expect([
      first.headers.get('idempotent-replayed'),
      again.headers.get('idempotent-replayed'),
    ]).toEqual([null, 'true'])
    expect(again.json).toEqual(first.json)
    expect((await learn(file, 'tts-minimax-speech-02-hd', 'v1')).status).toBe(409)
  })

  deepTest('rejects input that it cannot use, with the reason', async () => {
    const readMessage = async (file: Uint8Array<ArrayBuffer>, model?: string) => {
      const { status, json } = await learn(file, model)
      return [status, JSON.stringify(json['details'])]
    }
    expect(await readMessage(await recording(1))).toEqual([
      400,
      expect.stringMatching(/lasts \d\.\d s; this model needs 5 s/),
    ])
    expect(await readMessage(new Uint8Array(0))).toEqual([
      400,
      expect.stringContaining('The file is empty'),
    ])
    expect(await readMessage(new TextEncoder().encode('no sound at all'))).toEqual([
      400,
      expect.stringContaining('not audio'),
    ])
    expect(await readMessage(await recording(), 'tts-kokoro')).toEqual([
      400,
      expect.stringContaining('tts-kokoro does not learn voices'),
    ])
    const forged = createFragmentedMp4(2 ** 32 - 1, { data: 0, kind: 'sound' })
    expect(await readMessage(forged)).toEqual([
      400,
      expect.stringContaining('more samples than it has bytes'),
    ])
    const flac = Uint8Array.from(
      (await say({ input: 'long '.repeat(60), response_format: 'flac' })).bytes,
    )
    expect(await readMessage(flac, 'tts-minimax-speech-02-hd')).toEqual([
      400,
      expect.stringContaining('The file is FLAC; expected MP3, WAV'),
    ])
  })
})
