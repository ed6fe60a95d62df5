import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createUpstreams } from '../app/create-upstreams.js'
import { createCatalogue } from '../domain/models/read-catalogue.js'
import {
  startService,
  type TestResponse,
  type Harness,
  type TestWallet,
} from '../../test/harness.js'
import { startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'

let upstream: ScriptedUpstream
let harness: Harness
let wallet: TestWallet

beforeAll(async () => {
  upstream = await startScripted()
  harness = await startService({
    catalogue: createCatalogue({
      image: {
        painter: {
          name: 'Painter',
          usdPerImage: { '512x512': 0.01, '1024x512': 0.015 },
          qualityFactors: { medium: 1, high: 2.5 },
        },
        drawer: { name: 'Drawer', usdPerImage: { '512x512': 0.01 } },
      },
    }),
    upstreams: createUpstreams(
      (['embedding', 'image', 'transcription'] as const).map((capability) => ({
        name: 'one',
        capability,
        url: `${upstream.origin}/v1`,
        modelNames: { drawer: 'gpt-image-1' },
        breaker: { failures: 1_000 },
      })),
    ),
  })
  wallet = await harness.richWallet()
})
afterAll(async () => {
  await harness.service.close()
  upstream.close()
})
afterEach(() => {
  expect(harness.crashes).toEqual([])
  harness.clock.time += 120_000
})

const scriptJson = (value: object) => {
  upstream.script = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
const readSentBody = () =>
  JSON.parse(String(upstream.received.at(-1)?.body)) as Record<string, unknown>

async function post(
  id: 'createEmbedding' | 'createImage',
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<TestResponse> {
  return harness.call(id, path, {
    method: 'POST',
    ...(signal && { signal }),
    headers: { 'content-type': 'application/json', ...(await harness.signIn(wallet)), ...headers },
    body: JSON.stringify(body),
  })
}

async function measureCost<T>(work: () => Promise<T>): Promise<[T, bigint]> {
  const before = await harness.ledger.balance(wallet.address)
  const result = await work()
  return [result, before - (await harness.ledger.balance(wallet.address))]
}

describe('embeddings', () => {
  const model = 'text-embedding-bge-m3'
  const embed = (body: object, headers = {}) =>
    post('createEmbedding', '/embeddings', { model, input: 'a', ...body }, headers)
  const vectors = (...all: readonly number[][]) => ({
    object: 'list',
    data: all.map((embedding, index) => ({ object: 'embedding', index, embedding })).toReversed(),
    usage: { prompt_tokens: 41, total_tokens: 41 },
  })

  it('are in input order, and cost the reported tokens', async () => {
    scriptJson(vectors([1, 0.5], [0.25, -2]))
    const input = ['first '.repeat(20), 'second '.repeat(20)]
    const [{ json }, price] = await measureCost(() => embed({ input }))
    expect(json).toEqual({
      object: 'list',
      model,
      data: [
        { object: 'embedding', index: 0, embedding: [1, 0.5] },
        { object: 'embedding', index: 1, embedding: [0.25, -2] },
      ],
      usage: { prompt_tokens: 41, total_tokens: 41 },
    })
    // 41 tokens at 0.15 micro-USD each
    expect(price).toBe(7n)
  })

  it('are base64 of little-endian floats', async () => {
    scriptJson(vectors([1, 0.5]))
    const { json } = await embed({ encoding_format: 'base64' })
    expect(json['data']).toMatchObject([{ embedding: 'AACAPwAAAD8=' }])
    expect(readSentBody()).toMatchObject({ encoding_format: 'float' })
  })

  it('of tokens are passed on unchanged', async () => {
    scriptJson({ ...vectors([1]), usage: undefined })
    const [{ json }, price] = await measureCost(() => embed({ input: [5, 6, 7] }))
    expect(readSentBody()['input']).toEqual([[5, 6, 7]])
    expect(json['usage']).toEqual({ prompt_tokens: 3, total_tokens: 3 })
    expect(price).toBe(1n)
  })

  it('cost the tokens counted by the service if the upstream reports none', async () => {
    for (const usage of [undefined, { prompt_tokens: 0, total_tokens: 0 }]) {
      scriptJson({ ...vectors([1]), usage })
      const [{ json }, price] = await measureCost(() => embed({ input: [5, 6, 7] }))
      expect([json['usage'], price]).toEqual([{ prompt_tokens: 3, total_tokens: 3 }, 1n])
    }
  })

  it.each([
    ['dimensions of a model without a choice', { dimensions: 5 }, 'dimensions'],
    ['an input that is too long', { input: 'word '.repeat(9_000) }, 'input'],
    ['a model of another kind', { model: 'qwen3-4b' }, 'model'],
    ['no input', { input: [] }, 'input'],
  ] as const)('with %s return 400 with the field', async (_name, body, field) => {
    const [{ status, json }, price] = await measureCost(() => embed(body))
    expect([status, price]).toEqual([400, 0n])
    expect(json['details']).toHaveProperty(field)
  })

  it.each([
    ['too few vectors', vectors([1])],
    ['no numbers', { data: [{ embedding: 'AAAA' }, { embedding: 'AAAA' }] }],
    ['nothing', {}],
    ['vectors of several lengths', vectors([1, 0.5], [0.25])],
    ['vectors without numbers', vectors([], [])],
    ['vectors of another length than was asked for', vectors([1, 0.5], [0.25, -2]), 1],
  ])('of an upstream that gives %s are free', async (_name, value, dimensions?: number) => {
    scriptJson(value)
    const shorter = dimensions !== undefined && { model: 'text-embedding-3-small', dimensions }
    const [{ status }, price] = await measureCost(() => embed({ input: ['a', 'b'], ...shorter }))
    expect([status, price]).toEqual([500, 0n])
  })

  it('are replayed by their Idempotency-Key', async () => {
    scriptJson(vectors([1]))
    const key = { 'idempotency-key': 'embeddings' }
    const [[first, again], price] = await measureCost(async () => [
      await embed({}, key),
      await embed({}, key),
    ])
    expect([again?.text, price]).toEqual([first?.text, 1n])
  })
})

describe('images', () => {
  const pixel = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
  const draw = (body: object) =>
    post('createImage', '/images/generations', { prompt: 'A ticket', ...body })

  it.each([
    ['the default size and quality', {}, '512x512', 10_000n],
    ['a size and a quality', { size: '1024x512', quality: 'hd' }, '1024x512', 37_500n],
  ])('of %s are charged their price', async (_name, body, size, expected) => {
    scriptJson({ data: [{ b64_json: pixel }] })
    const [{ json }, price] = await measureCost(() => draw(body))
    expect(json['data']).toEqual([{ b64_json: pixel }])
    expect(price).toBe(expected)
    expect(readSentBody()).toMatchObject({
      model: 'painter',
      size,
      n: 1,
      response_format: 'b64_json',
    })
  })

  it('are not requested as Base64 from an OpenAI model that returns nothing else', async () => {
    scriptJson({ data: [{ b64_json: pixel }] })
    expect((await draw({ model: 'drawer' })).status).toBe(200)
    expect(readSentBody()).toEqual({
      model: 'gpt-image-1',
      prompt: 'A ticket',
      n: 1,
      size: '512x512',
    })
  })

  it.each(['b64_json', 'url'])('may come as a data URL in %s', async (field) => {
    scriptJson({ data: [{ [field]: `data:image/png;base64,${pixel}` }] })
    const [{ json }, price] = await measureCost(() => draw({}))
    expect([json['data'], price]).toEqual([[{ b64_json: pixel }], 10_000n])
  })

  it('that were not generated are not charged', async () => {
    scriptJson({ data: [{ b64_json: pixel }] })
    expect((await measureCost(() => draw({ n: 3 })))[1]).toBe(10_000n)
  })

  it('that were generated for a disconnected client are in the response to its retry, and charged once', async () => {
    scriptJson({ data: [{ b64_json: pixel }] })
    const client = new AbortController()
    const { query } = harness.database
    const spy = vi.spyOn(harness.database, 'query').mockImplementation(async (sql, params) => {
      if (sql.includes('insert into generated_image')) client.abort()
      return query(sql, params)
    })
    const key = { 'idempotency-key': 'images' }
    const order = { prompt: 'A ticket', response_format: 'url' }
    const [again, price] = await measureCost(async () => {
      await post('createImage', '/images/generations', order, key, client.signal)
      return post('createImage', '/images/generations', order, key)
    })
    spy.mockRestore()
    expect(client.signal.aborted).toBe(true)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(price).toBe(10_000n)
  })

  it('are available at a URL of this service for 24 hours, as what the upstream made', async () => {
    scriptJson({ data: [{ b64_json: pixel, revised_prompt: 'A paper ticket' }] })
    const { json } = await draw({ response_format: 'url', output_format: 'jpeg' })
    const [image] = json['data'] as { url: string; revised_prompt: string }[]
    expect(image?.revised_prompt).toBe('A paper ticket')
    const get = async () => harness.service.fetch(new Request(image?.url ?? ''))
    const response = await get()
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(pixel)
    harness.clock.time += 24 * 3_600_000
    expect((await get()).status).toBe(410)
  })

  it.each([
    ['a size that the model does not make', { size: '256x256' }, 'size'],
    ['a quality that it does not have', { quality: 'low' }, 'quality'],
    ['too many', { n: 11 }, 'n'],
    ['a stream of events', { stream: true }, 'stream'],
    ['a model of another kind', { model: 'qwen3-4b' }, 'model'],
  ] as const)('with %s return 400 with the field', async (_name, body, field) => {
    const [{ status, json }, price] = await measureCost(() => draw(body))
    expect([status, price]).toEqual([400, 0n])
    expect(json['details']).toHaveProperty(field)
  })

  it('of an upstream that returns its own URL are free', async () => {
    scriptJson({ data: [{ url: 'https://upstream.example/1.png' }] })
    const [{ status, text }, price] = await measureCost(() => draw({}))
    expect([status, price]).toEqual([500, 0n])
    expect(text).not.toContain('upstream.example')
  })
})

describe('a transcript', () => {
  /** 2.5 s of silence. */
  const recording = toWav(2.5)
  const transcribe = async (fields: Readonly<Record<string, string>>, file = recording) => {
    const form = new FormData()
    form.set('file', new Blob([file]), 'speech.wav')
    form.set('model', 'openai/whisper-large-v3')
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return harness.call('createTranscription', '/audio/transcriptions', {
      method: 'POST',
      headers: await harness.signIn(wallet),
      body: form,
    })
  }
  const answer = {
    text: 'One ticket, please.',
    language: 'english',
    segments: [
      { start: 0, end: 1.25, text: ' One ticket,' },
      { start: 1.25, end: 2.5, text: ' please <b>.' },
    ],
    words: [{ word: 'One', start: 0, end: 0.5 }],
  }

  it('is charged by the length of its recording, rounded up once', async () => {
    scriptJson(answer)
    const [{ json }, price] = await measureCost(() => transcribe({ temperature: '0.2' }))
    expect(json).toEqual({ text: answer.text, usage: { type: 'duration', seconds: 2.5 } })
    // 0.006 USD for a minute
    expect(price).toBe(250n)
    const body = String(upstream.received.at(-1)?.body)
    expect(body).toMatch(/name="temperature"\s+0\.2/)
    expect(body).toMatch(/name="response_format"\s+json/)
  })

  it.each([
    ['text', 'One ticket, please.\n'],
    [
      'srt',
      '1\n00:00:00,000 --> 00:00:01,250\nOne ticket,\n\n2\n00:00:01,250 --> 00:00:02,500\nplease <b>.\n',
    ],
    [
      'vtt',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nOne ticket,\n\n00:00:01.250 --> 00:00:02.500\nplease &lt;b&gt;.\n',
    ],
  ])('as %s', async (response_format, expected) => {
    scriptJson(answer)
    const { text, headers } = await transcribe({ response_format })
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toBe(expected)
  })

  it('with timestamps contains the requested ones', async () => {
    scriptJson(answer)
    const { json } = await transcribe({
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'word',
    })
    expect(json).toEqual({
      task: 'transcribe',
      language: 'english',
      duration: 2.5,
      text: answer.text,
      words: answer.words,
      usage: { type: 'duration', seconds: 2.5 },
    })
  })

  it('without the requested timestamps is free, unless the recording is silent', async () => {
    for (const [text, status] of [
      ['Mind the gap.', 500],
      [' ', 200],
    ] as const) {
      scriptJson({ text })
      for (const fields of [
        { response_format: 'srt' },
        { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' },
      ]) {
        const [response, price] = await measureCost(() => transcribe(fields))
        expect([response.status, price === 0n]).toEqual([status, status === 500])
      }
      expect((await transcribe({})).status).toBe(200)
    }
  })

  it('has no timestamp before its recording, and no end before its start', async () => {
    const segments = [
      { start: -0.5, end: 1, text: 'Mind' },
      { start: 1.5, end: 1, text: 'the gap.' },
    ]
    scriptJson({ text: 'Mind the gap.', segments })
    expect((await transcribe({ response_format: 'srt' })).text).toBe(
      '1\n00:00:00,000 --> 00:00:01,000\nMind\n\n2\n00:00:01,500 --> 00:00:01,500\nthe gap.\n',
    )
  })

  it('is no stream of events, and a client that waits for one is told so, for nothing', async () => {
    scriptJson(answer)
    const [{ status, json }, price] = await measureCost(() => transcribe({ stream: 'true' }))
    expect([status, price]).toEqual([400, 0n])
    expect(json['details']).toHaveProperty('stream')
    expect((await transcribe({ stream: 'false' })).status).toBe(200)
  })

  it('of a recording whose length cannot be read is 400, before upstream and hold', async () => {
    const before = upstream.received.length
    const [{ status, json }, price] = await measureCost(() =>
      transcribe({}, Buffer.from('no recording at all')),
    )
    expect([status, price, upstream.received.length]).toEqual([400, 0n, before])
    expect(json['details']).toHaveProperty('file')
  })

  it('of a failed upstream is free', async () => {
    upstream.script = (response) => response.writeHead(500).end()
    const [{ status }, price] = await measureCost(() => transcribe({}))
    expect([status, price]).toEqual([503, 0n])
  })
})

/** Silence of 8,000 samples a second. */
function toWav(seconds: number): Buffer<ArrayBuffer> {
  const samples = Math.round(seconds * 8_000)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + 2 * samples, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(2 * samples, 40)
  return Buffer.concat([head, Buffer.alloc(2 * samples)])
}
