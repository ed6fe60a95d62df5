import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { installPackages } from '@farebox/testing/install-package'
import { findFreePort } from '@farebox/testing/start-listening'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { streamCompletion } from '../../test/chat-script.js'
import { commandKey, createCommand, waitForAddress } from '../../test/command.js'
import { balancers, startRealBalancer, type RealBalancer } from '../../test/real-balancers.js'
import { startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'
import { createLedger } from '../domain/ledger/ledger.js'
import { openPostgres } from '../platform/database/postgres.js'
import { createClientAddress } from '../platform/server/client-address.js'

const model = 'mistral-31-24b'
const usage = { prompt: 100, completion: 20 }
const folder = mkdtempSync(join(tmpdir(), 'farebox-rolling-'))
let upstream: ScriptedUpstream
let postgres: TestPostgres
beforeAll(async () => {
  await installPackages(['nginx', 'haproxy', 'caddy'], ['nginx-light', 'haproxy', 'caddy'])
  upstream = await startScripted()
  // a stream takes longer than a short call, and shorter than a drain
  upstream.script = (response) => {
    const pieces = Array.from({ length: 20 }, (_, place) => `${place} `)
    void streamCompletion(response, { pieces, usage, gate: () => setTimeout(100) })
  }
  writeSetting('upstreams', {
    upstreams: [{ name: 'chat', capability: 'chat', url: `${upstream.origin}/v1` }],
  })
  const most = { default: { requests: 1_000_000, tokens: 1_000_000_000 } }
  const { requests } = most.default
  writeSetting('catalogue', {
    tiers: { S: { ...most, models: [model] } },
    limits: { text: { default: { requests } }, unstated: { default: { requests } } },
  })
})
afterAll(() => {
  upstream.close()
  rmSync(folder, { recursive: true })
})

function writeSetting(name: string, value: object): void {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(value))
}

const command = createCommand(
  () => folder,
  () => ({
    FAREBOX_DATABASE_URL: postgres.url,
    FAREBOX_ORIGIN: 'https://api.example.com',
    FAREBOX_NO_WALLETS: '1',
    FAREBOX_TRUSTED_PROXIES: '127.0.0.1',
    FAREBOX_UPSTREAMS: 'upstreams.json',
    FAREBOX_CATALOGUE: 'catalogue.json',
    FAREBOX_ADMIN_CREDIT: '1000',
    // that of an operator
    FAREBOX_DRAIN_SECONDS: '10',
  }),
)

const authorization = `Bearer ${commandKey}`
const json = { authorization, 'content-type': 'application/json' }
const createChatInit = (stream: boolean) => ({
  method: 'POST',
  headers: json,
  body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'How far?' }] }),
})
const boundary = 'tram'
const document = [
  `--${boundary}`,
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  '',
  'Tram fares',
  `--${boundary}--`,
  '',
].join('\r\n')
const form = {
  authorization,
  'content-type': `multipart/form-data; boundary=${boundary}`,
}

/** Calls, and the end of the body of a complete response to each. */
const calls = {
  models: { path: '/models', init: { headers: { authorization } }, end: '}' },
  parse: {
    path: '/augment/text-parser',
    init: { method: 'POST', headers: form, body: document },
    end: '}',
  },
  chat: { path: '/chat/completions', init: createChatInit(false), end: '}' },
  stream: { path: '/chat/completions', init: createChatInit(true), end: 'data: [DONE]\n\n' },
} as const
type CallName = keyof typeof calls

async function readText(response: IncomingMessage): Promise<string> {
  return (await response.setEncoding('utf8').toArray()).join('')
}

/** Calls until it is stopped: twelve callers, each with one call at a time. */
function startLoad(balancer: RealBalancer) {
  const done: Record<CallName, number> = { models: 0, parse: 0, chat: 0, stream: 0 }
  const failed: string[] = []
  const stop = new AbortController()
  const callOnce = async (name: CallName) => {
    const { path, init, end } = calls[name]
    try {
      const response = await balancer.send(`/api/v1${path}`, init)
      const text = await readText(response)
      if (response.statusCode === 200 && text.trimEnd().endsWith(end.trimEnd())) done[name]++
      else failed.push(`${name}: ${response.statusCode} ${text.slice(-200)}`)
    } catch (error) {
      failed.push(`${name}: ${String(error)}`)
    }
  }
  const names: readonly CallName[] = ['models', 'models', 'parse', 'parse', 'chat', 'stream']
  const callers = [...names, ...names].map(async (name) => {
    for (; !stop.signal.aborted; await setTimeout(20)) await callOnce(name)
  })
  return {
    done,
    stop: async () => {
      stop.abort()
      await Promise.all(callers)
      return failed
    },
  }
}

/** What the ledger says that was paid, of each model, after an audit. */
async function countPaid(): Promise<Readonly<Record<string, number>>> {
  const database = await openPostgres(postgres.url)
  expect(await createLedger(database, { now: Date.now, id: () => 'unused' }).audit()).toEqual([])
  const rows = await database.query<{ model: string | null; count: bigint }>(
    'select model_id as model, count(*) as count from entry where amount < 0 group by 1',
  )
  await database.close()
  return Object.fromEntries(rows.map(({ model: name, count }) => [name ?? 'text', Number(count)]))
}

/** Starts the service at a port, and counts the requests that it logs. */
async function startProcess(port: number) {
  const child = command.start('--port', String(port))
  let requests = 0
  child.stderr?.on('data', (chunk: Buffer) => {
    requests += chunk.toString().split('"message":"request"').length - 1
  })
  await waitForAddress(child)
  return { child, port, served: () => requests }
}

describe.each(Object.entries(balancers))(
  'behind %s as the package configures it',
  (_name, kind) => {
    const ends: (() => unknown)[] = []
    afterEach(async () => {
      for (const end of ends.splice(0).toReversed()) await end()
    })

    it('a rolling restart under load fails no call and charges each once', async () => {
      postgres = await startPostgres()
      ends.push(() => postgres.stop(), command.killAll)
      const running = await Promise.all(
        [findFreePort(), findFreePort()].map(async (port) => startProcess(await port)),
      )
      const [one, two] = running
      const balancer = await startRealBalancer(kind, [one?.port ?? 0, two?.port ?? 0])
      ends.push(balancer.stop)
      await expect.poll(async () => (await balancer.send('/healthz')).resume().statusCode).toBe(200)

      const load = startLoad(balancer)
      ends.push(load.stop)
      const served: number[] = []
      for (const { child, port, served: count } of running) {
        const before = { ...load.done }
        // both processes are in use
        await expect.poll(() => load.done.stream - before.stream).toBeGreaterThan(3)
        const exit = once(child, 'exit')
        child.kill('SIGTERM')
        expect(await exit).toEqual([0, null])
        served.push(count())
        const next = await startProcess(port)
        await expect.poll(next.served).toBeGreaterThan(10)
      }
      const failed = await load.stop()
      expect(failed, balancer.log()).toEqual([])
      expect(Math.min(...served)).toBeGreaterThan(10)
      expect(await countPaid()).toEqual({
        'text-parser': load.done.parse,
        [model]: load.done.chat + load.done.stream,
      })
    })

    it("forwards the caller's address, streams, large headers and bodies, and disconnects", async () => {
      const { ofRequest } = createClientAddress(['127.0.0.1'])
      let release: (() => void) | undefined
      let abandoned = 0
      const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
        response.once('close', () => void (response.writableFinished || abandoned++))
        const headers = new Headers(incoming.headers as Record<string, string>)
        response.setHeader('x-client', ofRequest('127.0.0.1', headers))
        response.setHeader('payment-required', 'p'.repeat(12_000))
        let bytes = 0
        for await (const chunk of incoming) bytes += (chunk as Buffer).byteLength
        response.write(`${bytes} bytes`)
        if (bytes > 0) await new Promise<void>((resolve) => (release = resolve))
        response.end(', done')
      }
      const service = createServer((incoming, response) => void respond(incoming, response))
      service.listen(0, '127.0.0.1')
      ends.push(() => service.close())
      await once(service, 'listening')
      const { port } = service.address() as AddressInfo
      const balancer = await startRealBalancer(kind, [port, port])
      ends.push(balancer.stop)
      await expect.poll(async () => (await balancer.send('/readyz')).resume().statusCode).toBe(200)

      const pieces = Array.from({ length: 1_200 }, () => Buffer.alloc(64 * 1024))
      const response = await balancer.send('/api/v1/audio/speech', {
        method: 'POST',
        localAddress: '127.0.0.2',
        headers: {
          'x-forwarded-for': '198.51.100.7',
          forwarded: 'for=198.51.100.8',
          'payment-signature': 's'.repeat(14_000),
        },
        body: Readable.from(pieces),
      })
      expect(response.statusCode, balancer.log()).toBe(200)
      expect(response.headers['x-client']).toBe('127.0.0.2')
      const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]()
      // the rest is not sent before this has come
      expect(await chunks.next()).toEqual({ done: false, value: `${1_200 * 64 * 1024} bytes` })
      release?.()
      expect(await chunks.next()).toEqual({ done: false, value: ', done' })

      // a caller that leaves ends the call
      const left = await balancer.send('/api/v1/chat/completions', { method: 'POST', body: 'far' })
      expect(abandoned).toBe(0)
      left.destroy()
      await expect.poll(() => abandoned).toBe(1)
    })
  },
)
