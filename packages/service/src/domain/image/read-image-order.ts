import type { ImageModel, ImageQuality } from '../models/image-models.js'
import type { OrderFault } from '../embedding/read-embedding-order.js'
import type { ImageFormat } from './image-backend.js'

/** A request that a model can do. */
export type ImageOrder = {
  readonly model: ImageModel
  readonly n: number
  readonly size: string
  readonly width: number
  readonly height: number
  readonly quality?: ImageQuality
  readonly format: ImageFormat
}

type Given = {
  readonly prompt: string
  readonly n?: number | null | undefined
  readonly size?: string | null | undefined
  readonly quality?: string | null | undefined
  readonly output_format: ImageFormat
}

/** Checks a request against its model, and the formats of its backend. */
export function readImageOrder(
  { prompt, n, size, quality, output_format: format }: Given,
  model: ImageModel,
  formats: readonly ImageFormat[],
): ImageOrder | OrderFault {
  const { id, promptLimit, imagesAtOnce, usdPerImage, qualityFactors } = model
  const length = Array.from(prompt).length
  if (length > promptLimit)
    return {
      field: 'prompt',
      fault: `Found ${length} characters; ${id} takes at most ${promptLimit}.`,
    }
  const images = n ?? 1
  if (images > imagesAtOnce)
    return { field: 'n', fault: `Found ${images}; ${id} makes at most ${imagesAtOnce}.` }
  const sizes = Object.keys(usdPerImage)
  const chosen = size === undefined || size === null || size === 'auto' ? sizes[0] : size
  if (chosen === undefined || !sizes.includes(chosen))
    return { field: 'size', fault: `${id} makes ${sizes.join(', ')}.` }
  const qualities = Object.keys(qualityFactors) as readonly ImageQuality[]
  const wanted = toQuality(quality, qualities)
  if (wanted !== undefined && !qualities.includes(wanted))
    return {
      field: 'quality',
      fault: qualities.length === 0 ? `${id} has no choice.` : `${id} has ${qualities.join(', ')}.`,
    }
  if (!formats.includes(format))
    return { field: 'output_format', fault: `Expected ${formats.join(' or ')} here.` }
  const [width = 0, height = 0] = chosen.split('x').map(Number)
  return {
    model,
    n: images,
    size: chosen,
    width,
    height,
    format,
    ...(wanted !== undefined && { quality: wanted }),
  }
}

/** `standard` and `hd` are the older names of two qualities. */
const olderNames: Readonly<Record<string, ImageQuality>> = { standard: 'medium', hd: 'high' }

function toQuality(
  given: string | null | undefined,
  qualities: readonly ImageQuality[],
): ImageQuality | undefined {
  const usual = qualities.includes('medium') ? 'medium' : qualities[0]
  if (given === undefined || given === null || given === 'auto') return usual
  if (given === 'standard' && qualities.length === 0) return undefined
  return Object.hasOwn(olderNames, given) ? olderNames[given] : (given as ImageQuality)
}
