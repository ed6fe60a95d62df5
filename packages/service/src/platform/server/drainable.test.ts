import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createServer } from './create-server.js'
import { createDrain, listen } from './listen.js'

it('closes each connection after its response while draining, and still accepts new ones', async () => {
  let answer: (() => void) | undefined
  const server = createServer(async (request) => {
    if (request.url.endsWith('/slow')) await new Promise<void>((resolve) => (answer = resolve))
    return new Response('done')
  })
  const drain = createDrain(server)
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string) =>
    once(get({ host: '127.0.0.1', port, path, agent }), 'response') as Promise<[IncomingMessage]>
  const readConnection = async (asked: Promise<[IncomingMessage]>) => {
    const [response] = await asked
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('done')
    return response.headers.connection
  }

  expect(await readConnection(ask('/'))).toBe('keep-alive')
  const begun = once(server, 'request')
  const slow = ask('/slow')
  await begun
  drain()
  expect(await readConnection(ask('/'))).toBe('close')
  answer?.()
  expect(await readConnection(slow)).toBe('close')
  agent.destroy()
  server.close()
})
