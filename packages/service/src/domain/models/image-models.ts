import type { Model } from '@farebox/types'
import { toMicroUsd, type MicroUsd, sumPricesPerMillion } from '../ledger/money.js'
import { testModels } from './test-models.js'

export const imageQualities = ['low', 'medium', 'high'] as const
export type ImageQuality = (typeof imageQualities)[number]

/** What an operator may set of an image model. */
export type ImageSettings = {
  /** Whether callers can use the model. */
  readonly enabled: boolean
  readonly name: string
  /** US dollars for an image, by its size, such as `1024x1024`. The first one is the default. */
  readonly usdPerImage: Readonly<Record<string, number>>
  /**
   * What the price is multiplied with for a quality. Empty for a model without `quality`. The
   * default is `medium`, or else the first one.
   */
  readonly qualityFactors: Readonly<Partial<Record<ImageQuality, number>>>
  /** The longest prompt, in characters. */
  readonly promptLimit: number
  /** Images of one request at most. */
  readonly imagesAtOnce: number
}

export type ImageModel = ImageSettings & { readonly id: string }

/** The embedded test model. The contract has no image models. */
export const contractImage: Readonly<Record<string, ImageSettings>> = {
  [testModels.image]: {
    enabled: true,
    name: 'Test model for images',
    usdPerImage: {
      '1024x1024': 0.004,
      '512x512': 0.002,
      '256x256': 0.001,
      '1536x1024': 0.006,
      '1024x1536': 0.006,
    },
    qualityFactors: {},
    promptLimit: 4_000,
    imagesAtOnce: 10,
  },
}

/** The price of so many images, rounded up once. */
export function priceImages(
  { usdPerImage, qualityFactors }: ImageSettings,
  { size, quality, images }: { size: string; quality?: ImageQuality; images: number },
): MicroUsd {
  const usd = toMicroUsd(usdPerImage[size] ?? 0)
  const factor = toMicroUsd(quality === undefined ? 1 : (qualityFactors[quality] ?? 1))
  return sumPricesPerMillion([[images, usd * factor]])
}

/** The model as the API shows it. */
export function describeImageModel({ id, name, promptLimit, ...model }: ImageModel): Model {
  const [usd = 0] = Object.values(model.usdPerImage)
  const sizes = Object.entries(model.usdPerImage)
  const qualities = Object.keys(model.qualityFactors)
  return {
    id,
    object: 'model',
    type: 'image',
    owned_by: 'farebox',
    model_spec: {
      name,
      privacy: 'private',
      constraints: {
        resolutions: sizes.map(([size]) => size),
        prompt_character_limit: promptLimit,
        ...(qualities.length > 0 && { qualities }),
      },
      pricing: {
        generation: { usd },
        resolutions: Object.fromEntries(sizes.map(([size, price]) => [size, { usd: price }])),
      },
    },
  }
}
