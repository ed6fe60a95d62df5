import { Buffer } from 'node:buffer'
import { format, inspect } from 'node:util'
import { memoryPaymentStore } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { createPaymentRequired } from '@farebox/testing/top-up-offer'
import { describe, expect, it } from 'vitest'
import { createFarebox } from './farebox.js'
import { FareboxError } from './error.js'
import type { FareboxEvent } from './options.js'
import { validation } from './validation.js'

const baseUrl = 'https://api.example.test/api/v1'
const apiKey = 'fb_live_9xQ+Zr7/kL2mWt4=Vb8n'
const wallet = privateKeySigner(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const createChallenge = () => {
  return new Response(null, { status: 402, headers: createPaymentRequired() })
}

/** A request as a server in debug mode prints it. */
const formatHeaders = (headers: Headers) =>
  [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')
const createJsonResponse = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) => Response.json(body, { status, headers })

/** How a service, or a proxy in front of it, may echo a request. */
const echoes: Readonly<Record<string, (headers: Headers) => Response>> = {
  'an error in JSON': (headers) =>
    createJsonResponse(400, {
      error: `Bad request: ${formatHeaders(headers)}`,
      code: 'BAD',
      headers: Object.fromEntries(headers),
    }),
  'names of fields': (headers) =>
    createJsonResponse(400, {
      error: 'no',
      details: Object.fromEntries([...headers].map(([name, value]) => [value, { name }])),
    }),
  'a code and an id': (headers) =>
    createJsonResponse(
      403,
      { error: 'no', code: [...headers.values()].join(' ') },
      { 'x-request-id': [...headers.values()].join(' ').slice(0, 4000) },
    ),
  'a deep body': (headers) => {
    let body: unknown = formatHeaders(headers)
    for (let depth = 0; depth < 10_000; depth++) body = depth % 2 === 0 ? [body] : { body }
    return new Response(`{"error":"no","trace":${stringify(body)}}`, {
      status: 400,
      headers: { 'content-type': 'application/json' },
    })
  },
  'a page of HTML': (headers) =>
    new Response(`<pre>${formatHeaders(headers)}</pre>`, {
      status: 400,
      headers: { 'content-type': 'text/html' },
    }),
  'a page of HTML that is cut in the midst of it': (headers) =>
    new Response(`${' '.repeat(440)}${[...headers.values()].join()}`, {
      status: 404,
      headers: { 'content-type': 'text/html' },
    }),
  'a sentence that is cut in the midst of it': (headers) =>
    new Response(`${'x'.repeat(170)} ${[...headers.values()].join()}`, {
      status: 418,
      headers: { 'content-type': 'text/plain' },
    }),
  'broken JSON': (headers) =>
    new Response(`{"error": "${formatHeaders(headers)}`, {
      status: 400,
      headers: { 'content-type': 'application/json' },
    }),
  'the headers of the response': (headers) =>
    new Response('<html>', { status: 418, headers: toEchoHeaders(headers) }),
  'a media type': (headers) =>
    new Response('x', {
      status: 400,
      headers: {
        'content-type': `text/${[...headers.values()].join('').replace(/[^\w+/=]/g, '')}`,
      },
    }),
  base64: (headers) =>
    createJsonResponse(400, { error: Buffer.from(formatHeaders(headers)).toString('base64') }),
  'percent-encoding': (headers) =>
    createJsonResponse(400, { error: encodeURIComponent(formatHeaders(headers)) }),
  hex: (headers) =>
    createJsonResponse(400, { error: Buffer.from(formatHeaders(headers)).toString('hex') }),
  'lines of 40 characters': (headers) =>
    createJsonResponse(400, { error: formatHeaders(headers).replaceAll(/.{40}/g, '$&\n') }),
  'the decoded sign-in': (headers) =>
    createJsonResponse(400, {
      error: Buffer.from(
        headers.get('sign-in-with-x') ?? headers.get('authorization') ?? '',
        'base64',
      ).toString(),
    }),
  'an error of fetch': (headers) => {
    const secrets = [...headers.values()]
    const response = new Response(null, { headers: toEchoHeaders(headers) })
    const options = {
      config: { headers },
      request: { headers: secrets },
      response,
      sent: secrets.join(),
      cause: new AggregateError(
        secrets.map((one) => new Error(one)),
        secrets[0],
      ),
    }
    throw Object.assign(new TypeError(`could not send ${secrets.join()}`), options)
  },
  'an error of fetch with a code': (headers) => {
    throw Object.assign(new Error('no'), { code: [...headers.values()].join(' ') })
  },
}

function toEchoHeaders(headers: Headers): Headers {
  return new Headers(
    [...headers].map(([name, value]): [string, string] => [`x-echo-${name}`, value]),
  )
}

/** JSON.stringify overflows the stack at this depth. */
function stringify(value: unknown): string {
  const texts: string[] = []
  let [at, close] = [value, '']
  while (typeof at === 'object' && at !== null) {
    const isList = Array.isArray(at)
    texts.push(isList ? '[' : '{"body":')
    close = (isList ? ']' : '}') + close
    at = isList ? (at as readonly unknown[])[0] : (at as { readonly body?: unknown }).body
  }
  return texts.join('') + JSON.stringify(at) + close
}

/** Everything that a log, a reporter or a debugger could find. */
function inspectError(thrown: unknown): string {
  const parts: string[] = []
  for (let at: unknown = thrown, depth = 0; at !== undefined && at !== null && depth < 8; depth++) {
    parts.push(
      inspect(at, { depth: 30, showHidden: true, maxStringLength: null }),
      format('%s %o %j', at, at, at),
    )
    parts.push(JSON.stringify(at), (at as Error).stack ?? '')
    for (const name of Object.getOwnPropertyNames(at))
      parts.push(inspect((at as Record<string, unknown>)[name], { depth: 30 }))
    at = (at as { cause?: unknown }).cause
  }
  return parts.join('\n')
}

/** The pieces of secrets that are left, in any of these spellings. 16 characters are too many. */
function findLeaks(text: string, secrets: readonly string[]): readonly string[] {
  const spellings = secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret)
    const framed = ['', 'x', 'xx'].map((before) =>
      Buffer.from(before + secret)
        .toString('base64')
        .slice(4, -4),
    )
    return [secret, encodeURIComponent(secret), bytes.toString('hex'), ...framed]
  })
  const pieces = spellings.flatMap((one) =>
    one.length < 20
      ? [one]
      : Array.from({ length: one.length - 19 }, (_, at) => one.slice(at, at + 20)),
  )
  return [...new Set(pieces)].filter((piece) => text.includes(piece)).slice(0, 3)
}

/** The error and the events of a call to a service that echoes its request. */
async function callEchoService(
  how: (headers: Headers) => Response,
  options: object,
  call: (farebox: ReturnType<typeof createFarebox>) => Promise<unknown>,
) {
  const secrets = new Set<string>()
  const events: FareboxEvent[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const headers = new Headers(init?.headers)
    for (const name of ['authorization', 'sign-in-with-x', 'payment-signature']) {
      const value = headers.get(name)?.replace('Bearer ', '')
      if (value === undefined) continue
      secrets.add(value)
      for (const [signature] of Buffer.from(value, 'base64')
        .toString()
        .matchAll(/0x[\da-f]{130}/g))
        secrets.add(signature)
    }
    if (
      !(url instanceof Request) &&
      url.toString().endsWith('/x402/top-up') &&
      !headers.has('payment-signature')
    )
      return createChallenge()
    return how(new Headers([...headers].filter(([name]) => /auth|sign/.test(name))))
  }
  const farebox = createFarebox({
    baseUrl,
    fetch,
    ...('wallet' in options && { payments: { store: memoryPaymentStore() } }),
    retry: { wait: async () => {} },
    onEvent: (event) => events.push(event),
    ...options,
  })
  const error: unknown = await call(farebox).catch((thrown: unknown) => thrown)
  return {
    error,
    text: inspectError(error) + inspect(events, { depth: 9 }) + JSON.stringify(events),
    secrets: [...secrets],
  }
}

describe('no error or event shows our credentials, even if the service echoes them in', () => {
  it.each(Object.entries(echoes))('%s, to an API key', async (_name, how) => {
    const { error, text, secrets } = await callEchoService(how, { apiKey }, (farebox) =>
      farebox.createSpeech({ input: 'Hello' }),
    )
    expect(error).toBeInstanceOf(FareboxError)
    expect(error).toMatchObject({ operation: 'createSpeech' })
    expect(secrets).toEqual([apiKey])
    expect(findLeaks(text, secrets)).toEqual([])
  })

  it.each(Object.entries(echoes))('%s, to a key function', async (_name, how) => {
    const { text, secrets } = await callEchoService(
      how,
      { apiKey: async () => apiKey },
      (farebox) => farebox.getModel({ id: 'tts-kokoro' }),
    )
    expect(secrets).toEqual([apiKey])
    expect(findLeaks(text, secrets)).toEqual([])
  })

  it.each(Object.entries(echoes))('%s, to a wallet', async (_name, how) => {
    const { error, text, secrets } = await callEchoService(how, { wallet }, (farebox) =>
      farebox.balance(),
    )
    expect(error).toBeInstanceOf(FareboxError)
    expect(secrets.length).toBeGreaterThan(1)
    expect(findLeaks(text, secrets)).toEqual([])
  })

  it.each(Object.entries(echoes))('%s, to a payment', async (_name, how) => {
    const { error, text, secrets } = await callEchoService(how, { wallet }, (farebox) =>
      farebox.topUp(5),
    )
    expect(error).toMatchObject({ name: 'FareboxError', operation: 'topUp' })
    expect(secrets.length).toBeGreaterThan(1)
    expect(findLeaks(text, secrets)).toEqual([])
  })

  it('a success that the contract does not declare', async () => {
    const how = (headers: Headers) =>
      createJsonResponse(200, { text: formatHeaders(headers), tokens: formatHeaders(headers) })
    const { error, text, secrets } = await callEchoService(
      how,
      { apiKey, validation: validation() },
      (farebox) => farebox.parseText({ file: new Blob(['x']) }),
    )
    expect(error).toMatchObject({
      code: 'invalid_response',
      body: { tokens: expect.stringContaining('[hidden]') as string },
    })
    expect(findLeaks(text, secrets)).toEqual([])
  })

  it('the id of a queued video', async () => {
    const how = (headers: Headers) =>
      createJsonResponse(200, {
        model: 'm',
        queue_id: headers.get('authorization'),
        status: 'COMPLETED',
        average_execution_time: 1,
        execution_duration: 1,
      })
    const { error, text, secrets } = await callEchoService(how, { apiKey }, (farebox) =>
      farebox.generateVideo({ model: 'local-test-clip', prompt: 'a tram', duration: '5s' }),
    )
    expect(error).toMatchObject({ code: 'unexpected_response', operation: 'retrieveVideo' })
    expect(findLeaks(text, secrets)).toEqual([])
  })

  it('audio that breaks off', async () => {
    const how = (headers: Headers) =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.error(new TypeError(formatHeaders(headers))),
        }),
        {
          headers: { 'content-type': 'audio/mpeg', ...Object.fromEntries(toEchoHeaders(headers)) },
        },
      )
    const { error, text, secrets } = await callEchoService(how, { apiKey }, async (farebox) =>
      (await farebox.createSpeech({ input: 'x' })).arrayBuffer(),
    )
    expect(error).toMatchObject({ code: 'unexpected_response', operation: 'createSpeech' })
    expect(findLeaks(text, secrets)).toEqual([])
  })
})

describe('a cleaned error', () => {
  const callFailing = async (
    response: () => Response,
    options: object = {},
  ): Promise<FareboxError> => {
    const farebox = createFarebox({
      baseUrl,
      apiKey,
      fetch: async () => response(),
      retry: false,
      ...options,
    })
    return farebox.createSpeech({ input: 'x' }).then(
      () => expect.fail('it did not throw'),
      (error: FareboxError) => error,
    )
  }

  it('keeps the text of the service around the credential, in message and body', async () => {
    const { error } = await callEchoService(
      (headers) =>
        createJsonResponse(400, {
          error: `The key ${headers.get('authorization')} is blocked`,
          details: { n: 1 },
        }),
      { apiKey },
      (farebox) => farebox.createSpeech({ input: 'x' }),
    )
    expect(error).toMatchObject({
      message: 'createSpeech: 400 The key Bearer [hidden] is blocked',
      body: { error: 'The key Bearer [hidden] is blocked', details: { n: 1 } },
    })
  })

  it('lists the fields that the service rejects, with the code invalid_input', async () => {
    const details = { model: { _errors: ['Required'] } }
    expect(
      await callFailing(() =>
        createJsonResponse(400, { error: 'The request is not valid. model: Required', details }),
      ),
    ).toMatchObject({
      message: expect.stringContaining('400 The request is not valid. model: Required') as string,
      code: 'invalid_input',
    })
  })

  it('is short, however long the response is, and keeps the whole body', async () => {
    const words = 'no '.repeat(2_000_000)
    const error = await callFailing(() =>
      createJsonResponse(500, { error: words, code: words }, { 'x-request-id': 'r'.repeat(5000) }),
    )
    expect([error.message.length, error.code.length, error.requestId?.length]).toEqual([
      2000, 200, 200,
    ])
    expect(error.message).toMatch(/^createSpeech: 500 no no .*…$/)
    expect(error.stack?.length).toBeLessThan(10_000)
    expect((error.body as { error: string }).error).toHaveLength(words.length)
  })

  it('keeps the name, message, code and cause of its cause', async () => {
    const socket = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
      port: 1,
    })
    const error = await callFailing(() => {
      throw new TypeError('fetch failed', { cause: socket })
    })
    expect(error).toMatchObject({
      message: expect.stringContaining('no connection was made (ECONNREFUSED)') as string,
      code: 'connection',
      mayHaveArrived: false,
      cause: {
        name: 'TypeError',
        message: 'fetch failed',
        cause: {
          name: 'Error',
          message: 'connect ECONNREFUSED 127.0.0.1:1',
          code: 'ECONNREFUSED',
          syscall: 'connect',
          port: 1,
        },
      },
    })
  })

  it('says why the TLS handshake failed, and that nothing arrived', async () => {
    const error = await callFailing(() => {
      throw new TypeError('fetch failed', { cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } })
    })
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /: no connection was made \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
      ) as string,
      code: 'connection',
      mayHaveArrived: false,
    })
  })

  it('can be made of any thrown value', async () => {
    const loop = new Error('x')
    loop.cause = loop
    const proxy = new Proxy({}, { get: () => expect.fail('looked at') })
    for (const thrown of [
      undefined,
      null,
      'no',
      5,
      {},
      Symbol('x'),
      Object.create(null),
      proxy,
      loop,
    ]) {
      const error = await callFailing(() => {
        throw thrown
      })
      expect(error).toMatchObject({
        name: 'FareboxError',
        operation: 'createSpeech',
        code: 'failed',
      })
    }
  })

  it('keeps the abort reason of the caller', async () => {
    const reason = { why: apiKey }
    const error = await createFarebox({
      baseUrl,
      apiKey,
      fetch: async () => createJsonResponse(200, {}),
    })
      .createSpeech({ input: 'x' }, { signal: AbortSignal.abort(reason) })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'aborted' })
    expect((error as Error).cause).toBe(reason)
  })
})

describe('a base URL', () => {
  it.each([
    'https://user:hunter2@api.example.test/api/v1',
    'ftp://user:hunter2@api.example.test/api/v1',
    'user:hunter2@api.example.test',
    'https://user:hun/ter2@api.example.test:x/api/v1?hunter2@',
  ])('with a password is rejected without showing it: %s', (url) => {
    try {
      createFarebox({ baseUrl: url, apiKey })
      expect.fail('it was taken')
    } catch (error) {
      expect(error).toMatchObject({ code: 'configuration' })
      expect(inspectError(error)).not.toMatch(/hunter2|ter2/)
    }
  })

  it.each([
    'https://api.example.test/api/v1?tenant=1',
    'https://api.example.test/api/v1#top',
    'https://api.example.test/api/v1?',
  ])('with a query or a fragment is rejected: %s', (url) =>
    expect(() => createFarebox({ baseUrl: url, apiKey })).toThrow('has a query or a fragment'),
  )
})
