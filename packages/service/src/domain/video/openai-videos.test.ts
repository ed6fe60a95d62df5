import { afterEach, describe, expect, it, vi } from 'vitest'
import { contractCatalogue } from '../models/catalogue.js'
import { createUpstreamVideo } from './routed-video.js'
import type { Medium, OrderJournal, SentOrder, VideoTask } from './video-backend.js'

type SentRequest = {
  readonly method: string
  readonly url: string
  readonly authorization: string | null
  readonly fields: Record<string, unknown>
}

const never = new AbortController().signal
const createVideoResponse = () =>
  new Response(new Uint8Array([1, 2, 3]), { headers: { 'content-type': 'video/mp4' } })
const createQueuedResponse = () =>
  Response.json({ id: 'video_1', object: 'video', status: 'queued' })

/** An upstream that gives one response after another. */
function scriptUpstream(...answers: readonly (() => Response)[]) {
  const sent: SentRequest[] = []
  const left = [...answers]
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const isForm = request.headers.get('content-type')?.startsWith('multipart/') === true
    const fields = isForm
      ? Object.fromEntries((await request.formData()).entries())
      : ((await request.json().catch(() => ({}))) as Record<string, unknown>)
    sent.push({
      method: request.method,
      url: request.url,
      authorization: request.headers.get('authorization'),
      fields,
    })
    return (left.shift() ?? (() => new Response(null, { status: 404 })))()
  }
  let now = 0
  const sleep = async (milliseconds: number) => void (now += milliseconds)
  const backend = createUpstreamVideo({
    url: 'https://video.example/v1/',
    format: 'openai',
    apiKey: 'up-key',
    fetch: send,
    ticks: () => now,
    sleep,
  })
  return { sent, left, render: (task: VideoTask) => backend.render(task, never) }
}

function createVideoTask(
  changes: Partial<VideoTask> & { readonly media?: readonly Medium[] } = {},
): VideoTask {
  const model = contractCatalogue.videoModels.get('seedance-2-0-text-to-video')
  if (!model) throw new Error('no such model')
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
  return { ...order, jobId: 'j1', request: {}, ...changes }
}

function createJournal(
  first?: SentOrder,
): OrderJournal & { readonly written: (SentOrder | undefined)[] } {
  const written: (SentOrder | undefined)[] = []
  return { written, read: async () => first, write: async (order) => void written.push(order) }
}

describe('a video of the videos API of OpenAI', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  it('is ordered with a form, asked for until it is there, and fetched', async () => {
    const running = () => Response.json({ id: 'video_1', status: 'in_progress', progress: 40 })
    const completed = () => Response.json({ id: 'video_1', status: 'completed' })
    const { sent, render } = scriptUpstream(
      createQueuedResponse,
      running,
      () => new Response(null, { status: 502 }),
      completed,
      createVideoResponse,
    )
    expect(await render(createVideoTask())).toEqual(new Uint8Array([1, 2, 3]))
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://video.example/v1/videos',
      'GET https://video.example/v1/videos/video_1',
      'GET https://video.example/v1/videos/video_1',
      'GET https://video.example/v1/videos/video_1',
      'GET https://video.example/v1/videos/video_1/content',
    ])
    expect(sent[0]?.fields).toEqual({
      model: 'seedance-2-0-text-to-video',
      prompt: 'A tram',
      seconds: '4',
      size: '1280x720',
    })
    expect(new Set(sent.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer up-key']),
    )
  })

  it('starts from an image: a file from a data URL, and any other URL unchanged', async () => {
    const image = (url: string): VideoTask => createVideoTask({ media: [{ role: 'image', url }] })
    const done = [
      createQueuedResponse,
      () => Response.json({ status: 'completed' }),
      createVideoResponse,
    ]
    const file = scriptUpstream(...done)
    await file.render(image('data:image/png;base64,AQID'))
    const given = file.sent[0]?.fields['input_reference'] as File
    expect([given.type, new Uint8Array(await given.arrayBuffer())]).toEqual([
      'image/png',
      new Uint8Array([1, 2, 3]),
    ])
    const linked = scriptUpstream(...done)
    await linked.render(image('https://pictures.example/a.png'))
    expect(linked.sent[0]?.fields['input_reference']).toEqual({
      image_url: 'https://pictures.example/a.png',
    })
  })

  it('with other media is rejected before anything is sent', async () => {
    const { sent, render } = scriptUpstream()
    await expect(
      render(createVideoTask({ media: [{ role: 'video', url: 'https://x.example/a.mp4' }] })),
    ).rejects.toThrow('takes one image')
    expect(sent).toEqual([])
  })

  it('that fails upstream is not created again', async () => {
    const { sent, render } = scriptUpstream(createQueuedResponse, () =>
      Response.json({ status: 'failed', error: { code: 'server_error', message: 'A tram' } }),
    )
    await expect(render(createVideoTask())).rejects.toMatchObject({
      message: 'The upstream could not make the video.',
      trouble: 'Video: the upstream could not make a video (server_error)',
    })
    expect(sent).toHaveLength(2)
  })

  it('that moderation blocks tells its caller why, and is no failure of the upstream', async () => {
    const error = { code: 'moderation_blocked', message: 'The prompt was blocked.' }
    const { render } = scriptUpstream(createQueuedResponse, () =>
      Response.json({ status: 'failed', error }),
    )
    await expect(render(createVideoTask())).rejects.toMatchObject({
      message: 'The upstream does not take the request. The prompt was blocked.',
      failure: { kind: 'rejected' },
    })
  })

  it.each(['<p>Bad gateway', '{"status":"comp'])(
    'is asked for again after a response of 200 that is no JSON: %s',
    async (text) => {
      const completed = () => Response.json({ status: 'completed' })
      const { render, left } = scriptUpstream(
        createQueuedResponse,
        () => new Response(text),
        completed,
        createVideoResponse,
      )
      expect(await render(createVideoTask())).toEqual(new Uint8Array([1, 2, 3]))
      expect(left).toEqual([])
    },
  )

  it('is fetched for as long as its bytes come, also if that takes longer than a response may', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    // its own timer is none of those
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      const stop = new AbortController()
      setTimeout(() => stop.abort(), milliseconds)
      return stop.signal
    })
    let pieces = 0
    const responses = [
      createQueuedResponse,
      () => Response.json({ status: 'completed' }),
      () =>
        new Response(
          new ReadableStream(
            {
              pull: async (controller) => {
                if (++pieces > 4) return controller.close()
                await vi.advanceTimersByTimeAsync(40_000)
                if (stop?.aborted === true) controller.error(stop.reason)
                else controller.enqueue(new Uint8Array([pieces]))
              },
            },
            { highWaterMark: 0 },
          ),
          { headers: { 'content-type': 'video/mp4' } },
        ),
    ]
    let stop: AbortSignal | null | undefined
    const backend = createUpstreamVideo({
      url: 'https://video.example/v1',
      format: 'openai',
      fetch: async (_input, init) => {
        stop = init?.signal
        return responses.shift()?.() ?? new Response(null, { status: 404 })
      },
      sleep: async () => undefined,
    })
    expect(await backend.render(createVideoTask(), never)).toEqual(new Uint8Array([1, 2, 3, 4]))
  })

  it('whose order may have arrived is not ordered again, and one that was rejected is', async () => {
    const lost = scriptUpstream(() => new Response(null, { status: 502 }))
    const journal = createJournal()
    await expect(lost.render(createVideoTask({ journal }))).rejects.toThrow(
      'could not make the video',
    )
    expect([lost.sent.length, journal.written]).toEqual([1, [{ upstream: 'the upstream' }]])
    const busy = scriptUpstream(
      () => new Response(null, { status: 503 }),
      createQueuedResponse,
      () => Response.json({ status: 'completed' }),
      createVideoResponse,
    )
    const noted = createJournal()
    await busy.render(createVideoTask({ journal: noted }))
    expect(noted.written).toEqual([
      { upstream: 'the upstream' },
      undefined,
      { upstream: 'the upstream' },
      { upstream: 'the upstream', id: { id: 'video_1' } },
    ])
  })

  it('resumes after a restart if its id is known, and fails if it may have been created', async () => {
    const known = scriptUpstream(() => Response.json({ status: 'completed' }), createVideoResponse)
    await known.render(
      createVideoTask({
        journal: createJournal({ upstream: 'the upstream', id: { id: 'video_7' } }),
      }),
    )
    expect(known.sent.map(({ url }) => url)).toEqual([
      'https://video.example/v1/videos/video_7',
      'https://video.example/v1/videos/video_7/content',
    ])
    const unknown = scriptUpstream(createQueuedResponse)
    await expect(
      unknown.render(createVideoTask({ journal: createJournal({ upstream: 'the upstream' }) })),
    ).rejects.toThrow('It is unknown whether')
    expect(unknown.sent).toEqual([])
  })
})
