import { describe, expect, it } from 'vitest'
import { FareboxError } from './error.js'
import { generateVideo, type VideoProgress, type VideoTools } from './video.js'

const input = { model: 'seedance-2-0-image-to-video', prompt: 'A tram', duration: '5s', image_url: 'https://x.example/a.png' } as const
const queuedVideo = { model: input.model, queue_id: 'q1' }
const needsConsent = new FareboxError('queueVideo: 409', {
  code: 'needs_consent',
  operation: 'queueVideo',
  status: 409,
  body: { error: { code: 'needs_consent', message: 'A face.' }, face_media_roles: ['image'], consent: { policy_text: 'The policy.' } },
})

function tools(answers: { readonly queue?: unknown[]; readonly retrieve?: unknown[]; readonly quote?: number }) {
  const asked: unknown[] = []
  const next = (list: unknown[] = []) => {
    const answer = list.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const methods = {
    quoteVideo: async (given: unknown) => {
      asked.push(['quote', given])
      return { quote: answers.quote ?? 0 }
    },
    queueVideo: async (given: { readonly consents?: unknown }) => {
      asked.push(['queue', given.consents])
      return next(answers.queue)
    },
    retrieveVideo: async () => next(answers.retrieve),
  }
  // what waits for the deadline waits for good
  const wait = (ms: number) => (ms > 60_000 ? new Promise<void>(() => undefined) : Promise.resolve())
  const made = { methods, send: async () => new Response('clip'), mayFetch: () => true, now: () => 0, wait } as unknown as VideoTools
  return { asked, tools: made }
}

const clip = () => new Response('clip', { headers: { 'content-type': 'video/mp4' } })

describe('generateVideo', () => {
  it('asks for consent, and sends the same request again with the whole attestation', async () => {
    const { tools: made, asked } = tools({ queue: [needsConsent, queuedVideo], retrieve: [clip()] })
    const questions: unknown[] = []
    await generateVideo(made, input, { onConsent: (question) => questions.push(question) > 0 })
    expect(questions).toEqual([{ policyText: 'The policy.', roles: ['image'], message: 'A face.' }])
    expect(asked).toEqual([
      ['queue', undefined],
      ['queue', { seedance: { confirmed_terms_and_privacy: true, confirmed_legal_right: true, confirmed_screening_acknowledged: true } }],
    ])
  })

  it.each([
    ['nobody is there to ask', {}],
    ['it is declined', { onConsent: async () => false }],
  ])('throws the 409 when %s', async (_name, options) => {
    const { tools: made, asked } = tools({ queue: [needsConsent] })
    await expect(generateVideo(made, input, options)).rejects.toBe(needsConsent)
    expect(asked).toHaveLength(1)
  })

  it('does not ask twice', async () => {
    const { tools: made, asked } = tools({ queue: [needsConsent, needsConsent] })
    await expect(generateVideo(made, input, { onConsent: () => true })).rejects.toBe(needsConsent)
    expect(asked).toHaveLength(2)
  })

  it('queues nothing that costs more than is allowed', async () => {
    const { tools: made, asked } = tools({ quote: 2 })
    await expect(generateVideo(made, input, { maxUsd: 1.5 })).rejects.toMatchObject({ code: 'price_above_limit', attempts: 0 })
    expect(asked).toEqual([['quote', { model: input.model, duration: '5s' }]])
  })

  it('tells how far it is', async () => {
    const status = { status: 'PROCESSING', average_execution_time: 10, execution_duration: 4 }
    const withUrl = { ...queuedVideo, download_url: 'https://x.example/v.mp4' }
    const { tools: made } = tools({ quote: 1, queue: [withUrl], retrieve: [status, { ...status, status: 'COMPLETED' }] })
    const stages: VideoProgress[] = []
    const video = await generateVideo(made, input, { maxUsd: 1.5, onProgress: (one) => void stages.push(one) })
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
