import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { adminKey, origin, startService, type Harness } from '../../test/harness.js'
import { createTextParser } from '../domain/text/text-parser.js'
import type { VideoBackend } from '../domain/video/video-backend.js'
import type { Database } from '../platform/database/database.js'
import { createServer } from '../platform/server/create-server.js'
import { timeLimit } from '../platform/time.js'

/** A worker that is ready, and never done. */
const endless = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', () => undefined)
    parentPort.postMessage({ kind: 'ready' })`)}`,
)

const video: VideoBackend = {
  name: 'test',
  render: (_order, signal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new Error('stopped'))),
    ),
}

const textParser = createTextParser({ size: 1, workerUrl: endless })
const server = createServer((request, info) => farebox.service.fetch(request, info))

/** The samples of a gauge, by their labels. */
async function readGauge(name: string): Promise<Readonly<Record<string, number>>> {
  const samples = (await farebox.metrics()).matchAll(
    new RegExp(`^${name}(?:\\{(.*)\\})? (.*)$`, 'gm'),
  )
  return Object.fromEntries(
    [...samples].map(([, labels = '', value]) => [labels.replaceAll('"', ''), Number(value)]),
  )
}

let farebox: Harness
let database: Database
let query: Database['query']
beforeAll(async () => {
  const opened = await openEmptyDatabase()
  query = opened.query
  database = { ...opened, query: (...parameters) => query(...parameters) as never }
  farebox = await startService({
    database,
    video,
    videosAtOnce: 1,
    textParser,
    connections: promisify(server.getConnections.bind(server)),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => void vi.useRealTimers())
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await farebox.service.close()
})

const asAdmin = { authorization: `Bearer ${adminKey}` }

it('shows connections until they close', async () => {
  expect(await readGauge('farebox_connections')).toEqual({ '': 0 })
  const sockets = Array.from({ length: 5 }, () =>
    connect((server.address() as AddressInfo).port, '127.0.0.1'),
  )
  await expect.poll(() => readGauge('farebox_connections')).toEqual({ '': 5 })
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => readGauge('farebox_connections')).toEqual({ '': 0 })
})

it('shows the bytes of a body until its response is sent', async () => {
  let end = (): void => undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new Uint8Array(100_000))
      end = () => controller.close()
    },
  })
  const init = { method: 'POST', body, headers: { ...asAdmin, 'content-type': 'application/json' } }
  const rejected = farebox.call('createSpeech', '/audio/speech', init)
  await expect.poll(() => readGauge('farebox_request_body_bytes')).toEqual({ '': 100_000 })
  end()
  expect((await rejected).status).toBe(400)
  expect(await readGauge('farebox_request_body_bytes')).toEqual({ '': 0 })
})

it('shows the work queued for workers and the bytes held for it', async () => {
  const idle = {
    'pool=text,state=busy': 0,
    'pool=text,state=waiting': 0,
    'pool=media,state=busy': 0,
    'pool=media,state=waiting': 0,
  }
  const silent = Object.fromEntries(
    ['speech', 'chat', 'embedding', 'image', 'transcription'].flatMap((pool) =>
      ['busy', 'waiting'].map((state) => [`pool=${pool},state=${state}`, 0]),
    ),
  )
  expect(await readGauge('farebox_worker_tasks')).toEqual({ ...idle, ...silent })
  expect([
    await readGauge('farebox_open_holds'),
    await readGauge('farebox_open_holds_usd'),
  ]).toEqual([{ '': 0 }, { '': 0 }])

  const parse = async () => {
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'a.txt')
    const init = { method: 'POST', body, headers: asAdmin }
    await farebox.service.fetch(new Request(`${origin}/api/v1/augment/text-parser`, init))
  }
  const parsing = [parse(), parse(), parse()]
  const busy = { ...idle, ...silent, 'pool=text,state=busy': 1, 'pool=text,state=waiting': 2 }
  await expect.poll(() => readGauge('farebox_worker_tasks')).toEqual(busy)
  expect([
    await readGauge('farebox_open_holds'),
    await readGauge('farebox_open_holds_usd'),
  ]).toEqual([{ '': 3 }, { '': 0.03 }])
  await textParser.close()
  await Promise.all(parsing)
  expect(await readGauge('farebox_worker_tasks')).toEqual({ ...idle, ...silent })
  expect([
    await readGauge('farebox_open_holds'),
    await readGauge('farebox_open_holds_usd'),
  ]).toEqual([{ '': 0 }, { '': 0 }])
})

it('shows the videos that are queued and running', async () => {
  expect(await readGauge('farebox_video_jobs')).toEqual({ 'state=queued': 0, 'state=running': 0 })
  const body = JSON.stringify({
    model: 'local-test-clip',
    prompt: 'A tram',
    duration: '2s',
    resolution: '256p',
  })
  for (let count = 0; count < 3; count++) {
    const init = {
      method: 'POST',
      body,
      headers: { ...asAdmin, 'content-type': 'application/json' },
    }
    expect((await farebox.call('queueVideo', '/video/queue', init)).status).toBe(200)
  }
  await expect
    .poll(() => readGauge('farebox_video_jobs'))
    .toEqual({ 'state=queued': 2, 'state=running': 1 })
})

it.each<[string, () => Promise<never>]>([
  ['is away', () => Promise.reject(new Error('gone'))],
  ['does not respond', () => new Promise(() => undefined)],
])('shows the other gauges when the database %s, with one query at a time', async (_how, fail) => {
  const working = query
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = vi.fn<(sql: string) => void>()
  query = (sql) => {
    asked(sql)
    return fail()
  }
  const pages = Array.from({ length: 3 }, () => farebox.metrics())
  await vi.advanceTimersByTimeAsync(timeLimit(2_000))
  query = working
  for (const page of await Promise.all(pages)) {
    expect(page).toMatch(/^farebox_connections \d+$/m)
    expect(page).toMatch(/^farebox_worker_tasks\{pool="text",state="waiting"\} \d+$/m)
    expect(page).not.toMatch(/^farebox_(?:open_holds|open_holds_usd|video_jobs)[ {]/m)
  }
  const statements = asked.mock.calls.map(([sql]) => sql)
  expect(statements.filter((sql) => sql.includes('from hold'))).toHaveLength(1)
  expect(statements.filter((sql) => sql.includes('from video_job'))).toHaveLength(1)
})
