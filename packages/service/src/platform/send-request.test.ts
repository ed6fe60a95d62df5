import { execFile } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRequest } from './send-request.js'

let respond: RequestListener
const server = createServer((request, response) => respond(request, response))
let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What the first collection finalizes can be collected by the next. */
async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    collect()
    await setImmediate()
  }
}

/** Reads a body until it ends. Resolves to its error. */
async function readAll(signal: AbortSignal, onPart: () => void): Promise<unknown> {
  try {
    const { body } = await sendRequest(url, { signal, redirect: 'error' })
    for await (const _ of body ?? []) onPart()
    return undefined
  } catch (error) {
    return error
  }
}

describe('a request', () => {
  it('may take longer than the 300 s of fetch, since its caller sets the limits', async () => {
    const limits: unknown[] = []
    const note = (message: unknown) => {
      const { headersTimeout, bodyTimeout } = (message as { request: Record<string, unknown> })
        .request
      limits.push(headersTimeout, bodyTimeout)
    }
    subscribe('undici:request:create', note)
    respond = (_request, response) => response.end('late')
    expect(await (await sendRequest(url)).text()).toBe('late')
    unsubscribe('undici:request:create', note)
    // none
    expect(limits).toEqual([0, 0])
  })

  it.each([
    ['a string', '{"a":"é"}', 'application/json', '{"a":"é"}'],
    ['bytes', new TextEncoder().encode('é'), 'audio/wav', 'é'],
    ['a form', createForm(), undefined, /name="file"; filename="a.txt"[^]+ é\r\n/],
  ])('sends %s as fetch does', async (_what, body, type, expected) => {
    respond = (request, response) =>
      void request
        .toArray()
        .then((parts) =>
          response
            .writeHead(201, { 'x-type': request.headers['content-type'], 'x-many': ['a', 'b'] })
            .end(Buffer.concat(parts as Buffer[])),
        )
    const headers = { ...(type !== undefined && { 'content-type': type }) }
    const responses = [fetch, sendRequest].map((send) =>
      send(url, { method: 'POST', body, headers, redirect: 'error' }),
    )
    for (const response of await Promise.all(responses)) {
      expect([response.status, response.headers.get('x-many')]).toEqual([201, 'a, b'])
      expect(response.headers.get('x-type')).toMatch(type ?? /^multipart\/form-data; boundary=\S+$/)
      expect(await response.text()).toMatch(expected)
    }
  })

  it('follows no redirect, and returns one only when it is asked to', async () => {
    respond = (_request, response) => void response.writeHead(307, { location: '/other' }).end()
    await expect(sendRequest(url, { redirect: 'error' })).rejects.toThrow('is a redirect (307)')
    const { status, headers } = await sendRequest(url, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([307, '/other'])
  })

  it('has no body where HTTP allows none', async () => {
    respond = (_request, response) => void response.writeHead(204).end()
    const { status, body } = await sendRequest(url)
    expect([status, body]).toEqual([204, null])
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('decodes an unrequested compression (%s)', async (encoding, compress) => {
    respond = ({ headers }, response) =>
      void response
        .writeHead(200, { 'content-encoding': encoding })
        .end(compress(headers['accept-encoding'] ?? ''))
    expect(await (await sendRequest(url)).text()).toBe('identity')
    respond = (_request, response) =>
      void response.writeHead(200, { 'content-encoding': encoding }).end('not compressed')
    await expect((await sendRequest(url)).text()).rejects.toThrow()
  })

  it('fails with the code of the operating system', async () => {
    await expect(sendRequest('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

it('uses the proxy of the environment if Node is configured to', async () => {
  const places: (string | undefined)[] = []
  const proxy = createServer().on('connect', ({ url: place }, client) => {
    places.push(place)
    const [host, port] = place?.split(':') ?? []
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n')
      client.pipe(target).pipe(client)
    })
    client.on('error', () => target.destroy())
    target.on('error', () => client.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  respond = (_request, response) => void response.setHeader('connection', 'close').end('through')
  // a process reads its environment once
  const built = new URL('../../dist/platform/send-request.js', import.meta.url).href
  const script = `import { sendRequest } from '${built}'
    process.stdout.write(await (await sendRequest('${url}')).text())`
  const environment = {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: `http://127.0.0.1:${port}`,
    NO_PROXY: '',
  }
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { env: { ...process.env, ...environment } },
    )
    expect([stdout, places]).toEqual(['through', [new URL(url).host]])
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

describe('a signal', () => {
  it('aborts bodies that are being read, and the work of their server, even after a garbage collection', async () => {
    let parts = 0
    let closed = 0
    respond = (_request, response) => {
      response.write('a')
      response.once('close', () => closed++)
    }
    const controllers = Array.from({ length: 20 }, () => new AbortController())
    const ended = controllers.map(({ signal }) => readAll(signal, () => parts++))
    await expect.poll(() => parts).toBe(20)
    await collectGarbage()
    for (const controller of controllers) controller.abort(new Error('left'))
    for (const error of await Promise.all(ended)) expect(error).toEqual(new Error('left'))
    await expect.poll(() => closed).toBe(20)
  })

  it('that aborts before the response headers fails the request with its reason', async () => {
    const controller = new AbortController()
    respond = () => controller.abort(new Error('left'))
    await expect(sendRequest(url, { signal: controller.signal })).rejects.toThrow('left')
    await expect(sendRequest(url, { signal: controller.signal })).rejects.toThrow('left')
  })

  it('that aborts before the body is read aborts the body', async () => {
    const controller = new AbortController()
    respond = (_request, response) => void response.write('a')
    const response = await sendRequest(url, { signal: controller.signal })
    controller.abort(new Error('left'))
    await collectGarbage()
    await expect(response.text()).rejects.toThrow('left')
  })
})

function createForm(): FormData {
  const form = new FormData()
  form.append('model', 'm')
  form.append('file', new Blob(['Mind the gap é']), 'a.txt')
  return form
}
