import { beforeAll, describe, expect, it } from 'vitest'
import { createValidator } from '../test/contract.js'

let valid: (schema: string, value: unknown) => boolean

beforeAll(async () => {
  valid = await createValidator()
})

const video = { model: 'seedance-2-0-reference-to-video', prompt: 'A harbour', duration: '5s' }
const topaz = { model: 'topaz-video-upscale', prompt: 'Sharpen', duration: 'Auto' }
const image = 'https://media.example/still.png'
const clip = 'https://media.example/clip.mp4'
const sound = 'https://media.example/waves.mp3'

describe('a video request', () => {
  it.each([
    ['is enough with model, prompt and duration', video, true],
    [
      'needs a picture or a clip beside reference audio',
      { ...video, reference_audio_urls: [sound] },
      false,
    ],
    [
      'has no picture beside reference audio in an empty list',
      { ...video, reference_audio_urls: [sound], reference_image_urls: [] },
      false,
    ],
    [
      'may have reference audio beside a picture',
      { ...video, reference_audio_urls: [sound], reference_image_urls: [image] },
      true,
    ],
    [
      'may have reference audio beside a clip',
      { ...video, reference_audio_urls: [sound], reference_video_urls: [clip] },
      true,
    ],
    [
      'may have an empty list of reference audio alone',
      { ...video, reference_audio_urls: [] },
      true,
    ],
    ['needs a video to upscale one', topaz, false],
    ['may upscale a video', { ...topaz, video_url: clip, upscale_factor: 4 }, true],
    [
      'has no resolution when it upscales',
      { ...topaz, video_url: clip, resolution: '1080p' },
      false,
    ],
    ['has a resolution otherwise', { ...video, resolution: '1080p' }, true],
    ['upscales 1, 2 or 4 times', { ...topaz, video_url: clip, upscale_factor: 3 }, false],
    ['takes an image as a data URL', { ...video, image_url: 'data:image/png;base64,AAAA' }, true],
    [
      'takes no other data URL for an image',
      { ...video, image_url: 'data:text/plain,AAAA' },
      false,
    ],
    ['takes no path for a video', { ...video, video_url: 'clip.mp4' }, false],
    [
      'has nine reference images at most',
      { ...video, reference_image_urls: Array(10).fill(image) },
      false,
    ],
    ['has four elements at most', { ...video, elements: [{}, {}, {}, {}, {}] }, false],
    ['has a prompt of 10000 characters', { ...video, prompt: 'x'.repeat(10_000) }, true],
    ['has no longer prompt', { ...video, prompt: 'x'.repeat(10_001) }, false],
    [
      'says yes to all of a consent',
      { ...video, consents: { seedance: createConsent(true) } },
      true,
    ],
    [
      'says yes and not no to a consent',
      { ...video, consents: { seedance: createConsent(false) } },
      false,
    ],
    ['may have fields that are not in the contract', { ...video, keyframes: [] }, true],
  ])('%s', (_, value, expected) => {
    expect(valid('QueueVideoRequest', value)).toBe(expected)
  })
})

describe('a ledger entry', () => {
  const entry = {
    id: '1',
    amount: -0.01,
    balanceAfter: 4.99,
    type: 'CHARGE',
    createdAt: '2026-01-02T03:04:05.000Z',
    requestId: null,
    modelId: null,
  }

  it.each([
    ['may be of a type that nobody has heard of', { ...entry, type: 'GIFT' }, true],
    ['has all seven fields', { ...entry, modelId: undefined }, false],
    ['has no eighth', { ...entry, note: '' }, false],
  ])('%s', (_, value, expected) => {
    expect(valid('LedgerEntry', JSON.parse(JSON.stringify(value)))).toBe(expected)
  })
})

describe('a wallet payload', () => {
  const payload = {
    address: '0x1111111111111111111111111111111111111111',
    message: 'Hello',
    signature: '0xfake',
    timestamp: 1_767_323_045_000,
  }

  it.each([8453, '8453', 'eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'])(
    'accepts the chain id %s',
    (chainId) => {
      expect(valid('SiwxPayload', { ...payload, chainId })).toBe(true)
    },
  )

  it.each([1, '1', 'eip155:1', 'solana'])('rejects the chain id %s', (chainId) => {
    expect(valid('SiwxPayload', { ...payload, chainId })).toBe(false)
  })
})

describe('speech', () => {
  it.each([
    ['af_sky', true],
    ['vv_abc123', true],
    ['AF_SKY', false],
    ['vv_', false],
    ['nobody', false],
  ])('checks the voice %s', (voice, expected) => {
    expect(valid('CreateSpeechRequest', { input: 'Hello', voice })).toBe(expected)
  })
})

describe('a detailed error', () => {
  it('names the invalid fields, nested like the input', () => {
    const details = {
      elements: { 0: { frontal_image_url: { _errors: ['Must be a URL.'] } } },
      _errors: [],
    }

    expect(valid('DetailedError', { error: 'Not valid.', details })).toBe(true)
    expect(
      valid('DetailedError', { error: 'Not valid.', details: { _errors: 'Not a list.' } }),
    ).toBe(false)
  })
})

function createConsent(screened: boolean): object {
  return {
    confirmed_terms_and_privacy: true,
    confirmed_legal_right: true,
    confirmed_screening_acknowledged: screened,
  }
}
