import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClientAddress } from './client-address.js'
import { createServer, type ServerLimits } from './create-server.js'

let server: Server
beforeAll(async () => {
  server = createServer(async (request, info) =>
    Response.json({ path: new URL(request.url).pathname, from: info?.remoteAddress }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

/** Status, content type and body of what comes back for these bytes. */
async function send(text: string) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let response = ''
  socket.on('data', (chunk: Buffer) => (response += chunk.toString()))
  socket.write(text)
  await once(socket, 'close')
  const [head = '', body = ''] = response.split('\r\n\r\n')
  return {
    status: head.split(' ')[1],
    type: /^content-type: (.*)$/im.exec(head)?.[1]?.trim(),
    body: JSON.parse(body) as unknown,
  }
}

it('passes requests on with their client address', async () => {
  expect(await send('GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toEqual({
    status: '200',
    type: 'application/json',
    body: { path: '/a', from: '127.0.0.1' },
  })
})

describe('the headers of a stream', () => {
  let begin = (_first: string) => undefined as void
  const streams = createServer(async ({ url }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        begin = (first) => controller.enqueue(Buffer.from(first))
        if (url.endsWith('/made')) begin('made')
      },
    })
    return new Response(body)
  })
  /** What the server writes at once, one after the other. */
  const ask = (path: string) => {
    const written: string[] = []
    const socket = Object.assign(
      new Duplex({
        read: () => undefined,
        writev: (parts, done) => {
          written.push(parts.map(({ chunk }) => String(chunk)).join(''))
          done()
        },
      }),
      { destroySoon: () => undefined, setTimeout: () => undefined },
    )
    streams.emit('connection', socket)
    socket.push(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return written
  }

  it('are sent with the first chunk, if there is one', async () => {
    const written = ask('/made')
    await expect.poll(() => written[0]).toMatch(/^HTTP\/1\.1 200 [^]*made/)
  })

  it('do not wait for the first chunk', async () => {
    const written = ask('/later')
    await expect.poll(() => written[0]).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n$/)
    begin('later')
    await expect.poll(() => written[1]).toContain('later')
  })
})

it.each([
  ['no HTTP', 'hello\r\n\r\n', '400', 'malformed'],
  ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', '400', 'malformed'],
  [
    'a Host that is none',
    'GET / HTTP/1.1\r\nHost: a b@c\r\nConnection: close\r\n\r\n',
    '400',
    'malformed',
  ],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    '400',
    'malformed',
  ],
  [
    'headers of 20 kB',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`,
    '431',
    'larger than 16 KiB',
  ],
])('rejects %s with JSON', async (_name, text, status, message) => {
  expect(await send(text)).toEqual({
    status,
    type: 'application/json',
    body: { error: expect.stringContaining(message) as string },
  })
})

describe('a client that is slow', () => {
  const limited = async (limits: ServerLimits, work: (port: number) => Promise<void>) => {
    const slow = createServer(
      async (request) => Response.json({ length: (await request.text()).length }),
      limits,
    )
    slow.listen(0, '127.0.0.1')
    await once(slow, 'listening')
    try {
      await work((slow.address() as AddressInfo).port)
    } finally {
      slow.closeAllConnections()
      slow.close()
    }
  }
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n'

  it('with its headers gets 408, even if it keeps sending single bytes', async () => {
    await limited({ headersMs: 200 }, async (port) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      let response = ''
      socket.on('data', (chunk: Buffer) => (response += chunk.toString()))
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nX: ')
      const drip = setInterval(() => socket.writable && socket.write('a'), 20)
      await once(socket, 'close')
      clearInterval(drip)
      expect(response).toMatch(/^HTTP\/1.1 408 [^]*"The request did not arrive in time\."/)
    })
  })

  it('with its body is cut off', async () => {
    await limited({ headersMs: 200, requestMs: 300 }, async (port) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(`${head}abc`)
      socket.resume()
      await once(socket, 'close')
    })
  })

  it('to leave is closed when nothing moves', async () => {
    await limited({ idleMs: 200 }, async (port) => {
      const socket = connect(port, '127.0.0.1')
      socket.resume()
      await once(socket, 'close')
    })
  })

  it('does not block others', async () => {
    await limited({ headersMs: 60_000 }, async (port) => {
      const sockets = Array.from({ length: 200 }, () =>
        connect(port, '127.0.0.1').on('error', () => undefined),
      )
      for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
      for (const socket of sockets) socket.destroy()
    })
  })

  it('cannot block others: the connections of an address are limited, including idle ones', async () => {
    await limited({ connectionsPerAddress: 2 }, async (port) => {
      const open = async () => {
        const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
        await once(socket, 'connect')
        return socket.resume()
      }
      const idle = [await open(), await open()]
      const third = await open()
      await once(third, 'close')
      idle[0]?.destroy()
      // its end reaches the server a moment later
      await expect
        .poll(() => fetch(`http://127.0.0.1:${port}/`).then(({ status }) => status, String))
        .toBe(200)
      idle[1]?.destroy()
    })
  })

  it('does not count against its trusted proxy', async () => {
    await limited(
      { connectionsPerAddress: 1, clientAddress: createClientAddress(['127.0.0.0/8']) },
      async (port) => {
        const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'))
        await Promise.all(sockets.map((socket) => once(socket, 'connect')))
        expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
        for (const socket of sockets) socket.destroy()
      },
    )
  })

  it('is rejected beyond the maximum number of connections', async () => {
    await limited({ connections: 1 }, async (port) => {
      const first = connect(port, '127.0.0.1')
      await once(first, 'connect')
      const second = connect(port, '127.0.0.1').on('error', () => undefined)
      second.resume()
      await once(second, 'close')
      first.destroy()
    })
  })
})
