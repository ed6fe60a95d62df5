import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { commandKey, createCommand, waitForAddress } from '../../test/command.js'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import type { Database } from '../platform/database/database.js'
import { openPostgres } from '../platform/database/postgres.js'

/** An upstream that begins to speak, and goes on when it is told. */
const calls: ServerResponse[] = []
const upstream = createServer((_request, response) => {
  calls.push(response)
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  response.write(`take ${calls.length}`)
})

let postgres: TestPostgres
let database: Database
let folder: string
beforeAll(async () => {
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  postgres = await startPostgres()
  database = await openPostgres(postgres.url)
  folder = await mkdtemp(join(tmpdir(), 'farebox-replay-'))
})
afterAll(async () => {
  await shared.killAll()
  await database.close()
  await postgres.stop()
  upstream.closeAllConnections()
  upstream.close()
  await rm(folder, { recursive: true, force: true })
})

const createEnvironment = () => ({
  FAREBOX_SPEECH_UPSTREAM: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
})
const shared = createCommand(undefined, () => ({
  ...createEnvironment(),
  FAREBOX_DATABASE_URL: postgres.url,
}))
const embedded = createCommand(() => folder, createEnvironment)

/** Two that the cases on PostgreSQL share. One that a case has killed is started again. */
type Running = { readonly child: ChildProcess; readonly origin: Promise<string> }
const running = new Map<number, Running>()
const startOne = (index: number): Running => {
  const child = shared.start('--port', '0')
  const one = { child, origin: waitForAddress(child) }
  running.set(index, one)
  return one
}
const ensureStarted = async (index: number) => {
  const known = running.get(index)
  const { child, origin } = known && !known.child.killed ? known : startOne(index)
  return { child, origin: await origin }
}
const startPair = () => Promise.all([ensureStarted(0), ensureStarted(1)])
afterEach(() => embedded.killAll())

function post(origin: string, path: string, key: string, body: object): Promise<Response> {
  const headers = {
    authorization: `Bearer ${commandKey}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  }
  return fetch(`${origin}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const say = (origin: string, key: string) => post(origin, '/audio/speech', key, { input: 'Trams.' })
/** Charges of speech: a video that a test has queued is charged while others run. */
const countCharges = async () =>
  (await database.query(`select from entry where type = 'CHARGE' and model_id = 'tts-kokoro'`))
    .length
const readCode = async (response: Response) =>
  ((await response.json()) as { readonly code: string }).code

describe('two processes on one PostgreSQL', () => {
  it('do the work of one key once and return the same bytes from either', async () => {
    const origins = (await startPair()).map(({ origin }) => origin)
    const before = await countCharges()
    calls.length = 0
    const asked = Array.from({ length: 20 }, (_, index) => say(origins[index % 2] ?? '', 'speech'))
    const responses = await Promise.all(asked)
    const [first] = responses.filter(({ status }) => status === 200)
    const others = await Promise.all(
      responses.filter((response) => response !== first).map(readCode),
    )
    expect(others).toEqual(Array.from({ length: 19 }, () => 'IDEMPOTENCY_IN_PROGRESS'))
    calls[0]?.end(' and its end')
    expect(await first?.text()).toBe('take 1 and its end')
    for (const origin of [...origins, ...origins]) {
      const again = await say(origin, 'speech')
      expect([await again.text(), again.headers.get('idempotent-replayed')]).toEqual([
        'take 1 and its end',
        'true',
      ])
    }

    const order = { model: 'local-test-clip', prompt: 'A tram', duration: '2s', resolution: '256p' }
    const queued = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        post(origins[index % 2] ?? '', '/video/queue', 'film', order),
      ),
    )
    expect(queued.map(({ status }) => status).filter((status) => status !== 409)).not.toEqual([])
    const texts = new Set(
      await Promise.all(
        queued.filter(({ status }) => status === 200).map((response) => response.text()),
      ),
    )
    expect(texts.size).toBe(1)

    expect(calls).toHaveLength(1)
    const [counts] = await database.query(
      `select (select count(*) from video_job) as jobs, (select count(*) from hold where model_id = 'local-test-clip') as holds`,
    )
    expect(counts).toEqual({ jobs: 1n, holds: 1n })
    expect((await countCharges()) - before).toBe(1)
  })

  it('when one is killed during a response, redo the work at the other for a retry and charge once', async () => {
    const [one, other] = await startPair()
    const [first, second] = [one.origin, other.origin]
    const before = await countCharges()
    calls.length = 0
    expect((await say(first, 'killed')).status).toBe(200)
    one.child.kill('SIGKILL')
    expect(await readCode(await say(second, 'killed'))).toBe('IDEMPOTENCY_IN_PROGRESS')
    // as after a minute without a sign of life
    await database.query(
      'delete from process where id in (select process_id from keyed_request where request_id is not null)',
    )
    const late = await say(second, 'killed')
    calls[1]?.end('!')
    expect([late.status, await late.text(), calls.length]).toEqual([200, 'take 2!', 2])
    expect(await (await say(second, 'killed')).text()).toBe('take 2!')
    expect((await countCharges()) - before).toBe(1)
    expect(await shared.runHere('audit')).toMatchObject({ code: 0 })
  })
})

it('a restart after a kill redoes an unfinished response and replays a stored one byte for byte', async () => {
  const child = embedded.start('--port', '0')
  const origin = await waitForAddress(child)
  calls.length = 0
  const whole = say(origin, 'whole').then((response) => response.text())
  while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
  calls[0]?.end('!')
  expect(await whole).toBe('take 1!')
  expect((await say(origin, 'killed')).status).toBe(200)
  child.kill('SIGKILL')
  await once(child, 'exit')

  const next = await waitForAddress(embedded.start('--port', '0'))
  expect(await (await say(next, 'whole')).text()).toBe('take 1!')
  const again = await say(next, 'killed')
  calls[2]?.end('!')
  expect(await again.text()).toBe('take 3!')
  expect(calls).toHaveLength(3)
})
