import { createSpeech, listTransactions, queueVideo } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../contract/failures.js'
import { readInput, createJsonScan } from './read-input.js'
import type { HttpError } from './reply.js'

const url = 'http://127.0.0.1:4020/api/v1'
const createJsonRequest = (body: BodyInit, contentType = 'application/json') =>
  new Request(`${url}/audio/speech`, {
    method: 'POST',
    body,
    headers: { 'content-type': contentType },
    duplex: 'half',
  } as RequestInit)
const readSpeech = async (request: Request) =>
  (await readInput(request, createSpeech, validators.createSpeech, {})).input

async function catchFailure(input: Promise<unknown>): Promise<Failure> {
  return input.then(
    () => {
      throw new Error('It was not rejected.')
    },
    (error: unknown) => (error as HttpError).failure,
  )
}

describe('a JSON body', () => {
  it('gets the defaults of the contract', async () => {
    expect(await readSpeech(createJsonRequest('{"input":"Next stop","speed":2}'))).toEqual({
      input: 'Next stop',
      model: 'tts-kokoro',
      voice: 'af_sky',
      response_format: 'mp3',
      speed: 2,
      streaming: false,
    })
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'may have the content type %s',
    async (contentType) => {
      expect(
        await readSpeech(createJsonRequest('{"input":"Next stop"}', contentType)),
      ).toMatchObject({
        input: 'Next stop',
      })
    },
  )

  it('has all its errors reported, nested like its fields', async () => {
    const body = JSON.stringify({
      model: 'm',
      prompt: '',
      duration: '1h',
      elements: [{}, { reference_image_urls: [1] }],
    })
    const request = new Request(`${url}/video/queue`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const { status, json: response } = await catchFailure(
      readInput(request, queueVideo, validators.queueVideo, {}),
    )
    expect(status).toBe(400)
    expect(response).toMatchObject({
      details: {
        prompt: { _errors: [expect.any(String)] },
        duration: { _errors: [expect.any(String)] },
        elements: { 1: { reference_image_urls: { 0: { _errors: [expect.any(String)] } } } },
      },
    })
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{input:1}'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('is 400 when it is %s', async (_what, body) => {
    const error = await catchFailure(readSpeech(createJsonRequest(body)))
    expect([error.status, error.json['error']]).toEqual([400, 'The body is not valid JSON.'])
  })

  it.each([['null'], ['[]'], ['"text"'], ['1']])('is 400 when it is %s', async (body) => {
    expect((await catchFailure(readSpeech(createJsonRequest(body)))).status).toBe(400)
  })

  it('is 415 under another content type, and without one', async () => {
    expect(
      (await catchFailure(readSpeech(createJsonRequest('{"input":"x"}', 'text/plain')))).json[
        'error'
      ],
    ).toBe('The content type must be application/json; this request has "text/plain".')
    expect(
      (await catchFailure(readSpeech(createJsonRequest(new Uint8Array([0x7b, 0x7d]), '')))).status,
    ).toBe(415)
  })

  it('is 415 when it is compressed', async () => {
    const compress = (coding: string) => {
      const request = createJsonRequest('{"input":"x"}')
      request.headers.set('content-encoding', coding)
      return request
    }
    expect(await catchFailure(readSpeech(compress('gzip')))).toMatchObject({
      status: 415,
      json: { error: 'The body must have no Content-Encoding; this request has "gzip".' },
    })
    await readSpeech(compress('identity'))
  })

  it.each([
    [64, '{"model":1}', queueVideo, 'The body is larger than 67108864 bytes.'],
    [1, '{}', createSpeech, 'The body is larger than 1048576 bytes.'],
  ] as const)(
    'is rejected beyond %d MiB, without being read to its end',
    async (size, small, operation, message) => {
      let sent = 0
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent++
          controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20))
        },
      })
      const input = (request: Request) =>
        readInput(request, operation, validators[operation.id], {})
      const error = await catchFailure(input(createJsonRequest(body)))
      expect([error.status, error.json['error']]).toEqual([
        operation.id === 'queueVideo' ? 413 : 400,
        message,
      ])
      expect(sent).toBeLessThan(size + 16)
      expect((await catchFailure(input(createJsonRequest(small)))).status).toBe(400)
    },
  )

  it('is safe with property names that objects inherit', async () => {
    const input = await readSpeech(
      createJsonRequest('{"input":"x","__proto__":{"speed":4},"constructor":{"prototype":{}}}'),
    )
    expect(input['speed']).toBe(1)
    expect(({} as Record<string, unknown>)['speed']).toBeUndefined()
    const error = await catchFailure(
      readSpeech(createJsonRequest('{"input":{"__proto__":1},"__proto__":{"_errors":1}}')),
    )
    expect(JSON.parse(JSON.stringify(error.json))).toMatchObject({
      details: { input: { _errors: [expect.any(String)] } },
    })
  })
})

describe('parameters', () => {
  const page = async (query: string) => {
    const path = { walletAddress: `0x${'1'.repeat(40)}` }
    const request = new Request(`${url}/x402/transactions/0x${query}`)
    return (await readInput(request, listTransactions, validators.listTransactions, path)).input
  }

  it('are parsed to their types, with defaults', async () => {
    expect(await page('?limit=7')).toMatchObject({ limit: 7, offset: 0 })
    expect(await page('?offset=null&unknown=1')).toMatchObject({ limit: 50, offset: null })
  })

  it('have their errors reported together', async () => {
    expect((await catchFailure(page('?limit=many&offset=-1'))).json).toMatchObject({
      details: {
        limit: { _errors: [expect.any(String)] },
        offset: { _errors: [expect.any(String)] },
      },
    })
  })
})

const toBytes = (text: string) => new TextEncoder().encode(text)
const look = (text: string) => createJsonScan().write(toBytes(text))

describe('a JSON text', () => {
  it('may be 64 levels deep', () => {
    expect([look('['.repeat(64) + ']'.repeat(64)), look('['.repeat(65))]).toEqual([
      undefined,
      'nested too deep',
    ])
    expect([look('{"a":'.repeat(64)), look('{"a":'.repeat(65))]).toEqual([
      undefined,
      'nested too deep',
    ])
  })

  it('may have 10,000 values', () => {
    const list = (length: number) => `[${Array.from({ length }, () => '1').join()}]`
    expect([look(list(9_999)), look(list(10_000))]).toEqual([undefined, 'made of too many values'])
    expect([look(`[${'{},'.repeat(4_900)}1]`), look(`[${'{},'.repeat(5_000)}1]`)]).toEqual([
      undefined,
      'made of too many values',
    ])
  })

  it('may have any content in its strings', () => {
    const text = `${'[{,'.repeat(20_000)}"\\ \ud83d\ude00`
    expect(look(JSON.stringify({ text, [text]: [] }))).toBeUndefined()
  })

  it('is checked in chunks as in one piece', () => {
    const text = toBytes(JSON.stringify({ 'a\\"[é': ['\\\\', '"]{', '\ud83d\ude00'] }).slice(0, -1))
    for (let at = 0; at <= text.length; at++) {
      const scan = createJsonScan()
      expect(scan.write(text.subarray(0, at))).toBeUndefined()
      expect(scan.write(text.subarray(at))).toBeUndefined()
      expect(scan.write(toBytes('['.repeat(63)))).toBeUndefined()
      expect(scan.write(toBytes('['))).toBe('nested too deep')
    }
  })

  it('that is invalid does no harm', () => {
    for (const text of [']'.repeat(100_000), '}{'.repeat(100), '"', '\\', '"\\', ''])
      expect(look(text)).toBeUndefined()
  })
})
