import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { servedBy, startBalancer, type Balancer } from '../../test/balancer.js'
import { commandKey, createCommand, waitForAddress, parseFor } from '../../test/command.js'
import { startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'
import { createLedger } from '../domain/ledger/ledger.js'
import { openPostgres } from '../platform/database/postgres.js'

let postgres: TestPostgres
let upstream: ScriptedUpstream
let balancer: Balancer
beforeAll(
  async () =>
    void ([postgres, upstream, balancer] = await Promise.all([
      startPostgres(),
      startScripted(),
      startBalancer(),
    ])),
)
afterAll(async () => {
  upstream.close()
  await balancer.close()
  await postgres.stop()
})

const command = createCommand(undefined, () => ({
  FAREBOX_DATABASE_URL: postgres.url,
  FAREBOX_SPEECH_UPSTREAM: `${upstream.origin}/v1`,
}))
/** Aborts when clients have to stop. */
const rolled = new AbortController()
afterEach(() => rolled.abort())
afterAll(command.killAll)

type Running = {
  readonly child: ChildProcess
  readonly origin: string
  readonly logged: (message: string) => Promise<void>
}

let newest: Running

/** Long enough for the calls that a test makes while a service drains, on a slow machine too. */
const drainSeconds = 10

async function start(seconds: number): Promise<Running> {
  const child = command.start('--port', '0', '--drain-seconds', String(seconds))
  let log = ''
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const logged = async (message: string) => {
    const ended = once(child, 'exit').then(() =>
      Promise.reject(new Error(`It ended without "${message}": ${log}`)),
    )
    ended.catch(() => undefined)
    while (!log.includes(`"message":"${message}"`))
      await Promise.race([once(child.stderr ?? child, 'data'), ended])
  }
  return { child, origin: await waitForAddress(child), logged }
}

/** Speech whose second half is spoken when the test says so. */
async function openSpeech(origin: string) {
  const response = await fetch(`${origin}/api/v1/audio/speech`, {
    method: 'POST',
    body: JSON.stringify({ input: 'Mind the gap', response_format: 'pcm', streaming: true }),
    headers: { authorization: `Bearer ${commandKey}`, 'content-type': 'application/json' },
  })
  expect(response.status).toBe(200)
  const body = response.arrayBuffer()
  // it is awaited after the restarts: a failure before them is the first to be reported
  body.catch(() => undefined)
  return { target: response.headers.get(servedBy), body }
}

/** What the ledger says that was paid, of each model, after an audit. */
async function countPaid(): Promise<Readonly<Record<string, number>>> {
  const database = await openPostgres(postgres.url)
  expect(await createLedger(database, { now: Date.now, id: () => 'unused' }).audit()).toEqual([])
  const rows = await database.query<{ model: string | null; count: bigint }>(
    'select model_id as model, count(*) as count from entry where amount < 0 group by 1',
  )
  await database.close()
  return Object.fromEntries(rows.map(({ model, count }) => [model ?? 'text', Number(count)]))
}

describe('a rolling restart behind a balancer', () => {
  it('fails no paid call and cuts off no stream: each completes once and is in the ledger once', async () => {
    const running = await Promise.all([start(drainSeconds), start(drainSeconds)])
    for (const { origin } of running) balancer.add(origin)

    const speak: (() => void)[] = []
    upstream.script = (response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' }).write(Buffer.alloc(48_000))
      speak.push(() => void response.end(Buffer.alloc(48_000)))
    }
    const statuses: number[] = []
    const client = async () => {
      // as often as the limits of a caller allow
      for (; !rolled.signal.aborted; await setTimeout(30))
        statuses.push(await parseFor(balancer.origin))
    }
    const clients = client()
    const streams: Awaited<ReturnType<typeof openSpeech>>[] = []

    for (const { child, origin, logged } of running) {
      // of the others it needs none
      for (let last; last !== origin; last = streams.at(-1)?.target) {
        speak.splice(0).forEach((end) => end())
        streams.push(await openSpeech(balancer.origin))
      }
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await logged('stopping')
      const ready = await fetch(`${origin}/readyz`)
      expect([ready.status, await ready.json()]).toEqual([
        503,
        { status: 'not ready', checks: { service: 'draining' } },
      ])
      expect(ready.headers.get('connection')).toBe('close')
      // a balancer that has not noticed yet
      statuses.push(await parseFor(origin))
      await balancer.noticed(origin)
      await logged('drained')
      // it accepts connections until a turn of its event loop has little else to do
      await expect
        .poll(() =>
          fetch(`${origin}/readyz`).then(
            (response) => response.text(),
            ({ message }: Error) => message,
          ),
        )
        .toBe('fetch failed')
      // the process lives for its stream
      speak.splice(0).forEach((end) => end())
      expect(await exit).toEqual([0, null])
      balancer.remove(origin)
      newest = await start(3_600)
      balancer.add(newest.origin)
    }
    rolled.abort()
    await clients

    expect(balancer.failures).toEqual([])
    for (const { body } of streams) expect((await body).byteLength).toBe(96_000)
    expect([...new Set(statuses)]).toEqual([200])
    expect(await countPaid()).toEqual({
      'text-parser': statuses.length,
      'tts-kokoro': streams.length,
    })
  })

  it('exits immediately on a second signal', async () => {
    const { child, logged } = newest
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await logged('stopping')
    child.kill('SIGTERM')
    expect(await exit).toEqual([143, null])
  })
})
