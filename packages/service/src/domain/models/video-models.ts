import type { Model, VideoAspectRatio, VideoDuration, VideoResolution } from '@farebox/types'

/** The constraints and the price of a video model. */
export type VideoModel = {
  readonly id: string
  readonly name: string
  readonly input: 'text' | 'image' | 'reference' | 'video'
  readonly durations: readonly VideoDuration[]
  /** Empty for a model without `aspect_ratio`. */
  readonly aspectRatios: readonly VideoAspectRatio[]
  /** Empty for a model without `resolution`. */
  readonly resolutions: readonly VideoResolution[]
  readonly upscales: boolean
  readonly makesAudio: boolean
  readonly promptLimit: number
  /**
   * A face in the media of a request needs consent (interface specification, POST /video/queue,
   * rule 2).
   */
  readonly asksConsent: boolean
  /** Answers with a `download_url`. */
  readonly isPrivate: boolean
  /** A second of 720p; other resolutions in proportion to `priceFactors`. */
  readonly usdPerSecond: number
}

/** The price of a second, in proportion to that of 720p. */
export const priceFactors: Readonly<Record<VideoResolution, number>> = {
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

const seedance = {
  durations: ['4s', '5s', '6s', '7s', '8s', '9s', '10s', '11s', '12s', '13s', '14s', '15s'],
  aspectRatios: ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'],
  resolutions: ['480p', '720p', '1080p'],
  upscales: false,
  makesAudio: true,
  promptLimit: 2500,
  asksConsent: true,
  isPrivate: false,
  usdPerSecond: 0.3,
} as const

const local = {
  input: 'text',
  durations: ['2s', '3s', '4s', '5s', '6s', '7s', '8s', '9s', '10s', '15s', '20s', '30s'],
  aspectRatios: ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '9:21', '16:9', '21:9'],
  resolutions: ['256p', '360p', '480p', '540p', '720p', '1080p'],
  upscales: false,
  makesAudio: true,
  promptLimit: 10_000,
  asksConsent: false,
  usdPerSecond: 0.001,
} as const

const fast = { ...seedance, resolutions: ['480p', '720p'], usdPerSecond: 0.15 } as const

const all: readonly VideoModel[] = [
  { ...seedance, id: 'seedance-2-0-text-to-video', name: 'Seedance 2.0 text to video', input: 'text' },
  { ...seedance, id: 'seedance-2-0-image-to-video', name: 'Seedance 2.0 image to video', input: 'image' },
  { ...seedance, id: 'seedance-2-0-reference-to-video', name: 'Seedance 2.0 reference to video', input: 'reference' },
  { ...fast, id: 'seedance-2-0-fast-text-to-video', name: 'Seedance 2.0 fast text to video', input: 'text' },
  { ...fast, id: 'seedance-2-0-fast-image-to-video', name: 'Seedance 2.0 fast image to video', input: 'image' },
  { ...fast, id: 'seedance-2-0-fast-reference-to-video', name: 'Seedance 2.0 fast reference to video', input: 'reference' },
  {
    id: 'topaz-video-upscale',
    name: 'Topaz video upscale',
    input: 'video',
    durations: ['Auto'],
    aspectRatios: [],
    resolutions: [],
    upscales: true,
    makesAudio: false,
    promptLimit: 2500,
    asksConsent: false,
    isPrivate: false,
    usdPerSecond: 0.1,
  },
  { ...local, id: 'local-test-clip', name: 'Local test clip', isPrivate: false },
  { ...local, id: 'local-test-clip-private', name: 'Local test clip with a download URL', isPrivate: true },
]

/**
 * The video models of the local catalogue (design, section 7). Prices and constraints are this
 * service's own.
 */
export const videoModels: ReadonlyMap<string, VideoModel> = new Map(all.map((model) => [model.id, model]))

/** The model as the API shows it. */
export function describeVideoModel(model: VideoModel): Model {
  const kinds = { text: 'text-to-video', image: 'image-to-video', reference: 'image-to-video', video: 'video' } as const
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
