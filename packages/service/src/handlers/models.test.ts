import { modelVoices, rateLimits } from '@farebox/types/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Harness } from '../../test/harness.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

const list = async (query = '') => {
  const { json } = await farebox.call('listModels', `/models${query}`)
  return json as {
    readonly type: string
    readonly data: readonly { readonly id: string; readonly type: string }[]
  }
}

describe('listModels', () => {
  it('lists exactly the models that can be called, without a credential', async () => {
    const { type, data } = await list()
    const ids = data.map(({ id }) => id)
    expect(type).toBe('all')
    expect(ids).toEqual([...new Set(ids)])
    expect(Object.keys(modelVoices).filter((id) => !ids.includes(id))).toEqual([])
    const textModels = Object.values(rateLimits.tiers).flatMap(({ models }) => [...models])
    expect(textModels.filter((id) => ids.includes(id))).toEqual([])
    expect(ids).toEqual(
      expect.arrayContaining([
        'seedance-2-0-fast-image-to-video',
        'topaz-video-upscale',
        'local-test-clip-private',
        'local-test-chat',
        'local-test-embedding',
        'local-test-image',
        'local-test-transcription',
      ]),
    )
  })

  it.each([
    ['tts', 11],
    ['video', 9],
    ['text', 1],
    ['code', 0],
    ['asr', 1],
    ['all', 24],
  ])('lists those of type %s', async (type, count) => {
    const found = await list(`?type=${type}`)
    expect([found.type, found.data.length]).toEqual([type, count])
  })

  it('lists a model that no backend serves as offline, with its prices', async () => {
    const { json } = await farebox.call('getModel', '/models/qwen3-4b')
    expect(json['model_spec']).toMatchObject({
      offline: true,
      pricing: { input: { usd: 0.05 }, cache_input: { usd: 0.025 }, output: { usd: 0.15 } },
    })
  })

  it('rejects an unknown type', async () => {
    const { status, json } = await farebox.call('listModels', '/models?type=smell')
    expect([status, Object.keys(json['details'] as object)]).toEqual([400, ['type']])
  })

  it('rejects an invalid key, although none is required', async () => {
    const { status } = await farebox.call('listModels', '/models', {
      headers: { authorization: 'Bearer wrong' },
    })
    expect(status).toBe(401)
  })
})

describe('getModel', () => {
  it('returns a speech model with its voices and prices', async () => {
    const { json } = await farebox.call('getModel', '/models/tts-xai-v1')
    expect(json['model_spec']).toMatchObject({
      voices: ['eve', 'ara', 'rex', 'sal', 'leo'],
      default_voice: 'eve',
      pricing: { input: { usd: 18.75 } },
      supportsPromptParam: false,
    })
  })

  it('returns the recording requirements of a voice cloning model', async () => {
    const { json } = await farebox.call('getModel', '/models/tts-minimax-speech-02-hd')
    expect(json['model_spec']).toMatchObject({
      voice_cloning: { accepted_formats: ['mp3', 'wav'], min_sample_seconds: 10 },
    })
  })

  it('returns a video model with the options that it accepts', async () => {
    const { json } = await farebox.call('getModel', '/models/topaz-video-upscale')
    expect(json['model_spec']).toMatchObject({
      constraints: { model_type: 'video', resolutions: [], durations: ['Auto'] },
    })
  })

  it.each(['openai/whisper-large-v3', 'openai%2Fwhisper-large-v3'])(
    'finds a model at %s, whose name has a slash',
    async (path) => {
      const { json } = await farebox.call('getModel', `/models/${path}`)
      expect(json['id']).toBe('openai/whisper-large-v3')
    },
  )

  it('returns 404 for unknown ids', async () => {
    for (const id of ['nope', 'a/b', '__proto__', 'constructor', '%2e%2e', 'tts-kokoro%00'])
      expect((await farebox.call('getModel', `/models/${id}`)).status, id).toBe(404)
  })
})
