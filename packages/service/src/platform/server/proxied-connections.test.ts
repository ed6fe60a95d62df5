import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createClientAddress } from './client-address.js'
import { createServer, type ServerLimits } from './create-server.js'

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function start(limits: ServerLimits, proxies = ['127.0.0.1']): Promise<void> {
  const clientAddress = createClientAddress(proxies)
  server = createServer(
    async (request, { remoteAddress }) => {
      const from = clientAddress.ofRequest(remoteAddress, request.headers)
      return Response.json({ from, path: new URL(request.url).pathname, body: await request.text() })
    },
    { proxyProtocol: true, clientAddress, ...limits },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

const port = () => (server.address() as AddressInfo).port
const get = 'GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const line = (client: string) => `PROXY TCP4 ${client} 198.51.100.1 56324 443\r\n`

/** Sends bytes, in pieces that arrive one by one, and gives what comes back until the end. */
async function send(...pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect({ port: port(), host: '127.0.0.1', noDelay: true }).on('error', () => undefined)
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  const closed = once(socket, 'close')
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise((resolve) => void setImmediate(resolve))
  }
  await closed
  return answer
}
const jsonOf = (answer: string) => JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as unknown

describe('a connection of a trusted proxy', () => {
  it('is one of the client that its header names, in whatever pieces it comes', async () => {
    await start({})
    const found = { from: '192.0.2.1', path: '/a', body: '' }
    expect(jsonOf(await send(line('192.0.2.1') + get))).toEqual(found)
    expect(jsonOf(await send(...Array.from(line('192.0.2.1') + get)))).toEqual(found)
    const binary = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000201c6336401dc0401bb', 'hex')
    expect(jsonOf(await send(binary, get))).toEqual(found)
    expect(jsonOf(await send(Buffer.concat([binary, Buffer.from(get)])))).toEqual(found)
  })

  it('carries bodies and further requests like any other', async () => {
    await start({})
    const post = (body: string) => `POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const large = 'x'.repeat(300_000)
    const answer = await send(line('192.0.2.1') + post('one'), post(large), get)
    expect(answer.match(/"from":"192\.0\.2\.1"/g)).toHaveLength(3)
    expect(answer).toContain(`"body":"${large}"`)
  })

  it('is one of the proxy where the header names nobody, and of a client before a trusted one', async () => {
    await start({}, ['127.0.0.1', '10.0.0.0/8'])
    expect(jsonOf(await send(`PROXY UNKNOWN\r\n${get}`))).toMatchObject({ from: '127.0.0.1' })
    const forwarded = get.replace('Host', 'X-Forwarded-For: 203.0.113.9\r\nHost')
    expect(jsonOf(await send(line('10.1.1.1') + forwarded))).toMatchObject({ from: '203.0.113.9' })
    expect(jsonOf(await send(line('192.0.2.1') + forwarded))).toMatchObject({ from: '192.0.2.1' })
  })

  it('is closed without a whole header: at once, at its end, or when its time is over', async () => {
    await start({ headersMs: 200 })
    expect(await send(get)).toBe('')
    expect(await send('PROXY TCP4 192.0.2.1\r\n', get)).toBe('')
    expect(await send('PROXY TC')).toBe('')
    const half = connect(port(), '127.0.0.1').on('error', () => undefined)
    half.end('PROXY ')
    await once(half.resume(), 'close')
  })

  it('counts in the limit of its client, and not in that of another', async () => {
    await start({ connectionsPerAddress: 1 })
    const idle = connect(port(), '127.0.0.1').on('error', () => undefined)
    idle.write(line('192.0.2.1'))
    const ask = (client: string) => send(line(client) + get).then((answer) => answer.split(' ')[1])
    // its header reaches the server a moment later
    await expect.poll(() => ask('192.0.2.1')).toBe(undefined)
    expect(await ask('192.0.2.2')).toBe('200')
    idle.destroy()
  })
})

it('a header of any other peer is no HTTP, and without the option that of a proxy neither', async () => {
  await start({}, ['10.0.0.0/8'])
  expect(await send(line('192.0.2.1') + get)).toMatch(/^HTTP\/1\.1 400 /)
  expect(jsonOf(await send(get))).toMatchObject({ from: '127.0.0.1' })
  server.close()
  await start({ proxyProtocol: false })
  expect(await send(line('192.0.2.1') + get)).toMatch(/^HTTP\/1\.1 400 /)
})
