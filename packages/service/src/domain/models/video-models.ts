import type { Model, VideoAspectRatio, VideoDuration, VideoResolution } from '@farebox/types'

/** What an operator may set of a video model. */
export type VideoSettings = {
  /** Whether callers can use the model. */
  readonly enabled: boolean
  readonly name: string
  readonly input: 'text' | 'image' | 'reference' | 'video'
  /** A second of 720p; other resolutions in proportion to `priceFactors`. */
  readonly usdPerSecond: number
  /** One for each of `resolutions`. */
  readonly priceFactors: Readonly<Partial<Record<VideoResolution, number>>>
  readonly durations: readonly VideoDuration[]
  /** Empty for a model without `aspect_ratio`. */
  readonly aspectRatios: readonly VideoAspectRatio[]
  /** Empty for a model without `resolution`. */
  readonly resolutions: readonly VideoResolution[]
  readonly makesAudio: boolean
  readonly promptLimit: number
  /** Whether the response has a `download_url`. */
  readonly isPrivate: boolean
}

/** The constraints and the price of a video model. */
export type VideoModel = Omit<VideoSettings, 'enabled'> & {
  readonly id: string
  readonly upscales: boolean
  /**
   * A face in the media of a request needs consent (interface specification, POST /video/queue,
   * rule 2).
   */
  readonly asksConsent: boolean
}

/** The price of a second in proportion to that of 720p, unless the operator sets others. */
const usualPriceFactors: Readonly<Record<VideoResolution, number>> = {
  '256p': 0.25,
  '360p': 0.4,
  '480p': 0.5,
  '540p': 0.7,
  '580p': 0.8,
  '720p': 1,
  '1080p': 2,
  true_1080p: 2,
  '1440p': 3.5,
  '2160p': 8,
  '4k': 8,
  '2x': 2,
  '4x': 8,
}

type Facts = Omit<VideoSettings, 'enabled' | 'priceFactors'>

const seedance = {
  durations: ['4s', '5s', '6s', '7s', '8s', '9s', '10s', '11s', '12s', '13s', '14s', '15s'],
  aspectRatios: ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'],
  resolutions: ['480p', '720p', '1080p'],
  makesAudio: true,
  promptLimit: 2500,
  isPrivate: false,
  usdPerSecond: 0.3,
} as const

const local = {
  input: 'text',
  durations: ['2s', '3s', '4s', '5s', '6s', '7s', '8s', '9s', '10s', '15s', '20s', '30s'],
  aspectRatios: ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '9:21', '16:9', '21:9'],
  resolutions: ['256p', '360p', '480p', '540p', '720p', '1080p'],
  makesAudio: true,
  promptLimit: 10_000,
  usdPerSecond: 0.001,
} as const

const fast = { ...seedance, resolutions: ['480p', '720p'], usdPerSecond: 0.15 } as const

const upscaler = 'topaz-video-upscale'

/**
 * The video models of the local catalogue (design, section 7). Prices and constraints are this
 * service's own.
 */
const own: Readonly<Record<string, Facts>> = {
  'seedance-2-0-text-to-video': { ...seedance, name: 'Seedance 2.0 text to video', input: 'text' },
  'seedance-2-0-image-to-video': {
    ...seedance,
    name: 'Seedance 2.0 image to video',
    input: 'image',
  },
  'seedance-2-0-reference-to-video': {
    ...seedance,
    name: 'Seedance 2.0 reference to video',
    input: 'reference',
  },
  'seedance-2-0-fast-text-to-video': {
    ...fast,
    name: 'Seedance 2.0 fast text to video',
    input: 'text',
  },
  'seedance-2-0-fast-image-to-video': {
    ...fast,
    name: 'Seedance 2.0 fast image to video',
    input: 'image',
  },
  'seedance-2-0-fast-reference-to-video': {
    ...fast,
    name: 'Seedance 2.0 fast reference to video',
    input: 'reference',
  },
  [upscaler]: {
    name: 'Topaz video upscale',
    input: 'video',
    durations: ['Auto'],
    aspectRatios: [],
    resolutions: [],
    makesAudio: false,
    promptLimit: 2500,
    isPrivate: false,
    usdPerSecond: 0.1,
  },
  'local-test-clip': { ...local, name: 'Local test clip', isPrivate: false },
  'local-test-clip-private': {
    ...local,
    name: 'Local test clip with a download URL',
    isPrivate: true,
  },
}

/** The video models that the service knows by itself, with their settings. */
export const ownVideo: Readonly<Record<string, VideoSettings>> = Object.fromEntries(
  Object.entries(own).map(([id, facts]) => [
    id,
    { enabled: true, ...facts, priceFactors: findUsualFactors(facts.resolutions) },
  ]),
)

/** The usual price factors of these resolutions. */
export function findUsualFactors(
  resolutions: readonly VideoResolution[],
): VideoSettings['priceFactors'] {
  return Object.fromEntries(
    resolutions.map((resolution) => [resolution, usualPriceFactors[resolution]]),
  )
}

/** A video model with these settings. */
export function toVideoModel(
  id: string,
  { enabled: _enabled, ...settings }: VideoSettings,
): VideoModel {
  return { id, ...settings, upscales: id === upscaler, asksConsent: id.startsWith('seedance-2-0-') }
}

/** The model as the API shows it. */
export function describeVideoModel(model: VideoModel): Model {
  const kinds = {
    text: 'text-to-video',
    image: 'image-to-video',
    reference: 'image-to-video',
    video: 'video',
  } as const
  return {
    id: model.id,
    object: 'model',
    type: 'video',
    owned_by: 'farebox',
    model_spec: {
      name: model.name,
      privacy: model.isPrivate ? 'private' : 'anonymized',
      constraints: {
        model_type: kinds[model.input],
        aspect_ratios: [...model.aspectRatios],
        resolutions: [...model.resolutions],
        durations: [...model.durations],
        audio: model.makesAudio,
        audio_configurable: model.makesAudio,
        prompt_character_limit: model.promptLimit,
      },
      pricing: { per_second: { usd: model.usdPerSecond } },
    },
  }
}
