import { operations, type OperationId } from '@farebox/types/operations'
import fc from 'fast-check'
import { countRounds, sampleCases } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createRequestArbitrary } from '../../test/fuzz.js'
import { createRecording } from '../../test/recording.js'
import { adminKey, startService, type Harness, type TestWallet } from '../../test/harness.js'
import { SpeechError, type SpeechBackend } from '../domain/speech/speech-backend.js'
import { VideoError, type VideoBackend } from '../domain/video/video-backend.js'

const speech: SpeechBackend = {
  describe: () => 'test',
  speak: async function* ({ text }) {
    if (text.startsWith('!')) throw new SpeechError('busy', 'Busy.')
    yield { bytes: new TextEncoder().encode(text), made: Array.from(text).length }
  },
  close: async () => undefined,
}

const video: VideoBackend = {
  name: 'test',
  render: async ({ prompt }) => {
    if (prompt.length % 5 === 1) throw new VideoError('Not today.')
    return new Uint8Array(64)
  },
}

let farebox: Harness
let wallet: TestWallet
const keys: string[] = []
/** A key for each operation on one, since one of them ends it. */
const keyIds = new Map<OperationId, string>()

beforeAll(async () => {
  farebox = await startService({ speech, video, adminCreditUsd: 1e6 })
  wallet = await farebox.richWallet(1e6)
  const make = async (apiKeyType: string) => {
    const body = JSON.stringify({ apiKeyType, description: 'fuzz' })
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
    const made = await farebox.call('createApiKey', '/api_keys', { method: 'POST', headers, body })
    return made.json['data'] as { readonly apiKey: string; readonly id: string }
  }
  for (const type of ['ADMIN', 'INFERENCE']) keys.push((await make(type)).apiKey)
  for (const { id, path } of Object.values(operations))
    if (path.startsWith('/api_keys/{id}')) keyIds.set(id, (await make('INFERENCE')).id)
  const queued = await farebox.call('queueVideo', '/video/queue', {
    method: 'POST',
    headers: { ...toBearerHeader(adminKey), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local-test-clip', duration: '5s', prompt: 'A tram.' }),
  })
  videoIds.push(String(queued.json['queue_id']))
})
afterAll(() => farebox.service.close())
afterEach(async () => {
  expect(farebox.crashes).toEqual([])
  expect(await farebox.ledger.audit()).toEqual([])
})

type Credential =
  | 'none'
  | 'admin'
  | 'key'
  | 'inference'
  | 'wallet'
  | 'stranger'
  | 'both'
  | 'wrong'
  | 'mangled'
const credential = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Credential[]>('admin', 'key', 'wallet') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Credential[]>(
      'none',
      'inference',
      'stranger',
      'both',
      'wrong',
      'mangled',
    ),
  },
)

const createCredential = async (
  who: Credential,
  at: number,
): Promise<Readonly<Record<string, string>>> => credentials[who](at)

const toBearerHeader = (secret: string) => ({ authorization: `Bearer ${secret}` })
const credentials: Readonly<
  Record<
    Credential,
    (at: number) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  >
> = {
  none: () => ({}),
  admin: () => toBearerHeader(adminKey),
  key: () => toBearerHeader(keys[0] ?? ''),
  inference: () => toBearerHeader(keys[1] ?? ''),
  wrong: () => toBearerHeader('wrong'),
  both: async () => ({ ...toBearerHeader(adminKey), ...(await farebox.signIn(wallet)) }),
  wallet: () => farebox.signIn(wallet),
  mangled: async (at) => mangleHeaders(await farebox.signIn(wallet), at),
  stranger: async () => farebox.signIn(await farebox.richWallet(0.000001)),
}

/** A path that means something to this service. */
const toLikelyPath = (id: OperationId, path: string) =>
  path
    .replace(/^(\/api_keys\/)[^/?]*/, keyIds.has(id) ? `$1${keyIds.get(id)}` : '$&')
    .replace(/^(\/x402\/(?:balance|transactions)\/)[^/?]*/, `$1${wallet.address}`)
    .replace(/^\/models\/[^/?]*/, '/models/tts-kokoro')

/** A credential with one character changed. */
const mangleHeaders = (headers: Readonly<Record<string, string>>, at: number) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.slice(0, at % value.length) + 'A' + value.slice((at % value.length) + 1),
    ]),
  )

const videoIds: string[] = ['00000000-0000-4000-8000-000000000000']
const recording = await createRecording(6)

const attested = {
  confirmed_terms_and_privacy: true,
  confirmed_legal_right: true,
  confirmed_screening_acknowledged: true,
}

const likely: Partial<Record<OperationId, fc.Arbitrary<object>>> = {
  createSpeech: fc.record({
    input: fc.constantFrom('a', '!busy', '😀'.repeat(4096)),
    model: fc.constantFrom('tts-kokoro', 'tts-chatterbox-hd'),
  }),
  createChatCompletion: fc.record({
    model: fc.constantFrom('local-test-chat', 'local-test-chat', 'local-test-chat', 'qwen3-4b'),
    messages: fc.array(
      fc.record({
        role: fc.constantFrom('user', 'user', 'user', 'system', 'assistant', 'tool'),
        content: fc.oneof(
          fc.string(),
          fc.constantFrom(
            [{ type: 'text', text: 'Fares' }],
            [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
            [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
          ),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    max_tokens: fc.constantFrom(1, 20, 30, 1e9),
    n: fc.constantFrom(1, 2),
    stream: fc.boolean(),
  }),
  createEmbedding: fc.record({
    model: fc.constantFrom('local-test-embedding', 'local-test-chat'),
    input: fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 }), fc.array(fc.nat(300))),
    encoding_format: fc.constantFrom('float', 'base64'),
    dimensions: fc.constantFrom(16, 256, 1e6),
  }),
  createImage: fc.record({
    model: fc.constantFrom('local-test-image', 'default'),
    prompt: fc.string(),
    size: fc.constantFrom('256x256', 'auto', '17x17'),
    n: fc.constantFrom(1, 2, 11),
    response_format: fc.constantFrom('url', 'b64_json'),
  }),
  createTranscription: fc.record({
    file: fc.constantFrom(recording, recording.slice(0, 100)),
    model: fc.constant('local-test-transcription'),
    response_format: fc.constantFrom('json', 'text', 'srt', 'vtt', 'verbose_json'),
  }),
  createVoice: fc.record({
    file: fc.constantFrom(recording, recording.slice(0, 100)),
    model: fc.constantFrom('tts-chatterbox-hd', 'tts-kokoro'),
  }),
  parseText: fc.record({
    file: fc
      .constantFrom('Tram fares', '\0', '%PDF-1.4', 'PK\u0003\u0004')
      .map((text) => new TextEncoder().encode(text)),
  }),
  quoteVideo: order(),
  queueVideo: order(),
  retrieveVideo: fc.record({
    queue_id: fc.nat().map((n) => videoIds[n % videoIds.length]),
    model: fc.constantFrom('local-test-clip', 'local-test-clip-private'),
  }),
  createApiKey: fc.record({
    apiKeyType: fc.constantFrom('ADMIN', 'INFERENCE'),
    description: fc.string(),
    consumptionLimit: fc.constantFrom({}, { usd: 1 }, { usd: 0.1, diem: 2, vcu: null }),
  }),
}

function order(): fc.Arbitrary<object> {
  return fc.record(
    {
      model: fc.constantFrom(
        'local-test-clip',
        'local-test-clip-private',
        'seedance-2-0-image-to-video',
        'topaz-video-upscale',
      ),
      duration: fc.constantFrom('5s', '4s', 'Auto'),
      prompt: fc.string(),
      image_url: fc.constantFrom('data:image/png;base64,AAAA', 'https://media.example/a.png'),
      consents: fc.constant({ seedance: attested }),
      resolution: fc.constantFrom('480p', '4k'),
    },
    { requiredKeys: ['model', 'duration'] },
  )
}

describe.each(sampleCases(Object.keys(operations) as OperationId[]))(
  'fuzzed requests to %s',
  (id) => {
    it('return responses of the contract, and 5xx only when a backend causes it', async () => {
      const seen = new Map<number, number>()
      await fc.assert(
        fc.asyncProperty(
          createRequestArbitrary(id, likely[id]),
          credential,
          fc.boolean(),
          fc.nat(),
          async (drawn, who, isLikely, at) => {
            // so that neither limits nor the abuse guard stand in the way
            farebox.clock.time += 61_000
            const { method } = operations[id]
            const { headers, body, isWrong } = drawn
            const paid =
              id === 'topUp' && isLikely ? { 'payment-signature': await farebox.pay(wallet) } : {}
            const payment = at % 3 === 0 ? paid : mangleHeaders(paid, at)
            const init = {
              method,
              headers: { ...headers, ...payment, ...(await createCredential(who, at)) },
              ...(body !== undefined && { body }),
            }
            const { status, json } = await farebox.call(
              id,
              isLikely ? toLikelyPath(id, drawn.path) : drawn.path,
              init,
            )
            seen.set(status, (seen.get(status) ?? 0) + 1)
            if (typeof json['queue_id'] === 'string') videoIds.push(json['queue_id'])
            expect(farebox.crashes).toEqual([])
            if (status >= 500)
              expect(`${id} ${String(json['code'])}`).toMatch(
                /^(?:createSpeech MODEL_AT_CAPACITY|retrieveVideo INFERENCE_FAILED)$/,
              )
            if (isWrong) expect(status).not.toBe(200)
          },
        ),
        { numRuns: countRounds(250) },
      )
      expect(
        seen.has(200),
        `Only errors, which prove little: give ${id} a request in "likely".`,
      ).toBe(true)
    })
  },
)
