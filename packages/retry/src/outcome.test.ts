import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connectionFault, isPermanent, wasNeverSent } from './outcome.js'

const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('resolved'),
    (error: unknown) => error,
  )

test('a refused connection of the platform’s fetch was never sent', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  expect(wasNeverSent(await catchError(fetch(`http://127.0.0.1:${port}/`)))).toBe(true)
  expect(wasNeverSent(await catchError(fetch(`http://localhost:${port}/`)))).toBe(true)
})

test('a request whose connection is cut afterwards may have arrived', async () => {
  const server = createServer((socket) => socket.on('data', () => socket.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const error = await catchError(
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      method: 'POST',
      body: 'x',
    }),
  )
  expect(wasNeverSent(error)).toBe(false)
  expect(isPermanent(error)).toBe(false)
  server.close()
})

test('a connect timeout was never sent, and a browser’s error proves nothing', () => {
  expect(
    wasNeverSent(new TypeError('fetch failed', { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } })),
  ).toBe(true)
  expect(
    wasNeverSent(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT', syscall: 'connect' })),
  ).toBe(true)
  expect(
    wasNeverSent(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT', syscall: 'read' })),
  ).toBe(false)
  expect(wasNeverSent(new TypeError('Failed to fetch'))).toBe(false)
  expect(wasNeverSent(undefined)).toBe(false)
})

test('an invalid address and `retryable: false` are permanent', async () => {
  expect(isPermanent(await catchError(fetch('not an address')))).toBe(true)
  expect(isPermanent(Object.assign(new Error('no'), { retryable: false }))).toBe(true)
  expect(isPermanent(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }))).toBe(false)
})

test.each([
  () => fetch('http://127.0.0.1:6000/'),
  // Deno
  () => Promise.reject(new TypeError('Fetch failed: Requests to port 6000 are blocked')),
])('a port that fetch blocks got no request, and no attempt will', async (send) => {
  const error = await catchError(send())
  expect([wasNeverSent(error), isPermanent(error)]).toEqual([true, true])
  expect(connectionFault(error)).toBe(
    'no connection was made: fetch blocks this port, choose another',
  )
})

test('a proxy that makes no connection passed nothing on, and its status is named', () => {
  // the error of Node 24 with --use-env-proxy, and of undici's ProxyAgent
  const rejected = Object.assign(
    new DOMException('Proxy response (407) !== 200 when HTTP Tunneling', 'AbortError'),
    { cause: { code: 'UND_ERR_ABORTED' } },
  )
  const error = new TypeError('fetch failed', {
    cause: Object.assign(new DOMException('Request was cancelled.', 'AbortError'), {
      cause: rejected,
    }),
  })
  expect(wasNeverSent(error)).toBe(true)
  expect(connectionFault(error)).toBe('no connection was made: Proxy response (407)')
})

test.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('no request is sent, or retried, if %s rejects the certificate', (code) => {
  const error = new TypeError('fetch failed', { cause: { code } })
  expect([wasNeverSent(error), isPermanent(error)]).toEqual([true, true])
  expect(connectionFault(error)).toBe(`no connection was made (${code})`)
})

test('no request is sent, or retried, to a port that does not speak TLS', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.on('connection', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const error = await catchError(fetch(`https://127.0.0.1:${port}/`, { method: 'POST' }))
  expect([wasNeverSent(error), isPermanent(error)]).toEqual([true, true])
  expect(connectionFault(error)).toBe('no connection was made (ERR_SSL_WRONG_VERSION_NUMBER)')
  server.close()
})

test('no request is sent on a connection that closes during its TLS handshake', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.on('connection', (socket) => socket.destroy())
  const error = await catchError(fetch(`https://127.0.0.1:${port}/`, { method: 'POST' }))
  expect([wasNeverSent(error), isPermanent(error)]).toEqual([true, false])
  server.close()
})

test('an error that is its own cause does not loop', () => {
  const error: Error & { cause?: unknown } = new Error('round')
  error.cause = error
  expect(wasNeverSent(error)).toBe(false)
})

test('the fault of a refused connection names the address and what to check, however deep the cause is', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const error = await catchError(fetch(`http://127.0.0.1:${port}/`))
  expect(connectionFault(new Error('outer', { cause: error }))).toBe(
    `no connection was made (ECONNREFUSED 127.0.0.1:${port}): is the service running?`,
  )
  expect(
    connectionFault(
      Object.assign(new Error('x'), { code: 'ECONNREFUSED', address: '::1', port: 80 }),
    ),
  ).toContain('[::1]:80')
  expect(connectionFault(Object.assign(new Error('x'), { code: 'EADDRNOTAVAIL' }))).toBe(
    'no connection was made (EADDRNOTAVAIL)',
  )
  expect(connectionFault(new TypeError('Failed to fetch'))).toBe('no connection was made')
})
