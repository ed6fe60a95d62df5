import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { deepTest, countRounds, sampleCases } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { adminKey, startService, type Harness } from '../harness.js'
import { mutateBytes } from './mutations.js'
import { createServer } from '../../src/platform/server/create-server.js'

let farebox: Harness
let server: Server
let serial = 0

beforeAll(async () => {
  farebox = await startService()
  // each request from an address of its own, so that the abuse guard does not respond in the place
  // of what is tested
  server = createServer((request, info) =>
    farebox.service.fetch(request, { ...info, remoteAddress: `client-${++serial}` }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await farebox.service.close()
})
afterEach(async () => {
  // nor those of the administrator
  farebox.clock.time += 60_000
  expect(farebox.crashes).toEqual([])
  expect(await farebox.ledger.audit()).toEqual([])
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

type Raw = { readonly status: number; readonly head: string; readonly body: string }

/** Sends bytes as they are, and gives what comes back before the connection ends. */
async function send(...parts: readonly (string | Uint8Array)[]): Promise<Raw> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  for (const part of parts)
    socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
  await once(socket, 'close')
  const text = Buffer.concat(chunks).toString('latin1')
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  return { status: Number(head.split(' ')[1]), head, body }
}

const get = (target: string, ...lines: readonly string[]) =>
  send(
    ['GET', target, 'HTTP/1.1\r\nHost: x\r\nConnection: close'].join(' '),
    lines.map((line) => `\r\n${line}`).join(''),
    '\r\n\r\n',
  )

function post(
  path: string,
  contentType: string,
  body: string | Uint8Array,
  ...lines: readonly string[]
): Promise<Raw> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const head = [
    `POST /api/v1${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${adminKey}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${bytes.length}`,
    ...lines,
  ]
  return send(`${head.join('\r\n')}\r\n\r\n`, bytes)
}

const postJson = (path: string, body: string | Uint8Array) => post(path, 'application/json', body)

describe('paths', () => {
  it.each([
    '/api/v1/../../etc/passwd',
    '/api/v1/%2e%2e/%2e%2e/etc/passwd',
    '/api/v1/models/..%2f..%2fetc%2fpasswd',
    '/api/v1/x402/balance/%00',
    '/api/v1/x402/balance/%',
    '/api/v1/x402/balance/%ff%fe',
    '/api/v1/x402/balance/__proto__',
    '/api/v1/models/constructor',
    '/api/v1/models/__proto__',
    '/api/v1/models/%0d%0aSet-Cookie:%20a=b',
    '//evil.example/api/v1/models',
    'http://evil.example/api/v1/nope',
    '/api/v1/models?type=__proto__',
    `/api/v1/models/${'a'.repeat(8_000)}`,
    '/downloads/video/..%2f..%2fpasswd.mp4?expires=9&signature=x',
    '/downloads/video/00000000-0000-0000-0000-000000000000.mp4?expires=NaN&signature=%ff',
  ])('%s is 4xx', async (path) => {
    const { status, head, body } = await get(path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(head).not.toMatch(/^set-cookie/im)
    expect(JSON.parse(body)).toHaveProperty('error')
  })
})

describe('headers', () => {
  it.each([
    ['a bare line feed', 'X-A: b\nX-B: c\r\n\r\n'],
    ['a line end inside of a value', 'Idempotency-Key: a\r\nb\r\n'],
    ['a zero byte', 'X-A: b\0c'],
    ['a folded line', 'X-A: b\r\n c'],
    ['a name with a space', 'X A: b'],
    ['two framings', 'Content-Length: 3\r\nTransfer-Encoding: chunked'],
  ])('with %s are never split in two', async (_name, line) => {
    const { status } = await get('/api/v1/models', line, `Authorization: Bearer ${adminKey}`)
    expect([200, 400]).toContain(status)
  })

  it.each([
    ['Authorization', 'Bearer ' + 'a'.repeat(15_000), 401],
    ['Authorization', 'Basic YTpi', 401],
    ['Authorization', 'Bearer __proto__', 401],
    ['SIGN-IN-WITH-X', 'e30', 401],
    ['SIGN-IN-WITH-X', 'bnVsbA==', 401],
    ['SIGN-IN-WITH-X', Buffer.from('['.repeat(5_000)).toString('base64'), 401],
    ['SIGN-IN-WITH-X', Buffer.from('{"__proto__":{"polluted":1}}').toString('base64'), 401],
  ])('%s: %.30s is %d', async (name, value, expected) => {
    expect((await get('/api/v1/video/retrieve', `${name}: ${value}`)).status).toBe(405)
    const form = `POST /api/v1/video/quote HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${name}: ${value}\r\nContent-Length: 0\r\n\r\n`
    const paid = form.replace('/video/quote', '/video/retrieve')
    expect((await send(paid)).status).toBe(expected)
  })

  it.each([
    '',
    'e30=',
    'not base64',
    Buffer.from('{"x402Version":2,"payload":{"__proto__":{"polluted":1}}}').toString('base64'),
  ])('PAYMENT-SIGNATURE: %s does not crash', async (value) => {
    const { status } = await send(
      `POST /api/v1/x402/top-up HTTP/1.1\r\nHost: x\r\nConnection: close\r\nPAYMENT-SIGNATURE: ${value}\r\nContent-Length: 0\r\n\r\n`,
    )
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })

  it('with an Idempotency-Key that is too long get 400', async () => {
    expect(
      (
        await post(
          '/audio/speech',
          'application/json',
          '{"input":"a"}',
          `Idempotency-Key: ${'k'.repeat(256)}`,
        )
      ).status,
    ).toBe(400)
  })

  it('with random damage are accepted or rejected', async () => {
    const head = `POST /api/v1/video/quote HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nX-A: b, c="d"\r\n\r\n{}`
    for (let seed = 0; seed < countRounds(200); seed++) {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on(
        'error',
        () => undefined,
      )
      let response = ''
      socket.on('data', (chunk: Buffer) => (response += chunk.toString('latin1')))
      socket.end(mutateBytes(Buffer.from(head), seed))
      await once(socket, 'close')
      expect(response, `seed ${seed}`).toMatch(/^(?:HTTP\/1\.1 [24]\d\d |$)/)
    }
  })

  it('by the hundreds are accepted or rejected', async () => {
    expect(
      (await get('/api/v1/nope', ...Array.from({ length: 900 }, (_, index) => `X-${index}: b`)))
        .status,
    ).toBe(404)
  })
})

const operations = [
  '/audio/speech',
  '/video/quote',
  '/video/queue',
  '/video/retrieve',
  '/api_keys',
] as const
const createDeepJson = (depth: number) => `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`
const bodies: Readonly<Record<string, string | Uint8Array>> = {
  nothing: '',
  'half of an object': '{"input":"a"',
  'two values': '{}{}',
  null: 'null',
  'a list': '[]',
  'a text': '"a"',
  'a number beyond all': '1e999',
  NaN: '{"input":NaN}',
  'a comment': '/* */{}',
  'a byte-order mark': '\ufeff{}',
  'bytes that are no UTF-8': Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d),
  'a zero byte': '{"input":"a"\0}',
  'a gzip stream': Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0),
  'a prototype': '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  'lists 100,000 deep': createDeepJson(100_000),
  'a hundred thousand members': `{${Array.from({ length: 100_000 }, (_, index) => `"m${index}":1`).join(',')}}`,
}

describe.each(operations)('bodies of %s', (path) => {
  it.each(Object.keys(bodies))('that are %s get 400', async (name) => {
    const { status, body } = await postJson(path, bodies[name] ?? '')
    expect([status, typeof (JSON.parse(body) as Record<string, unknown>)['error']]).toEqual([
      400,
      'string',
    ])
  })

  it('of an invalid type get 400 or 415', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/json/x',
      'multipart/form-data',
      'a'.repeat(5_000),
    ])
      expect([400, 415]).toContain((await post(path, type, '{}')).status)
  })
})

describe('open object schemas of the contract', () => {
  const valid = { model: 'seedance-2-0-text-to-video', prompt: 'a tram', duration: '5s' }

  it('accept values of any depth', async () => {
    const body = JSON.stringify(valid).replace(
      '}',
      `,"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    )
    for (const path of ['/video/queue', '/video/quote'])
      expect([200, 400]).toContain((await postJson(path, body)).status)
    const speech = `{"input":"a","deep":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`
    expect([200, 400]).toContain((await postJson('/audio/speech', speech)).status)
  })

  deepTest('may have names such as __proto__', async () => {
    const body = JSON.stringify({ input: 'a' }).replace(
      '}',
      ',"__proto__":{"polluted":1},"toString":1,"hasOwnProperty":2}',
    )
    expect([200, 400]).toContain((await postJson('/audio/speech', body)).status)
  })
})

describe('strings', () => {
  it.each(
    sampleCases([
      ['a lone surrogate', '"\\ud800"'],
      ['a zero character', '"a\\u0000b"'],
      ['a direction mark', '"\\u202e abc"'],
      ['escapes of a terminal', '"\\u001b[31m"'],
    ]),
  )('with %s do not bring the service down', async (_name, text) => {
    const queued = `{"model":"seedance-2-0-text-to-video","prompt":${text},"duration":"5s"}`
    const key = `{"apiKeyType":"INFERENCE","description":${text}}`
    for (const [path, body] of [
      ['/audio/speech', `{"input":${text}}`],
      ['/video/queue', queued],
      ['/video/quote', queued],
      ['/video/retrieve', `{"model":"x","queue_id":${text}}`],
      ['/api_keys', key],
    ] as const) {
      expect([200, 400, 404], path).toContain((await postJson(path, body)).status)
    }
  })
})

describe('forms', () => {
  const part = (name: string, content: string, rest = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${content}\r\n`
  const type = 'multipart/form-data; boundary=b'
  it.each<readonly [string, string, string]>([
    ['without a boundary', 'multipart/form-data', part('file', 'x')],
    [
      'with an endless boundary',
      `multipart/form-data; boundary=${'b'.repeat(5_000)}`,
      part('file', 'x'),
    ],
    ['without parts', type, '--b--\r\n'],
    ['without an end', type, part('file', 'x', '; filename="a"')],
    ['of nothing', type, ''],
    ['with a file called __proto__', type, `${part('__proto__', 'x', '; filename="a"')}--b--\r\n`],
    ['with a field called __proto__', type, `${part('__proto__', '{"polluted":1}')}--b--\r\n`],
    [
      'with two files',
      type,
      `${part('file', 'x', '; filename="a"')}${part('file', 'x', '; filename="a"')}--b--\r\n`,
    ],
    [
      'with a thousand parts',
      type,
      `${part('file', 'x', '; filename="a"').repeat(1_000)}--b--\r\n`,
    ],
    [
      'with a part whose headers are 100 kB',
      type,
      `--b\r\nX: ${'a'.repeat(100_000)}\r\n\r\nx\r\n--b--\r\n`,
    ],
    ['with a part without headers', type, '--b\r\n\r\nx\r\n--b--\r\n'],
    [
      'with an odd encoding',
      type,
      `--b\r\nContent-Disposition: form-data; name*=utf-8''%ff; filename*=x\r\n\r\nx\r\n--b--\r\n`,
    ],
  ])('%s get 400', async (_name, contentType, body) => {
    for (const path of ['/augment/text-parser', '/audio/voices'])
      expect((await post(path, contentType, body)).status).toBe(400)
  })

  it('with a file named like a path are parsed without using the name', async () => {
    const body = `${part('file', 'Tram fares', '; filename="../../../etc/passwd\0"')}--b--\r\n`
    expect((await post('/augment/text-parser', type, body)).status).toBe(200)
  })

  it('with a larger file than is allowed get 413', async () => {
    const body = Buffer.concat([
      Buffer.from(part('file', '', '; filename="a"').slice(0, -2)),
      Buffer.alloc(26 * 1024 * 1024, 0x61),
      Buffer.from('\r\n--b--\r\n'),
    ])
    expect((await post('/augment/text-parser', type, body)).status).toBe(413)
  })
})

describe('a truncated or oversized body', () => {
  it.each([
    ['a video request of more than 64 MiB', '/video/queue', 'application/json', 413],
    ['a file of 2 GiB', '/augment/text-parser', 'multipart/form-data; boundary=b', 413],
    ['a recording of 2 GiB', '/audio/voices', 'multipart/form-data; boundary=b', 413],
    ['a text of 2 GiB', '/audio/speech', 'application/json', 400],
  ])('is rejected before any of it is sent: %s', async (what, path, type, expected) => {
    const length = what.endsWith('2 GiB') ? 2 ** 31 : 64 * 1024 * 1024 + 1
    const head = `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: ${type}\r\n`
    const response = await send(`${head}Content-Length: ${length}\r\n\r\n`)
    expect([response.status, response.head]).toEqual([
      expected,
      expect.stringMatching(/^connection: close/im),
    ])
  })

  const whole = [
    ['/video/queue', 'application/json', 'Content-Length: 115343360', 413],
    ['/audio/speech', 'application/json', 'Content-Length: 115343360', 400],
    ['/augment/text-parser', 'multipart/form-data; boundary=b', 'Content-Length: 115343360', 413],
    ['/x402/top-up', 'application/json', 'Content-Length: 115343360', 402],
  ] as const
  it.each(sampleCases(whole))(
    'gets a response even if the client sends all of it: %s',
    async (path, type, framing, expected) => {
      const head = `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: ${type}\r\n`
      expect(
        (await send(`${head}${framing}\r\n\r\n`, Buffer.alloc(110 * 1024 * 1024, 0x20))).status,
      ).toBe(expected)
    },
  )

  it('does not crash when a client disconnects in the middle of its body', async () => {
    for (const [path, type] of [
      ['/audio/speech', 'application/json'],
      ['/augment/text-parser', 'multipart/form-data; boundary=b'],
    ]) {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.on('error', () => undefined)
      const head = `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: ${type}\r\nContent-Length: 100\r\n\r\n--b\r\n`
      socket.write(head)
      // the service has it once another request is answered
      await get('/api/v1/nope')
      socket.destroy()
      await once(socket, 'close')
    }
    expect((await get('/healthz')).status).toBe(200)
  })

  it('is 400 when chunks are malformed', async () => {
    const head = `POST /api/v1/audio/speech HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect((await send(`${head}zz\r\n{}\r\n0\r\n\r\n`)).status).toBe(400)
  })
})
