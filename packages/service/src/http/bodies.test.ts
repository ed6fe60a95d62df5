import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { adminKey, createWallet, startService, type Harness } from '../../test/harness.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
afterEach(() => void (farebox.clock.time += 61_000))
afterAll(() => farebox.service.close())

const asAdmin = { authorization: `Bearer ${adminKey}` }
const mebibyte = 1024 * 1024

/** A body of the same piece again and again, which counts what was read of it. */
function createEndlessBody(first: string, piece: string) {
  const [head, rest] = [first, piece].map((text) => new TextEncoder().encode(text)) as [
    Uint8Array,
    Uint8Array,
  ]
  const read = { bytes: 0 }
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const chunk = read.bytes === 0 ? head : rest
    read.bytes += chunk.length
    controller.enqueue(chunk)
  }
  return { read, stream: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }) }
}

describe('a wallet without credit', () => {
  it.each([
    ['createSpeech', '/audio/speech', 'application/json'],
    ['queueVideo', '/video/queue', 'application/json'],
    ['parseText', '/augment/text-parser', 'multipart/form-data; boundary=b'],
  ] as const)('gets 402 of %s before any of its body is read', async (id, path, contentType) => {
    const { read, stream } = createEndlessBody('{"input":"', 'x'.repeat(65_536))
    for (const headers of [{}, { 'idempotency-key': 'never used' }]) {
      const signIn = await farebox.signIn(createWallet())
      const init = {
        method: 'POST',
        body: stream,
        headers: { ...signIn, ...headers, 'content-type': contentType },
      }
      const response = await farebox.call(id, path, init)
      expect([response.status, response.json['reason'], read.bytes]).toEqual([
        402,
        'insufficient_balance',
        0,
      ])
    }
  })

  it('gets the same video again for the Idempotency-Key that spent its last credit', async () => {
    const wallet = await farebox.richWallet(0.0005)
    const body = JSON.stringify({
      model: 'local-test-clip',
      prompt: 'A tram',
      duration: '2s',
      resolution: '256p',
    })
    const queue = async () => {
      const headers = {
        ...(await farebox.signIn(wallet)),
        'idempotency-key': 'film',
        'content-type': 'application/json',
      }
      return farebox.call('queueVideo', '/video/queue', { method: 'POST', body, headers })
    }
    const [first, again] = [await queue(), await queue()]
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      200,
      'true',
    ])
    expect(again.json['queue_id']).toBe(first.json['queue_id'])
  })
})

describe('a JSON body', () => {
  it.each([
    ['of millions of values', '{"model":"m","consents":[', '{},', 'Expected at most 10000 values.'],
    ['of millions of members', '{"a":1', ',"b":2', 'Expected at most 10000 values.'],
    ['without an end to its depth', '{"consents":', '[[[[', 'Expected at most 64 levels.'],
  ])('%s is rejected at the first excess bytes', async (_what, first, piece, expected) => {
    const { read, stream } = createEndlessBody(first, piece.repeat(1_000))
    const headers = { ...asAdmin, 'content-type': 'application/json' }
    const { status, json } = await farebox.call('queueVideo', '/video/queue', {
      method: 'POST',
      body: stream,
      headers,
    })
    expect([status, json['details']]).toEqual([400, { _errors: [expected] }])
    expect(read.bytes).toBeLessThan(200_000)
  })

  it.each([
    ['createSpeech', '/audio/speech', 'application/json', mebibyte, 400],
    ['queueVideo', '/video/queue', 'application/json', 64 * mebibyte, 413],
    ['parseText', '/augment/text-parser', 'multipart/form-data; boundary=b', 25.25 * mebibyte, 413],
  ] as const)(
    'of %s that declares an excessive length is not read',
    async (id, path, contentType, most, expected) => {
      const { read, stream } = createEndlessBody('{', ' '.repeat(1_000))
      const headers = {
        ...asAdmin,
        'content-type': contentType,
        'content-length': String(most + 1),
      }
      const response = await farebox.call(id, path, { method: 'POST', body: stream, headers })
      expect([response.status, response.json['error'], read.bytes]).toEqual([
        expected,
        `The body is larger than ${most} bytes.`,
        0,
      ])
    },
  )
})

describe('endless bodies', () => {
  it('from one address take no memory from others, least of all from callers with credit', async () => {
    const open: ReadableStreamDefaultController<Uint8Array>[] = []
    const million = new TextEncoder().encode(`{${' '.repeat(999_999)}`)
    const pending = (from: string) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          open.push(controller)
          controller.enqueue(million)
        },
      })
      return farebox.call('quoteVideo', '/video/quote', {
        method: 'POST',
        body,
        from,
        headers: { 'content-type': 'application/json' },
      })
    }
    const quote = (from: string, headers: Readonly<Record<string, string>> = {}) => {
      const body = JSON.stringify({
        model: 'local-test-clip',
        duration: '2s',
        resolution: '256p',
        padding: ' '.repeat(400_000),
      })
      return farebox.call('quoteVideo', '/video/quote', {
        method: 'POST',
        body,
        from,
        headers: { 'content-type': 'application/json', ...headers },
      })
    }
    const first = Array.from({ length: 35 }, () => pending('a'))
    const rejected = await Promise.race(first)
    expect([rejected.status, rejected.json['code'], rejected.headers.get('retry-after')]).toEqual([
      429,
      'SERVICE_BUSY',
      '2',
    ])
    expect([(await quote('a')).status, (await quote('b')).status]).toEqual([429, 200])

    const second = Array.from({ length: 35 }, () => pending('b'))
    await Promise.race(second)
    expect([(await quote('c')).status, (await quote('c', asAdmin)).status]).toEqual([429, 200])
    const wallet = await farebox.richWallet()
    const body = JSON.stringify({
      input: 'Next stop',
      padding: ' '.repeat(400_000),
      response_format: 'pcm',
    })
    const headers = { ...(await farebox.signIn(wallet)), 'content-type': 'application/json' }
    expect(
      (await farebox.call('createSpeech', '/audio/speech', { method: 'POST', body, headers }))
        .status,
    ).toBe(200)

    for (const controller of open) controller.error(new Error('gone'))
    await Promise.all([...first, ...second])
    expect([(await quote('a')).status, (await quote('c')).status]).toEqual([200, 200])
  })
})
