import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connectionFault, isPermanent, neverSent } from './never-sent.js'

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )

test('a refused connection of the platform’s own fetch was never sent', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  expect(neverSent(await failure(fetch(`http://127.0.0.1:${port}/`)))).toBe(true)
  expect(neverSent(await failure(fetch(`http://localhost:${port}/`)))).toBe(true)
})

test('a connection that is cut after the request left may have arrived', async () => {
  const server = createServer((socket) => socket.on('data', () => socket.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const error = await failure(fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: 'POST', body: 'x' }))
  expect(neverSent(error)).toBe(false)
  expect(isPermanent(error)).toBe(false)
  server.close()
})

test('a connect timeout was never sent, and a browser’s error proves nothing', () => {
  expect(neverSent(new TypeError('fetch failed', { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }))).toBe(true)
  expect(neverSent(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT', syscall: 'connect' }))).toBe(true)
  expect(neverSent(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT', syscall: 'read' }))).toBe(false)
  expect(neverSent(new TypeError('Failed to fetch'))).toBe(false)
  expect(neverSent(undefined)).toBe(false)
})

test('a bad address and an error that says so are permanent', async () => {
  expect(isPermanent(await failure(fetch('not an address')))).toBe(true)
  expect(isPermanent(Object.assign(new Error('no'), { retryable: false }))).toBe(true)
  expect(isPermanent(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }))).toBe(false)
})

test('an error that is its own cause is looked at and left', () => {
  const error: Error & { cause?: unknown } = new Error('round')
  error.cause = error
  expect(neverSent(error)).toBe(false)
})

test('a refused connection says what refused it, and what to look at, however deep that stands', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const why = 'nothing listens there; is the service running, and is the address right?'
  const error = await failure(fetch(`http://127.0.0.1:${port}/`))
  expect(connectionFault(new Error('outer', { cause: error }))).toBe(`no connection was made (ECONNREFUSED 127.0.0.1:${port}): ${why}`)
  expect(connectionFault(Object.assign(new Error('x'), { code: 'ECONNREFUSED', address: '::1', port: 80 }))).toContain('[::1]:80')
  expect(connectionFault(Object.assign(new Error('x'), { code: 'EADDRNOTAVAIL' }))).toBe('no connection was made (EADDRNOTAVAIL)')
  expect(connectionFault(new TypeError('Failed to fetch'))).toBe('no connection was made')
})
