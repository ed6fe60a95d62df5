import { describe, expect, it } from 'vitest'
import type { ResponseReaders, OperationFacts } from './call.js'
import {
  findByRange,
  decode,
  isJson,
  isOfFamily,
  json,
  nothing,
  readBytes,
  readJson,
  readString,
} from './decode.js'
import { UnexpectedResponseError } from './unexpected-response-error.js'

const text: ResponseReaders = [['text/plain', readString]]
const audio: ResponseReaders = [
  ['audio/mpeg', readBytes],
  ['audio/wav', readBytes],
]
const mixed: ResponseReaders = [
  ['application/json', readJson],
  ['text/plain', readString],
  ['video/mp4', readBytes],
]
const empty: ResponseReaders = nothing

function createOperation(responses: Record<string, ResponseReaders>): OperationFacts {
  return {
    id: 'op',
    method: 'POST',
    path: '/op',
    security: [[]],
    idempotent: false,
    parameters: [],
    responses,
    otherwise: findByRange,
  }
}

const createResponse = (body: BodyInit | null, type?: string, status = 200) =>
  new Response(body, { status, headers: type === undefined ? {} : { 'content-type': type } })

/** What is thrown, in its public parts. */
async function catchErrorParts(
  responses: Record<string, ResponseReaders>,
  response: Response,
  maxBytes?: number,
) {
  const {
    name,
    operation: id,
    reason,
    status,
    excerpt,
    message,
  } = await catchUnexpected(responses, response, maxBytes)
  return { name, id, reason, status, excerpt, message }
}

async function catchUnexpected(
  responses: Record<string, ResponseReaders>,
  response: Response,
  maxBytes?: number,
): Promise<UnexpectedResponseError> {
  const error = await decode(createOperation(responses), response, maxBytes).catch(
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof UnexpectedResponseError))
    throw new Error('expected an UnexpectedResponseError', { cause: error })
  return error
}

/** A body that notes whether it was cancelled, and never ends by itself. */
function createEndlessBody(chunk: string) {
  const state = { cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(chunk)),
    cancel() {
      state.cancelled = true
    },
  })
  return { body, state }
}

describe('a declared response', () => {
  it('in JSON is parsed, as data on success and as error on failure', async () => {
    const ok = createResponse('{"a":1}', 'application/json')
    expect(await decode(createOperation({ 200: json }), ok)).toEqual({
      status: 200,
      data: { a: 1 },
      response: ok,
    })
    const bad = createResponse('{"error":"x"}', 'application/json; charset=utf-8', 402)
    expect(await decode(createOperation({ 200: json, 402: json }), bad)).toEqual({
      status: 402,
      error: { error: 'x' },
      response: bad,
    })
  })

  it('may have a +json type, such as problem+json', async () => {
    const bad = createResponse('{"title":"x"}', 'application/problem+json', 400)
    expect(await decode(createOperation({ 400: json }), bad)).toMatchObject({
      status: 400,
      error: { title: 'x' },
    })
  })

  it('in text is a string, empty or not', async () => {
    expect(
      await decode(createOperation({ 200: text }), createResponse('a', 'text/plain;charset=UTF-8')),
    ).toMatchObject({ data: 'a' })
    expect(
      await decode(createOperation({ 200: text }), createResponse('', 'text/plain')),
    ).toMatchObject({
      data: '',
    })
  })

  it('in bytes is the Response itself, unread', async () => {
    const response = createResponse('sound', 'audio/wav')
    expect(await decode(createOperation({ 200: audio }), response)).toEqual({
      status: 200,
      data: response,
      response,
    })
    expect(response.bodyUsed).toBe(false)
  })

  it('in one of several media types is decoded accordingly', async () => {
    expect(
      await decode(createOperation({ 200: mixed }), createResponse('{"a":1}', 'application/json')),
    ).toMatchObject({ data: { a: 1 } })
    expect(
      await decode(createOperation({ 200: mixed }), createResponse('{"a":1}', 'text/plain')),
    ).toMatchObject({
      data: '{"a":1}',
    })
    const video = createResponse('film', 'video/mp4')
    expect(await decode(createOperation({ 200: mixed }), video)).toMatchObject({ data: video })
  })

  it('is decoded by the closest declared type', async () => {
    const all: ResponseReaders = [
      ['text/csv', readBytes],
      ['text/*', readString, isOfFamily],
      ['application/json', readJson, isJson],
      ['*/*', readBytes, isOfFamily],
    ]
    const readKind = async (type: string) => {
      const decoded = await decode(createOperation({ 200: all }), createResponse('1', type))
      return 'data' in decoded ? typeof decoded.data : 'error'
    }
    expect(
      await Promise.all(
        ['text/csv', 'text/html', 'application/vnd.x+json', 'image/png'].map(readKind),
      ),
    ).toEqual(['object', 'string', 'number', 'object'])
  })

  it('without a declared body is undefined, and an unexpected body is cancelled', async () => {
    const { body, state } = createEndlessBody('x')
    expect(await decode(createOperation({ 200: empty }), createResponse(body))).toMatchObject({
      status: 200,
      data: undefined,
    })
    expect(state.cancelled).toBe(true)
    expect(
      await decode(createOperation({ '2XX': json }), createResponse(null, undefined, 204)),
    ).toMatchObject({
      status: 204,
      data: undefined,
    })
  })

  it('may be declared by a status range, and a failure by default', async () => {
    const responses = { 200: json, '4XX': json, default: text }
    expect(
      await decode(createOperation(responses), createResponse('{}', 'application/json', 418)),
    ).toMatchObject({ status: 418, error: {} })
    expect(
      await decode(createOperation(responses), createResponse('x', 'text/plain', 500)),
    ).toMatchObject({
      status: 500,
      error: 'x',
    })
    expect(
      await decode(
        createOperation({ default: json }),
        createResponse('{}', 'application/json', 201),
      ),
    ).toMatchObject({ status: 201, data: {} })
  })
})

describe('anything else is thrown', () => {
  it('an undeclared status, with what is declared', async () => {
    expect(
      await catchErrorParts(
        { 200: json, 400: json },
        createResponse('{"a":1}', 'application/json', 418),
      ),
    ).toEqual({
      name: 'UnexpectedResponseError',
      id: 'op',
      reason: 'undeclared_status',
      status: 418,
      excerpt: '{"a":1}',
      message: `op: the response 418 says ${JSON.stringify('{"a":1}')}, and is not declared; the contract declares 200, 400; the option unexpected accepts it`,
    })
  })

  it.each([
    ['{"message":"bad key"}', 'application/json'],
    ['{"error":{"code":"x","message":"bad\\n key"}}', 'application/json'],
    ['{"error":"bad key"}', 'application/json'],
    ['{"title":"Unauthorized","detail":"bad key"}', 'application/problem+json'],
    ['{"title":"bad key"}', 'application/problem+json'],
    [' bad  key\n', 'text/plain'],
  ])("with the server's message in %s", async (body, type) => {
    const { message } = await catchErrorParts({ 200: json }, createResponse(body, type, 401))
    expect(message).toMatch(/^op: the response 401 says "bad key", and is not declared; /)
  })

  it('with its URL', async () => {
    const bad = Object.defineProperty(createResponse('no', 'text/plain', 401), 'url', {
      value: 'https://api.example/a',
    })
    expect((await catchUnexpected({ 200: json }, bad)).response.url).toBe('https://api.example/a')
  })

  it('a success that only default covers if other successes are declared', async () => {
    expect(
      await catchErrorParts(
        { 200: json, default: json },
        createResponse('{}', 'application/json', 202),
      ),
    ).toMatchObject({
      reason: 'undeclared_status',
      status: 202,
    })
  })

  it('a page in HTML with status 200', async () => {
    expect(
      await catchErrorParts({ 200: json }, createResponse('<html>Sign in</html>', 'text/html')),
    ).toEqual({
      name: 'UnexpectedResponseError',
      id: 'op',
      reason: 'content_type',
      status: 200,
      excerpt: '<html>Sign in</html>',
      message:
        'op: the response 200 says "<html>Sign in</html>", and is text/html; the contract declares application/json; the option unexpected accepts it',
    })
  })

  it('a response without a media type', async () => {
    expect(
      await catchErrorParts({ 200: audio }, createResponse(new Uint8Array([1]))),
    ).toMatchObject({
      reason: 'content_type',
      excerpt: '',
      message:
        'op: the response 200 is untyped; the contract declares audio/mpeg, audio/wav; the option unexpected accepts it',
    })
  })

  it('truncated JSON, without its content on success, which may be a new key', async () => {
    expect(
      await catchErrorParts(
        { 200: json, 500: json },
        createResponse('{"apiKey":"secret', 'application/json'),
      ),
    ).toMatchObject({
      reason: 'malformed_json',
      excerpt: '',
      message: 'op: the response 200 is broken JSON',
    })
    expect(
      await catchErrorParts(
        { 200: json, 500: json },
        createResponse('{"error":"x', 'application/json', 500),
      ),
    ).toMatchObject({ excerpt: '{"error":"x' })
  })

  it('JSON with an undeclared success status, without its content', async () => {
    expect(
      await catchErrorParts(
        { 200: json },
        createResponse('{"apiKey":"secret"}', 'application/json', 201),
      ),
    ).toMatchObject({
      reason: 'undeclared_status',
      excerpt: '',
    })
  })

  it('without truncated content in its cause', async () => {
    const error = await decode(
      createOperation({ 200: json }),
      createResponse('secret', 'application/json'),
    ).catch((thrown: unknown) => thrown)
    expect(String((error as Error).cause)).toBe('undefined')
  })

  it('an empty body where there should be JSON', async () => {
    expect(
      await catchErrorParts({ 200: json }, createResponse('  ', 'application/json')),
    ).toMatchObject({
      reason: 'empty_body',
      message: 'op: the response 200 is empty; the option unexpected accepts it',
    })
  })

  it('never with more than 512 characters, nor with a body read beyond the limit', async () => {
    const { body, state } = createEndlessBody('é'.repeat(100))
    const { excerpt } = await catchErrorParts(
      { 200: json },
      createResponse(body, 'text/html'),
      2048,
    )
    expect([excerpt, state.cancelled]).toEqual(['é'.repeat(512), true])
    expect(
      (
        await catchErrorParts(
          { 500: json },
          createResponse('x'.repeat(600), 'application/json', 500),
        )
      ).excerpt,
    ).toBe('x'.repeat(512))
  })

  it('with a readable body: whole, or up to the limit', async () => {
    const teapot = createResponse('{"a":1}'.repeat(1000), 'application/json', 418)
    teapot.headers.set('x-request-id', 'r1')
    const { response } = await catchUnexpected({ 200: json }, teapot)
    expect([response.status, response.headers.get('x-request-id'), await response.text()]).toEqual([
      418,
      'r1',
      '{"a":1}'.repeat(1000),
    ])

    const key = await catchUnexpected(
      { 200: json },
      createResponse('{"apiKey":"secret"}', 'application/json', 201),
    )
    expect(await key.response.json()).toEqual({ apiKey: 'secret' })

    const bytes = new Uint8Array([0, 255, 128])
    const picture = await catchUnexpected({ 200: json }, createResponse(bytes, 'image/png'))
    expect([new Uint8Array(await picture.response.arrayBuffer()), picture.excerpt]).toEqual([
      bytes,
      '',
    ])

    const { body, state } = createEndlessBody('x'.repeat(10))
    const video = await catchUnexpected({ 200: json }, createResponse(body, 'video/mp4'), 25)
    expect([await video.response.text(), state.cancelled]).toEqual(['x'.repeat(25), true])
  })

  it('with a status that allows no body', async () => {
    expect(
      (await catchUnexpected({ 200: json }, createResponse(null, undefined, 304))).response.status,
    ).toBe(304)
  })

  it('with what came before the connection broke', async () => {
    const parts = ['<html>', undefined]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const part = parts.shift()
        if (part === undefined) controller.error(new Error('connection lost'))
        else controller.enqueue(new TextEncoder().encode(part))
      },
    })
    expect((await catchErrorParts({ 200: json }, createResponse(body, 'text/html'))).excerpt).toBe(
      '<html>',
    )
  })
})

describe('an invalid body', () => {
  const withLength = (
    body: string,
    length: number,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    new Response(body, {
      headers: { 'content-type': 'application/json', 'content-length': String(length), ...headers },
    })

  it('is rejected when it is shorter or longer than its Content-Length', async () => {
    for (const [length, found] of [
      [100, 'has 2 bytes instead of 100'],
      [1, 'has 2 bytes instead of 1'],
    ] as const) {
      expect(await catchErrorParts({ 200: json }, withLength('{}', length))).toMatchObject({
        reason: 'incomplete_body',
        message: `op: the response 200 ${found}`,
      })
    }
  })

  it('is accepted when the length is that of the encoded body', async () => {
    expect(
      await decode(
        createOperation({ 200: json }),
        withLength('{}', 1, { 'content-encoding': 'gzip' }),
      ),
    ).toMatchObject({ data: {} })
  })

  it.each([new TypeError('terminated'), new Error('Network connection lost.')])(
    'is rejected when the connection breaks in the middle',
    async (error) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('{"a"'))
          controller.error(error)
        },
      })
      expect(
        await catchErrorParts({ 200: json }, createResponse(body, 'application/json')),
      ).toMatchObject({
        reason: 'incomplete_body',
        message: 'op: the response 200 broke off',
      })
    },
  )

  it('is not read beyond the limit', async () => {
    const { body, state } = createEndlessBody('[1,')
    const error = await decode(
      createOperation({ 200: json }),
      createResponse(body, 'application/json'),
      1_000,
    ).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining('has more than 1000 bytes') as string,
    })
    expect(state.cancelled).toBe(true)
    const told = await decode(createOperation({ 200: json }), withLength('{}', 1_001), 1_000).catch(
      (thrown: unknown) => thrown,
    )
    expect(told).toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining('has more than 1000 bytes') as string,
    })
  })

  it("rejects with the caller's abort reason", async () => {
    const reason = new Error('enough')
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(reason) })
    const signal = AbortSignal.abort(reason)
    await expect(
      decode(
        createOperation({ 200: json }),
        createResponse(body, 'application/json'),
        undefined,
        signal,
      ),
    ).rejects.toBe(reason)
  })
})
