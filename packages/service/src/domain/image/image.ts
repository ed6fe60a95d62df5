import type { OrderFault } from '../embedding/embedding.js'
import {
  type InferenceBackend,
  type InferenceTask,
  takeOnlyPart,
  routeInference,
  type InferenceSources,
} from '../inference/inference.js'
import { openPost, postForJson } from '../inference/upstream-post.js'
import type { ImageModel, ImageQuality } from '../models/image-models.js'
import { isRecord } from '../../platform/unknown-value.js'
import type { UpstreamCall } from '../../platform/upstream/upstream-route.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'

/** Images to make. Checked against the contract and the model. */
type ImageTask = InferenceTask & {
  readonly prompt: string
  readonly n: number
  readonly width: number
  readonly height: number
  /** One of the model's qualities. */
  readonly quality?: string
  readonly format: ImageFormat
  /** Further fields of the body, for upstreams: `style`, `background`, `seed`. */
  readonly options: Readonly<Record<string, unknown>>
}

export type ImageFormat = 'png' | 'jpeg' | 'webp'

type GeneratedImage = {
  readonly bytes: Uint8Array
  /** The prompt that was drawn, where the model changed it. */
  readonly revisedPrompt?: string
}

export type ImageBackend = InferenceBackend & {
  /** The formats that the backend makes. */
  readonly formats: readonly ImageFormat[]
  /**
   * The images, at most `n`. The caller pays for each. Rejects with an InferenceError for faults
   * that the caller should know, and when it aborts.
   */
  readonly generate: (task: ImageTask, signal: AbortSignal) => Promise<readonly GeneratedImage[]>
}

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

type ImageInput = {
  readonly prompt: string
  readonly n?: number | null | undefined
  readonly size?: string | null | undefined
  readonly quality?: string | null | undefined
  readonly output_format: ImageFormat
}

/** Checks a request against its model, and the formats of its backend. */
export function readImageOrder(
  { prompt, n, size, quality, output_format: format }: ImageInput,
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
  const apiQuality = toQuality(quality, qualities)
  if (apiQuality !== undefined && !qualities.includes(apiQuality))
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
    ...(apiQuality !== undefined && { quality: apiQuality }),
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

/** Images of one upstream with OpenAI's `/images/generations`. */
type UpstreamImage = {
  readonly generate: (task: ImageTask, call: UpstreamCall) => Promise<readonly GeneratedImage[]>
}

export function openImage(
  settings: UpstreamSettings,
  fetch: typeof globalThis.fetch,
): UpstreamImage {
  const post = openPost(settings, '/images/generations', fetch)
  return {
    generate: async (task, call) => {
      const { model, prompt, n, width, height, quality, format, options } = task
      const name = settings.modelNames[model] ?? model
      const body = {
        ...options,
        model: name,
        prompt,
        n,
        size: `${width}x${height}`,
        ...(quality !== undefined && { quality }),
        ...(format !== 'png' && { output_format: format }),
        ...(!isGptImage.test(name) && { response_format: 'b64_json' }),
      }
      const value = await postForJson(post, settings, body, call, (response) => ({
        model,
        images: readImages(response).length,
      }))
      const images = readImages(value)
      if (images.length === 0) throw post.failed('responded without an image as b64_json')
      return images.slice(0, n)
    },
  }
}

/** Models of OpenAI that always give Base64, and take no field that asks for it. */
const isGptImage = /(?:^|\/)(?:chat)?gpt-image/

/**
 * Images of the upstreams that serve the model, or of the local backend while no upstream of images
 * is configured.
 */
export function createRoutedImage(
  sources: InferenceSources<ImageBackend, UpstreamImage>,
): ImageBackend {
  const { backend, local, ask } = routeInference(sources)
  return {
    ...backend,
    get formats() {
      return local()?.formats ?? (['png', 'jpeg', 'webp'] as const)
    },
    generate: async (task, signal) =>
      local()?.generate(task, signal) ??
      takeOnlyPart(
        ask({
          task,
          work: { images: task.n },
          signal,
          ask: async function* (client, call) {
            yield await client.generate(task, call)
          },
          isDelivery: () => false,
        }),
      ),
  }
}

function readImages({ data }: Readonly<Record<string, unknown>>): readonly GeneratedImage[] {
  if (!Array.isArray(data)) return []
  return data.flatMap((one): readonly GeneratedImage[] => {
    const bytes = isRecord(one) ? readBytes(one) : undefined
    if (!isRecord(one) || !bytes || bytes.length === 0) return []
    const { revised_prompt: revisedPrompt } = one
    return [{ bytes, ...(typeof revisedPrompt === 'string' && { revisedPrompt }) }]
  })
}

/** The format that the bytes have. Some upstreams make another one than was asked for. */
export function detectFormat(bytes: Uint8Array): ImageFormat | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (beginning.startsWith('\x89PNG')) return 'png'
  if (beginning.startsWith('\xff\xd8\xff')) return 'jpeg'
  return /^RIFF.{4}WEBP/s.test(beginning) ? 'webp' : undefined
}

/** Some servers send a data URL in either field. */
function readBytes({ b64_json: text, url }: Readonly<Record<string, unknown>>) {
  const data = text ?? (typeof url === 'string' && url.startsWith('data:') ? url : undefined)
  if (typeof data !== 'string') return undefined
  return new Uint8Array(Buffer.from(data.replace(/^data:[^,]*,/, ''), 'base64'))
}
