import type { QueuedVideo, VideoInput } from 'farebox'
import type { Arguments, Context } from '../command.js'
import { UsageError } from '../errors.js'
import type { PendingVideos } from '../pending-videos.js'
import { mediaUrl, readStdin, decodeText } from '../read-input.js'

type MediaKind = Parameters<typeof mediaUrl>[2]

/** The video of `--resume`. */
export async function readQueuedVideo(
  queueId: string,
  model: string | undefined,
  { find }: Pick<PendingVideos, 'find'>,
): Promise<QueuedVideo> {
  const kept = await find(queueId)
  if (kept !== undefined) return kept
  if (model !== undefined) return { model, queue_id: queueId }
  throw new UsageError(
    `Nothing is known of ${JSON.stringify(queueId)} on this machine. Give the model that it was queued with too: --model MODEL.`,
  )
}

/** What the command line asks for. */
export async function readOrder({ arguments: given, terminal }: Context): Promise<VideoInput> {
  const [text] = given.operands
  if (text === undefined) throw new UsageError('video needs PROMPT, or --resume QUEUE_ID.')
  const prompt = text === '-' ? decodeText(await readStdin(terminal, 1_000_000), 'stdin') : text
  const url = async (flag: string, kind: MediaKind) => {
    const value = given.text(flag)
    return value === undefined ? undefined : mediaUrl(value, flag, kind)
  }
  const urls = async (flag: string, kind: MediaKind) =>
    given.all(flag).length === 0
      ? undefined
      : Promise.all(given.all(flag).map((one) => mediaUrl(one, flag, kind)))
  const order = {
    model: given.text('model') ?? modelFor(given),
    prompt,
    duration: given.text('duration') ?? (given.text('video') === undefined ? '5s' : 'Auto'),
    negative_prompt: given.text('negative-prompt'),
    aspect_ratio: given.text('aspect-ratio'),
    resolution: given.text('resolution'),
    upscale_factor: given.number('upscale-factor'),
    audio: given.has('no-audio') ? false : undefined,
    image_url: await url('image', 'image'),
    end_image_url: await url('end-image', 'image'),
    audio_url: await url('audio', 'audio'),
    video_url: await url('video', 'video'),
    reference_image_urls: await urls('reference-image', 'image'),
    reference_video_urls: await urls('reference-video', 'video'),
    reference_audio_urls: await urls('reference-audio', 'audio'),
  }
  // the contract refuses other values, and names those that it accepts
  return withoutUndefined(order) as VideoInput
}

/** The model of the contract for the given name. */
function modelFor(given: Arguments): string {
  if (given.text('video') !== undefined) return 'topaz-video-upscale'
  if (given.text('image') !== undefined) return 'seedance-2-0-image-to-video'
  const references = ['reference-image', 'reference-video', 'reference-audio'].some(
    (flag) => given.all(flag).length > 0,
  )
  return references ? 'seedance-2-0-reference-to-video' : 'seedance-2-0-text-to-video'
}

function withoutUndefined(
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/** The fields that determine the price. */
export function quotable(order: VideoInput): VideoInput {
  const { model, duration, aspect_ratio, resolution, upscale_factor, audio, video_url } = order
  return withoutUndefined({
    model,
    duration,
    aspect_ratio,
    resolution,
    upscale_factor,
    audio,
    video_url,
  }) as VideoInput
}
