import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { wasNeverSent } from './never-sent.js'

describe('a fetch error', () => {
  it.each([
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('with the code %s means that the request was never sent', (code) =>
    expect(wasNeverSent(new TypeError('fetch failed', { cause: { code } }))).toBe(true),
  )

  it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', undefined])(
    'with the code %s means that the request may have arrived',
    (code) => expect(wasNeverSent(new TypeError('fetch failed', { cause: { code } }))).toBe(false),
  )

  it('for every address of a host means that the request was never sent if no attempt was', () => {
    const [unreachable, reset] = [{ code: 'ECONNREFUSED' }, { code: 'ECONNRESET' }]
    expect([
      wasNeverSent({ errors: [unreachable, unreachable] }),
      wasNeverSent({ errors: [unreachable, reset] }),
    ]).toEqual([true, false])
  })

  it.each<[string, (socket: Socket) => void]>([
    ['closes in its TLS handshake', (socket) => void socket.destroy()],
    ['does not speak TLS', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('of a connection that %s means that the request was never sent', async (_what, response) => {
    const server = createServer(response).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const error: unknown = await fetch(`https://127.0.0.1:${port}/`, { method: 'POST' }).catch(
      (thrown: unknown) => thrown,
    )
    expect(wasNeverSent(error)).toBe(true)
    server.close()
  })
})
