import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, startService, type Harness } from '../../test/harness.js'
import {
  scripts,
  startScripted,
  type Script,
  type ScriptedUpstream,
} from '../../test/scripted-upstream.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import type { VideoJobs } from '../domain/video/jobs.js'
import type { SentOrder, VideoTask } from '../domain/video/video-backend.js'
import type { VideoJob } from '../domain/video/video-job.js'
import { createVideoWorker } from '../domain/video/video-worker.js'
import { repeats } from '../platform/upstream/upstream-settings.js'
import { createWorkCost } from '../platform/upstream/work-cost.js'
import { createUpstreams, type GivenUpstream, type Upstreams } from './create-upstreams.js'

let first: ScriptedUpstream
let second: ScriptedUpstream
let upstreams: Upstreams
let farebox: Harness
const time = { now: 0 }

beforeAll(async () => {
  ;[first, second] = [await startScripted(), await startScripted()]
  const sleep = async (milliseconds: number) => {
    time.now += milliseconds
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  upstreams = createUpstreams([], { ticks: () => time.now, sleep, random: () => 0 })
  farebox = await startService({
    upstreams,
    textParser: upstreams.textParser,
    adminCreditUsd: 1_000,
  })
})
afterAll(async () => {
  first.close()
  second.close()
  await farebox.service.close()
})
beforeEach(() => {
  first.script = scripts.ok
  second.script = scripts.ok
  first.received.length = 0
  time.now += 1_000_000
})

const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
const post = (body: object) => ({ method: 'POST', headers, body: JSON.stringify(body) })
const say = (model = 'tts-kokoro') =>
  farebox.call(
    'createSpeech',
    '/audio/speech',
    post({ input: 'The tram is late.', response_format: 'wav', model }),
  )

const createSpeechUpstream = (
  name: string,
  { origin }: ScriptedUpstream,
  changes: Partial<GivenUpstream> = {},
): GivenUpstream => ({
  name,
  capability: 'speech',
  url: `${origin}/v1`,
  cost: { usdPerMillionCharacters: 2 },
  ...changes,
})
/** What 17 characters cost at 2 USD a million, in micro-USD. */
const cost = 34n
/** What they are sold for: 3.5 USD a million. */
const price = 60n

function createVideoTask(): VideoTask {
  const model = contractCatalogue.videoModels.get('seedance-2-0-text-to-video')
  if (!model) throw new Error('There is no such model')
  const order = {
    model,
    prompt: 'A tram',
    seconds: 4,
    width: 1280,
    height: 720,
    audio: true,
    upscaleFactor: 2,
    media: [],
  }
  return { ...order, jobId: 'j1', request: {} }
}

/** The cost of the charge that the work makes. */
async function measureCost(work: () => Promise<unknown>): Promise<bigint | null | undefined> {
  const last = async () => {
    const rows = await farebox.database.query<{ id: string; cost: bigint | null }>(
      `select id, cost from entry where type = 'CHARGE' order by number desc limit 1`,
    )
    return rows[0]
  }
  const before = await last()
  await work()
  expect(await farebox.ledger.audit()).toEqual([])
  const after = await last()
  return after?.id === before?.id ? undefined : after?.cost
}

/** A sample of the metrics, in micro-USD. */
async function readMicroUsd(
  name: string,
  labels = '{capability="speech",model="tts-kokoro"}',
): Promise<number> {
  const line = (await farebox.metrics())
    .split('\n')
    .find((one) => one.startsWith(`${name}${labels} `))
  return Math.round(1e6 * Number(line?.split(' ').at(-1) ?? 0))
}

describe('the cost of a charge', () => {
  it('comes from the prices of its upstream, or else of its model', async () => {
    upstreams.replace([createSpeechUpstream('first', first)])
    expect(await measureCost(() => say())).toBe(cost)
    const models = { 'tts-kokoro': { usdPerRequest: 0.000_001, usdPerMillionCharacters: 0.25 } }
    upstreams.replace([
      createSpeechUpstream('first', first, { cost: { usdPerMillionCharacters: 2, models } }),
    ])
    // 1 + 4.25, rounded up
    expect(await measureCost(() => say())).toBe(6n)
  })

  it('comes from what its upstream reports, before configured prices', async () => {
    upstreams.replace([
      createSpeechUpstream('first', first, {
        cost: { header: 'x-cost', usdPerMillionCharacters: 2 },
      }),
    ])
    first.script = (response) =>
      response.writeHead(200, { 'content-type': 'audio/wav', 'x-cost': '0.000012' }).end('RIFF')
    expect(await measureCost(() => say())).toBe(12n)
    first.script = scripts.ok
    expect(await measureCost(() => say())).toBe(cost)
  })

  it('is zero for work of this process, and absent if the upstream has no price', async () => {
    upstreams.replace([])
    expect(await measureCost(() => say())).toBe(0n)
    upstreams.replace([createSpeechUpstream('first', first, { cost: {} })])
    expect(await measureCost(() => say())).toBeNull()
  })

  it('includes a lost response and the upstream that delivered', async () => {
    const changes = { repeat: 'free', retries: 0 } as const
    upstreams.replace([
      createSpeechUpstream('first', first, changes),
      createSpeechUpstream('second', second, { weight: 0 }),
    ])
    first.script = scripts['resets the connection']
    // the first bills nothing that it does not deliver
    expect(await measureCost(() => say())).toBe(cost)
    // by default, the first may bill it too
    upstreams.replace([
      createSpeechUpstream('first', first),
      createSpeechUpstream('second', second, { weight: 0 }),
    ])
    expect(await measureCost(() => say())).toBe(2n * cost)
    upstreams.replace([createSpeechUpstream('first', first, { repeat: 'keyed', retries: 1 })])
    const responses: Script[] = [scripts['resets the connection'], scripts.ok]
    first.script = (...exchange) => responses.shift()?.(...exchange)
    // one key is one bill
    expect(await measureCost(() => say())).toBe(cost)
  })

  it('depends on the bytes of a document', async () => {
    upstreams.replace([
      {
        name: 'text',
        capability: 'text',
        url: `${first.origin}/api/v1`,
        cost: { usdPerRequest: 0.001, usdPerMegabyte: 1 },
      },
    ])
    first.script = (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"text":"Tram fares","tokens":3}')
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'a.txt')
    const parse = () =>
      farebox.call('parseText', '/augment/text-parser', {
        method: 'POST',
        headers: { authorization: headers.authorization },
        body,
      })
    expect(await measureCost(parse)).toBe(1_010n)
  })

  it('depends on the seconds of a video, once it is made', async () => {
    upstreams.replace([
      {
        name: 'video',
        capability: 'video',
        url: `${first.origin}/api/v1`,
        cost: { usdPerSecond: 0.1 },
      },
    ])
    first.script = (response, { url }) =>
      url === '/api/v1/video/queue'
        ? response
            .writeHead(200, { 'content-type': 'application/json' })
            .end('{"model":"m","queue_id":"q1"}')
        : response.writeHead(200, { 'content-type': 'video/mp4' }).end('mp4')
    const order = {
      model: 'seedance-2-0-text-to-video',
      prompt: 'A tram',
      duration: '4s',
      aspect_ratio: '16:9',
    }
    const made = async () => {
      const { queue_id } = (await farebox.call('queueVideo', '/video/queue', post(order))).json
      const charges = () =>
        farebox.database.query(
          `select 1 from video_job j join hold h on h.id = j.hold_id where j.id = $1 and h.state = 'captured'`,
          [queue_id],
        )
      while ((await charges()).length === 0)
        await new Promise<void>((resolve) => void setImmediate(resolve))
    }
    expect(await measureCost(made)).toBe(400_000n)
    expect(await farebox.database.query('select cost from video_job')).toEqual([{ cost: 400_000n }])
  })
})

it('metrics show revenue, cost and margin by capability and model, including uncharged work', async () => {
  const names = [
    'farebox_charged_usd_total',
    'farebox_cost_usd_total',
    'farebox_unpaid_cost_usd_total',
    'farebox_margin_usd',
  ] as const
  const read = async () => Promise.all(names.map((name) => readMicroUsd(name)))
  upstreams.replace([createSpeechUpstream('first', first)])
  const before = await read()
  await say()
  first.script = scripts['responds 500']
  expect((await say()).status).toBe(503)
  const after = await read()
  const lost = Number(cost)
  expect(after.map((value, index) => value - (before[index] ?? 0))).toEqual([
    Number(price),
    lost,
    lost,
    Number(price) - 2 * lost,
  ])
})

it('a video that is resumed after a restart keeps the cost that its upstream reported before', async () => {
  upstreams.replace([
    {
      name: 'video',
      capability: 'video',
      url: `${first.origin}/api/v1`,
      cost: { header: 'x-cost', usdPerSecond: 0.1 },
    },
  ])
  const order = createVideoTask()
  const written: (SentOrder | undefined)[] = []
  const journal = (sent?: SentOrder) => ({
    read: async () => sent,
    write: async (next: SentOrder | undefined) => void written.push(next),
  })
  first.script = (response, { url }) =>
    url === '/api/v1/video/queue'
      ? response
          .writeHead(200, { 'content-type': 'application/json', 'x-cost': '0.25' })
          .end('{"model":"m","queue_id":"q1"}')
      : response.writeHead(200, { 'content-type': 'video/mp4' }).end('mp4')
  const [before, again] = [createWorkCost(), createWorkCost()]
  await upstreams.video.render(
    { ...order, journal: journal(), cost: before },
    new AbortController().signal,
  )
  await upstreams.video.render(
    { ...order, journal: journal(written.at(-1)), cost: again },
    new AbortController().signal,
  )
  expect([before.total(), again.total()]).toEqual([250_000n, 250_000n])
  expect(first.received.filter(({ path }) => path.endsWith('/video/queue'))).toHaveLength(1)
})

it('a video whose process died before charging is charged by another process, with its cost', async () => {
  const charges: unknown[] = []
  const unpaid: unknown[] = []
  const ended = (price: bigint) =>
    ({ id: `j${price}`, holdId: 'h', model: 'm', price, cost: 7n }) as VideoJob
  const jobs = {
    withOpenHold: async () => [ended(9n), ended(0n)],
    lease: async () => undefined,
  } as unknown as VideoJobs
  const done = new Promise<void>((resolve) => {
    const worker = createVideoWorker({
      jobs,
      catalogue: contractCatalogue,
      ledger: {
        capture: async (...capture) => {
          charges.push(capture)
          return { status: 'ended' }
        },
      },
      backend: { name: 'none', render: async () => new Uint8Array() },
      onError: (error) => unpaid.push(error),
      onUnpaid: (work) => {
        unpaid.push(work)
        void worker.close().then(resolve)
      },
    })
  })
  await done
  expect(charges).toEqual([
    ['h', 9n, 'm', undefined, 7n],
    ['h', 0n, 'm', undefined, 7n],
  ])
  expect(unpaid).toEqual([{ model: 'm', cost: 7n }])
})

describe('any behavior of upstreams', () => {
  type Name = Exclude<keyof typeof scripts, 'stalls' | 'stalls in the body'>
  const names = Object.keys(scripts).filter((name): name is Name => !name.startsWith('stalls'))
  /** After these, no upstream has begun work. */
  const unbegun: readonly Name[] = ['responds 429', 'responds 503', 'responds 401', 'responds 400']
  /** These deliver bytes before they fail, or all of them. */
  const delivers: readonly Name[] = [
    'ok',
    'resets it in the body',
    'breaks off before the stated length',
  ]
  const script = fc.constantFrom(...names)
  const plan = fc.record({
    script: fc.tuple(script, script),
    repeat: fc.constantFrom(...repeats),
    retries: fc.integer({ min: 0, max: 2 }),
  })

  it('the ledger and the metric of unpaid work add up to what upstreams billed', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ script: [one, other], repeat, retries }) => {
        time.now += 1_000_000
        // a circuit that opens would hide what is sent again
        const changes = { repeat, retries, breaker: { failures: 1_000 } }
        upstreams.replace([
          createSpeechUpstream('first', first, changes),
          createSpeechUpstream('second', second, { ...changes, weight: 0 }),
        ])
        const done: { readonly upstream: ScriptedUpstream; readonly name: Name }[] = []
        for (const [upstream, name] of [
          [first, one],
          [second, other],
        ] as const) {
          upstream.script = (...exchange) => {
            done.push({ upstream, name })
            ;(scripts[name] as Script)(...exchange)
          }
        }
        const unpaidBefore = await readMicroUsd('farebox_unpaid_cost_usd_total')
        const charged = await measureCost(() => say().catch(() => undefined))
        const unpaid = (await readMicroUsd('farebox_unpaid_cost_usd_total')) - unpaidBefore
        const billed = done.filter(
          ({ name }) =>
            (repeat === 'free' ? delivers : names).includes(name) && !unbegun.includes(name),
        )
        const bills =
          repeat === 'keyed' ? new Set(billed.map(({ upstream }) => upstream)).size : billed.length
        const isWhole = done.at(-1)?.name === 'ok'
        expect([charged, unpaid]).toEqual(
          isWhole ? [cost * BigInt(bills), 0] : [undefined, Number(cost) * bills],
        )
      }),
      { numRuns: 25 },
    )
  })
})

describe('an upstream whose health check fails', () => {
  const never = new AbortController().signal
  /** Checks whose turn has come. */
  const check = async () => {
    time.now += 15_000
    await upstreams.check(never)
  }

  it('twice gets no requests until a check succeeds, and is logged once', async () => {
    const health = { path: '/models' }
    upstreams.replace([
      createSpeechUpstream('first', first, { health, apiKey: 'k' }),
      createSpeechUpstream('second', second, { weight: 0 }),
    ])
    first.script = scripts['responds 503']
    farebox.troubles.length = 0
    await check()
    expect(upstreams.states().map(({ healthy }) => healthy)).toEqual([true, true])
    // its turn has not come
    await upstreams.check(never)
    expect(first.received.map(({ path }) => path)).toEqual(['GET /v1/models'])
    await check()
    await check()
    expect(upstreams.states().map(({ healthy }) => healthy)).toEqual([false, true])
    expect(farebox.troubles).toEqual([
      'speech: Health: first returned 503 to its health check; it gets no requests until a check succeeds',
    ])
    expect(await farebox.metrics()).toContain(
      'farebox_upstream_healthy{capability="speech",upstream="first"} 0\n',
    )
    first.received.length = 0
    expect((await say()).status).toBe(200)
    expect(first.received).toEqual([])
    first.script = scripts.ok
    await check()
    expect((await say()).status).toBe(200)
    expect(first.received.map(({ path }) => path)).toEqual([
      'GET /v1/models',
      'POST /v1/audio/speech',
    ])
  })

  it('makes the service not ready if there is no other upstream', async () => {
    upstreams.replace([createSpeechUpstream('alone', first, { health: { path: '/models' } })])
    first.script = scripts['responds 401']
    await check()
    await expect(upstreams.ready()).resolves.toBeUndefined()
    await check()
    await expect(upstreams.ready()).rejects.toThrow('fails its health checks')
  })
})
