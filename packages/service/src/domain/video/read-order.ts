import type { QueueVideoRequest, VideoAspectRatio, VideoResolution } from '@farebox/types'
import { toMicroUsd, type MicroUsd } from '../ledger/money.js'
import type { Catalogue } from '../models/catalogue.js'
import type { VideoModel } from '../models/video-models.js'
import { isDataUrl } from '../media/inspect-media.js'
import type { Medium, VideoOrder } from './video-backend.js'

export type VideoInput = Partial<QueueVideoRequest> & Pick<QueueVideoRequest, 'model' | 'duration'>

const heights: Readonly<Record<VideoResolution, number>> = {
  '256p': 256,
  '360p': 360,
  '480p': 480,
  '540p': 540,
  '580p': 580,
  '720p': 720,
  '1080p': 1080,
  true_1080p: 1080,
  '1440p': 1440,
  '2160p': 2160,
  '4k': 2160,
  '2x': 1440,
  '4x': 2160,
}

/** For a request without a resolution. */
const usualResolution: VideoResolution = '720p'
const usualAspectRatio: VideoAspectRatio = '16:9'

/** For `Auto`. */
const usualSeconds = 5

/**
 * An upscale has the price of the shortest duration of the contract at least. That of a video at a
 * URL, which is not fetched, holds the price of the longest: its length is known when it is made.
 */
const shortestSeconds = 2
export const longestAtUrlSeconds = 30

/** The order of a request, or a message for each field that its model does not support. */
type ReadOrder =
  | { readonly kind: 'order'; readonly order: VideoOrder }
  | { readonly kind: 'invalid'; readonly faults: Readonly<Record<string, string>> }

/**
 * Checks a request against its model. `given` has the fields of the caller, without the defaults of
 * the contract. `measureLength` returns the seconds of a video in a data URL. Other media are not
 * fetched, since a caller could name any host of the service's own network.
 */
export async function readOrder(
  { videoModels }: Catalogue,
  input: VideoInput,
  given: ReadonlySet<string>,
  measureLength: (dataUrl: string) => Promise<number>,
): Promise<ReadOrder> {
  const model = videoModels.get(input.model)
  if (!model) {
    const message = `There is no video model ${JSON.stringify(input.model.slice(0, 100))}. GET /models?type=video lists them.`
    return { kind: 'invalid', faults: { model: message } }
  }
  const faults = check(input, given, model)
  if (Object.keys(faults).length > 0) return { kind: 'invalid', faults }
  return {
    kind: 'order',
    order: toOrder(input, model, await readSeconds(input, model, measureLength)),
  }
}

/** The order in a request that its model supports. */
export function toOrder(
  input: VideoInput,
  model: VideoModel,
  seconds = parseSeconds(input),
): VideoOrder {
  const { width, height } = toSize(
    input.aspect_ratio ?? usualAspectRatio,
    input.resolution ?? usualResolution,
  )
  return {
    model,
    prompt: input.prompt ?? '',
    seconds,
    width,
    height,
    audio: input.audio ?? true,
    upscaleFactor: input.upscale_factor ?? 2,
    media: listMedia(input),
  }
}

/** The price by seconds, model and size, rounded up to a whole micro-USD. */
export function priceVideo(
  { model, seconds, upscaleFactor }: VideoOrder,
  resolution = usualResolution,
): MicroUsd {
  const factor = model.upscales ? upscaleFactor : (model.priceFactors[resolution] ?? 1)
  // each has six decimals at most, so this is exact
  const [usd, length, times] = [model.usdPerSecond, Math.max(shortestSeconds, seconds), factor].map(
    toMicroUsd,
  ) as [bigint, bigint, bigint]
  return (usd * length * times + (10n ** 12n - 1n)) / 10n ** 12n
}

/** Whether the seconds of an order are an upper bound until the video is made. */
export function isLengthUnknown({ model, media }: VideoOrder): boolean {
  return model.upscales && media.some(({ role, url }) => role === 'video' && !isDataUrl(url))
}

function check(
  input: VideoInput,
  given: ReadonlySet<string>,
  model: VideoModel,
): Record<string, string> {
  const { id, durations, aspectRatios, resolutions, upscales, promptLimit } = model
  const faults: Record<string, string> = {}
  const readChoice = (
    field: 'duration' | 'aspect_ratio' | 'resolution',
    taken: readonly string[],
    usual?: string,
  ) => {
    // a model without the field has one of its own
    const value = input[field] ?? (taken.length > 0 ? usual : undefined)
    if (value === undefined || taken.includes(value)) return
    faults[field] =
      taken.length === 0
        ? `${id} does not take it.`
        : `${id} takes ${taken.join(', ')}; found ${value}.`
  }
  if (!upscales) readChoice('duration', durations)
  readChoice('aspect_ratio', aspectRatios, usualAspectRatio)
  if (upscales && input.resolution !== undefined)
    faults['resolution'] = 'Use upscale_factor instead of resolution.'
  else readChoice('resolution', resolutions, usualResolution)
  if (given.has('upscale_factor') && !upscales)
    faults['upscale_factor'] = `${id} does not upscale. Use resolution.`
  for (const field of ['prompt', 'negative_prompt'] as const) {
    const length = Array.from(input[field] ?? '').length
    if (length > promptLimit)
      faults[field] = `${id} takes ${promptLimit} characters; found ${length}.`
  }
  const roles = new Set(listMedia(input).map(({ role }) => role))
  if (model.input === 'image' && given.has('prompt') && !roles.has('image'))
    faults['image_url'] = `${id} starts from an image.`
  if (
    model.input === 'reference' &&
    given.has('prompt') &&
    !roles.has('reference_image') &&
    !roles.has('reference_video')
  ) {
    faults['reference_image_urls'] = `${id} follows references: give an image or a video.`
  }
  return faults
}

function listMedia(input: VideoInput): Medium[] {
  const toMedia = (role: Medium['role'], ...urls: readonly (string | undefined)[]): Medium[] =>
    urls.flatMap((url) => (url === undefined ? [] : [{ role, url }]))
  const elements = input.elements ?? []
  return [
    ...toMedia('image', input.image_url),
    ...toMedia('end_image', input.end_image_url),
    ...toMedia('video', input.video_url),
    ...toMedia(
      'reference_image',
      ...(input.reference_image_urls ?? []),
      ...(input.scene_image_urls ?? []),
    ),
    ...elements.flatMap((element) =>
      toMedia(
        'reference_image',
        element.frontal_image_url,
        ...(element.reference_image_urls ?? []),
      ),
    ),
    ...toMedia('reference_video', ...(input.reference_video_urls ?? [])),
  ]
}

/** An upscale model uses the length of a video in the request. */
async function readSeconds(
  { duration, video_url }: VideoInput,
  { upscales }: VideoModel,
  measureLength: (dataUrl: string) => Promise<number>,
): Promise<number> {
  if (upscales)
    return video_url !== undefined && isDataUrl(video_url)
      ? measureLength(video_url)
      : longestAtUrlSeconds
  return parseSeconds({ duration })
}

function parseSeconds({ duration }: Pick<VideoInput, 'duration'>): number {
  const [, seconds] = /^(\d+)s$/.exec(duration) ?? []
  return seconds === undefined ? usualSeconds : Number(seconds)
}

/** The resolution is the shorter side. Both are even, as video codecs require. */
function toSize(
  ratio: VideoAspectRatio,
  resolution: VideoResolution,
): { readonly width: number; readonly height: number } {
  const [across = 16, down = 9] = ratio.split(':').map(Number)
  const short = heights[resolution]
  const toEven = (length: number) => 2 * Math.round(length / 2)
  return across >= down
    ? { width: toEven((short * across) / down), height: toEven(short) }
    : { width: toEven(short), height: toEven((short * down) / across) }
}
