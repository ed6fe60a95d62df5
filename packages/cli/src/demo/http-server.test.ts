import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenOnLoopback, requireCallable, type LoopbackServer } from './http-server.js'

let server: LoopbackServer
beforeAll(async () => {
  server = await listenOnLoopback(0)
})
afterAll(() => server.close())

describe('the server of the demo', () => {
  it('responds 503 until the service is ready', async () => {
    const response = await fetch(server.origin)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    await response.arrayBuffer()
  })

  it('passes method, path, headers and bodies on, in both directions', async () => {
    server.serve(async (request) => {
      const { pathname, search } = new URL(request.url)
      return new Response(
        `${request.method} ${pathname}${search} ${request.headers.get('x-line')} ${await request.text()}`,
        {
          status: 201,
          headers: { 'x-tram': '7' },
        },
      )
    })
    const response = await fetch(`${server.origin}/api/v1/a?b=c`, {
      method: 'POST',
      headers: { 'x-line': '11' },
      body: 'two words',
    })
    expect([response.status, response.headers.get('x-tram')]).toEqual([201, '7'])
    expect(await response.text()).toBe('POST /api/v1/a?b=c 11 two words')
  })

  it('tells the service when a client goes away, and when a response has ended', async () => {
    const { port } = new URL(server.origin)
    const client = connect(Number(port), '127.0.0.1')
    const aborted = new Promise<boolean>((resolve) => {
      server.serve(async (request, ended) => {
        void ended.then(() => resolve(request.signal.aborted))
        client.destroy()
        return new Promise(() => undefined)
      })
    })
    client.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    expect(await aborted).toBe(true)

    const left = new Promise<boolean>((resolve) => {
      server.serve(async (request, ended) => {
        void ended.then(() => resolve(request.signal.aborted))
        return new Response('all of it')
      })
    })
    expect(await (await fetch(server.origin)).text()).toBe('all of it')
    expect(await left).toBe(false)
  })
})

it('a port that fetch blocks is rejected with the reason', async () => {
  await expect(requireCallable('http://127.0.0.1:6667')).rejects.toThrow(
    'http://127.0.0.1:6667 cannot be called (bad port). Use another --port.',
  )
})
