import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createGracefulClose, createDrain, listen } from './listen.js'

it('finishes a response in progress on close, and accepts nothing new', async () => {
  let answer: (() => void) | undefined
  const server = createServer(
    (_request, response) => void (answer = () => void response.end('done')),
  )
  const close = createGracefulClose(server)
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const asked = request({ host: '127.0.0.1', port }).end()
  await once(server, 'request')
  const closed = close()
  const late = connect(port, '127.0.0.1')
  expect(await once(late, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
  answer?.()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  expect((await response.setEncoding('utf8').toArray()).join('')).toBe('done')
  await closed
})

it('does not wait for connections that never sent anything', async () => {
  const server = createServer()
  const close = createGracefulClose(server)
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const silent = connect(port, '127.0.0.1').on('error', () => undefined)
  await Promise.all([once(server, 'connection'), once(silent, 'connect')])
  const gone = once(silent, 'close')
  await close()
  await gone
})

it('serves a request that a load balancer sends on a connection opened before the close', async () => {
  const server = createServer((_request, response) => void response.end('done'))
  const close = createGracefulClose(server)
  createDrain(server)()
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const fresh = connect(port, '127.0.0.1')
  await Promise.all([once(server, 'connection'), once(fresh, 'connect')])
  const closed = close(3_600_000)
  // it is closed once Node has accepted what the kernel has
  await expect.poll(() => server.listening).toBe(false)
  fresh.end('GET / HTTP/1.1\r\nHost: tram\r\n\r\n')
  expect((await fresh.setEncoding('utf8').toArray()).join('')).toMatch(
    /^HTTP\/1\.1 200 [^]*connection: close[^]*done$/i,
  )
  await closed
})

it('aborts a response that does not end in time', async () => {
  const server = createServer((_request, response) => void response.write('half'))
  const close = createGracefulClose(server, 10)
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const asked = request({ host: '127.0.0.1', port })
    .on('error', () => undefined)
    .end()
  await once(server, 'request')
  await close()
  asked.destroy()
})
