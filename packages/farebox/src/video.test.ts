import { describe, expect, it } from 'vitest'
import { FareboxError } from './error.js'
import { generateVideo, type VideoProgress, type VideoTools } from './video.js'

const input = {
  model: 'seedance-2-0-image-to-video',
  prompt: 'A tram',
  duration: '5s',
  image_url: 'https://x.example/a.png',
} as const
const queuedVideo = { model: input.model, queue_id: 'q1' }
const needsConsent = new FareboxError('queueVideo: 409', {
  code: 'needs_consent',
  operation: 'queueVideo',
  status: 409,
  body: {
    error: { code: 'needs_consent', message: 'A face.' },
    face_media_roles: ['image'],
    consent: { policy_text: 'The policy.' },
  },
})

function createTools(responses: {
  readonly queue?: unknown[]
  readonly retrieve?: unknown[]
  readonly quote?: number
}) {
  const calls: unknown[] = []
  const next = (list: unknown[] = []) => {
    const response = list.shift()
    if (response instanceof Error) throw response
    return response
  }
  const methods = {
    quoteVideo: async (input: unknown) => {
      calls.push(['quote', input])
      return { quote: responses.quote ?? 0 }
    },
    queueVideo: async (input: { readonly consents?: unknown }) => {
      calls.push(['queue', input.consents])
      return next(responses.queue)
    },
    retrieveVideo: async () => next(responses.retrieve),
  }
  // the deadline never comes
  const wait = (ms: number) =>
    ms > 60_000 ? new Promise<void>(() => undefined) : Promise.resolve()
  const videoTools = {
    methods,
    send: async () => new Response('clip'),
    mayFetch: () => true,
    now: () => 0,
    wait,
  } as unknown as VideoTools
  return { calls, tools: videoTools }
}

const createClipResponse = () => new Response('clip', { headers: { 'content-type': 'video/mp4' } })

describe('generateVideo', () => {
  it('asks for consent, and sends the same request again with the whole attestation', async () => {
    const { tools: videoTools, calls } = createTools({
      queue: [needsConsent, queuedVideo],
      retrieve: [createClipResponse()],
    })
    const questions: unknown[] = []
    await generateVideo(videoTools, input, {
      onConsent: (question) => questions.push(question) > 0,
    })
    expect(questions).toEqual([{ policyText: 'The policy.', roles: ['image'], message: 'A face.' }])
    expect(calls).toEqual([
      ['queue', undefined],
      [
        'queue',
        {
          seedance: {
            confirmed_terms_and_privacy: true,
            confirmed_legal_right: true,
            confirmed_screening_acknowledged: true,
          },
        },
      ],
    ])
  })

  it.each([
    ['there is no onConsent', {}],
    ['it is declined', { onConsent: async () => false }],
  ])('throws the 409 when %s', async (_name, options) => {
    const { tools: videoTools, calls } = createTools({ queue: [needsConsent] })
    await expect(generateVideo(videoTools, input, options)).rejects.toBe(needsConsent)
    expect(calls).toHaveLength(1)
  })

  it('does not ask for consent twice', async () => {
    const { tools: videoTools, calls } = createTools({ queue: [needsConsent, needsConsent] })
    await expect(generateVideo(videoTools, input, { onConsent: () => true })).rejects.toBe(
      needsConsent,
    )
    expect(calls).toHaveLength(2)
  })

  it('does not queue a video that costs more than maxUsd', async () => {
    const { tools: videoTools, calls } = createTools({ quote: 2 })
    await expect(generateVideo(videoTools, input, { maxUsd: 1.5 })).rejects.toMatchObject({
      code: 'price_above_limit',
      attempts: 0,
    })
    expect(calls).toEqual([['quote', { model: input.model, duration: '5s' }]])
  })

  it.each([
    [undefined, {}, 'generateVideo: the input is not an object of fields. Nothing was sent.'],
    [input, null, 'generateVideo takes an object of options. Nothing was sent.'],
    [input, { maxUSD: 1 }, 'generateVideo has no option "maxUSD". Did you mean "maxUsd"?'],
    [input, { maxUsd: NaN }, 'maxUsd is NaN. Expected a number above 0. Nothing was sent.'],
    [input, { maxUsd: '1 USD' }, 'maxUsd is 1 USD. Expected a number above 0.'],
    [input, { pollMs: NaN }, 'pollMs is NaN.'],
    [queuedVideo, { deadlineMs: NaN }, 'deadlineMs is NaN.'],
  ])('sends nothing for %j with %j', async (given, options, message) => {
    const { tools: videoTools, calls } = createTools({ quote: 2 })
    await expect(
      generateVideo(videoTools, given as typeof input, options as object),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message) as string,
      attempts: 0,
    })
    expect(calls).toEqual([])
  })

  it('reports its progress', async () => {
    const status = { status: 'PROCESSING', average_execution_time: 10, execution_duration: 4 }
    const withUrl = { ...queuedVideo, download_url: 'https://x.example/v.mp4' }
    const { tools: videoTools } = createTools({
      quote: 1,
      queue: [withUrl],
      retrieve: [status, { ...status, status: 'COMPLETED' }],
    })
    const stages: VideoProgress[] = []
    const video = await generateVideo(videoTools, input, {
      maxUsd: 1.5,
      onProgress: (one) => void stages.push(one),
    })
    expect(await video.text()).toBe('clip')
    expect(stages).toEqual([
      { stage: 'quoted', usd: 1 },
      { stage: 'queued', video: withUrl },
      { stage: 'processing', queueId: 'q1', status: 'PROCESSING', averageMs: 10, elapsedMs: 4 },
      { stage: 'processing', queueId: 'q1', status: 'COMPLETED', averageMs: 10, elapsedMs: 4 },
      { stage: 'downloading', queueId: 'q1', receivedBytes: 4 },
    ])
  })
})
