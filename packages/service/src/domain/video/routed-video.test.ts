import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, origin, startService, type Harness } from '../../../test/harness.js'
import { contractCatalogue } from '../models/catalogue.js'
import {
  createRoutedVideo,
  createUpstreamVideo,
  openVideos,
  type UpstreamVideoOptions,
} from './routed-video.js'
import { lazy } from '../../platform/lazy.js'
import { createUpstreamPool } from '../../platform/upstream/upstream-pool.js'
import { withDefaults } from '../../platform/upstream/upstream-settings.js'
import { VideoError, type VideoBackend, type VideoTask } from './video-backend.js'

const made = new Uint8Array([1, 2, 3])
const url = `${origin}/api/v1`
let upstream: Harness
let rendered: VideoTask[]
let failure: Error | undefined

beforeEach(async () => {
  rendered = []
  failure = undefined
  const render = async (task: VideoTask) => {
    rendered.push(task)
    if (failure) throw failure
    return made
  }
  upstream = await startService({ video: { name: 'test', render } })
})
afterEach(() => upstream.service.close())

/** The upstream is a service of ours, without a network between. */
const toUpstream: typeof fetch = (input, init) => {
  upstream.clock.time += 10_000
  return upstream.service.fetch(new Request(input instanceof URL ? input.href : input, init))
}

function createVideoTask(
  jobId: string,
  model = 'local-test-clip',
  request: object = {},
): VideoTask {
  const facts = contractCatalogue.videoModels.get(model)
  if (!facts) throw new Error(`no model ${model}`)
  const order = {
    model: facts,
    prompt: 'A tram',
    seconds: 2,
    width: 16,
    height: 16,
    audio: true,
    upscaleFactor: 2,
    media: [],
  }
  return { ...order, jobId, request: { model, prompt: 'A tram', duration: '2s', ...request } }
}

const createBackend = (options: Partial<UpstreamVideoOptions> = {}) =>
  createUpstreamVideo({
    url,
    apiKey: adminKey,
    fetch: toUpstream,
    ...createVirtualTime(),
    ...options,
  })
const never = new AbortController().signal
/** Time that passes with sleep alone. */
function createVirtualTime() {
  let now = 0
  const waits: number[] = []
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds)
    now += milliseconds
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  return { waits, ticks: () => now, sleep }
}

describe('a video from upstream', () => {
  it.each(['local-test-clip', 'local-test-clip-private'])(
    'of %s arrives as bytes, from the response or from the download URL',
    async (model) => {
      expect(
        new Uint8Array(await createBackend().render(createVideoTask('j1', model), never)),
      ).toEqual(made)
      expect(rendered).toHaveLength(1)
      expect(rendered[0]?.request).toMatchObject({ model, prompt: 'A tram', duration: '2s' })
    },
  )

  it('that is in progress closes the circuit that its order was trying', async () => {
    const time = createVirtualTime()
    const statuses = ['failed', 'queued', 'in_progress', 'completed']
    const circuits: string[] = []
    const pool = createUpstreamPool(
      (given) =>
        openVideos(given, async () => {
          circuits.push(pool.members()[0]?.state.circuit() ?? '')
          const status = statuses.shift()
          if (status === 'failed') return new Response(null, { status: 503 })
          return status === undefined ? new Response(made) : Response.json({ id: 'v', status })
        }),
      time.ticks,
    )
    const breaker = { failures: 1, openMs: 60_000 }
    pool.replace([
      withDefaults({ name: 'one', capability: 'video', format: 'openai', url, breaker }),
    ])
    const local = lazy((): VideoBackend => {
      throw new Error('no local backend')
    })
    const ignore = () => undefined
    const video = createRoutedVideo(pool, local, {
      ...time,
      random: () => 0,
      onEnd: ignore,
      onTrouble: ignore,
    })
    expect(await video.render(createVideoTask('j1'), never)).toEqual(made)
    // the order that fails, its repetition, two polls and the download
    expect(circuits).toEqual(['closed', 'half-open', 'half-open', 'closed', 'closed'])
  })

  it('is asked for with a key that its upstream gets meanwhile, when the old one ends', async () => {
    const settings = (apiKey: string) => [
      withDefaults({ name: 'one', capability: 'video', format: 'openai', url, apiKey }),
    ]
    const statuses = ['queued', 'in_progress', 'completed']
    const pool = createUpstreamPool(
      (given) =>
        openVideos(given, async (_input, init) => {
          const isOld = new Headers(init?.headers).get('authorization') === 'Bearer old'
          if (isOld && statuses.length < 3) return new Response(null, { status: 401 })
          const status = statuses.shift()
          if (status === 'queued') pool.replace(settings('new'))
          return status === undefined ? new Response(made) : Response.json({ id: 'v', status })
        }),
      () => 0,
    )
    pool.replace(settings('old'))
    const local = lazy((): VideoBackend => {
      throw new Error('no local backend')
    })
    const ignore = () => undefined
    const parts = { ...createVirtualTime(), random: Math.random, onEnd: ignore, onTrouble: ignore }
    const { render } = createRoutedVideo(pool, local, parts)
    expect(await render(createVideoTask('j1'), never)).toEqual(made)
  })

  it('is queued once, however often the job is begun', async () => {
    await createBackend().render(createVideoTask('j1'), never)
    await createBackend().render(createVideoTask('j1'), never)
    expect(rendered).toHaveLength(1)
    await createBackend().render(createVideoTask('j2'), never)
    expect(rendered).toHaveLength(2)
  })

  it('that fails upstream fails here, without details of the upstream account', async () => {
    failure = new VideoError('Not today.')
    await expect(createBackend().render(createVideoTask('j1'), never)).rejects.toMatchObject({
      message: 'The upstream could not make the video.',
      trouble: 'Video: the upstream returned 500',
    })
    await expect(
      createBackend({ apiKey: 'wrong' }).render(createVideoTask('j2'), never),
    ).rejects.toMatchObject({
      message: 'The upstream could not make the video.',
      trouble: 'Video: the upstream returned 401; check its key and its models',
    })
  })

  it('that is rejected fails with the reason, for the caller', async () => {
    const error = 'A prompt of at most 100 characters; key test-admin-key'
    const options = { fetch: async () => Response.json({ error }, { status: 422 }) }
    await expect(createBackend(options).render(createVideoTask('j1'), never)).rejects.toMatchObject(
      {
        name: 'VideoError',
        message:
          'The upstream does not take the request. A prompt of at most 100 characters; key [hidden]',
        trouble: undefined,
      },
    )
  })

  it('is retried when the upstream allows it', async () => {
    const time = createVirtualTime()
    const responses = [
      new Response('{}', { status: 429, headers: { 'retry-after': '17' } }),
      new Response('{}', { status: 503 }),
    ]
    const options: Partial<UpstreamVideoOptions> = {
      ...time,
      fetch: async (input, init) => responses.shift() ?? toUpstream(input, init),
    }
    expect(
      new Uint8Array(await createBackend(options).render(createVideoTask('j1'), never)),
    ).toEqual(made)
    expect(time.waits.slice(0, 2)).toEqual([17_000, 3_000])
  })

  it('waits while the upstream is full or unavailable', async () => {
    let calls = 0
    const flaky: typeof fetch = async (input, init) => {
      calls++
      if (calls === 1) throw new TypeError('fetch failed')
      if (calls === 2) return new Response('{}', { status: 503 })
      if (calls === 3) return new Response('{}', { status: 429 })
      return toUpstream(input, init)
    }
    expect(
      new Uint8Array(await createBackend({ fetch: flaky }).render(createVideoTask('j1'), never)),
    ).toEqual(made)
  })

  it('times out', async () => {
    const options = { fetch: async () => new Response('{}', { status: 503 }), timeoutMs: 10_000 }
    await expect(createBackend(options).render(createVideoTask('j1'), never)).rejects.toThrow(
      'did not make the video in time',
    )
  })

  it('is aborted when the process stops', async () => {
    const stop = new AbortController()
    const options = {
      fetch: async () => {
        stop.abort()
        return new Response('{}', { status: 503 })
      },
    }
    await expect(createBackend(options).render(createVideoTask('j1'), stop.signal)).rejects.toThrow(
      'aborted',
    )
  })

  it.each(['http://169.254.169.254/latest/meta-data', 'file:///etc/passwd', 'nope', undefined])(
    'is not fetched from %s',
    async (elsewhere) => {
      const responses = [
        { model: 'm', queue_id: 'q', download_url: elsewhere },
        { status: 'COMPLETED', average_execution_time: 1, execution_duration: 1 },
      ]
      const options = { fetch: async () => Response.json(responses.shift()) }
      await expect(
        createBackend(options).render(createVideoTask('j1'), never),
      ).rejects.toMatchObject({
        trouble: 'Video: the upstream named another host for the video, which is not contacted',
      })
      expect(responses).toEqual([])
    },
  )
})

it('charges once on each side for a service behind a service', async () => {
  const front = await startService({ video: createBackend() })
  const post = (path: string, body: object) =>
    front.service.fetch(
      new Request(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const order = {
    model: 'seedance-2-0-text-to-video',
    prompt: 'A tram',
    duration: '5s',
    resolution: '480p',
  }
  const queued = (await (await post('/video/queue', order)).json()) as { readonly queue_id: string }
  for (;;) {
    front.clock.time += 10_000
    const response = await post('/video/retrieve', {
      model: order.model,
      queue_id: queued.queue_id,
    })
    if (response.headers.get('content-type') === 'video/mp4') {
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(made)
      expect(response.headers.get('x-farebox-backend')).toBe('upstream')
      break
    }
    expect(await response.json()).toMatchObject({ status: 'PROCESSING' })
    await new Promise(setImmediate)
  }
  for (const { ledger } of [front, upstream]) {
    expect(await ledger.balance('key:admin')).toBe(100_000_000n - 750_000n)
    expect(await ledger.audit()).toEqual([])
  }
  await front.service.close()
})
