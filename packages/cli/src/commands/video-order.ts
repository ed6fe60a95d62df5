import type { QueuedVideo, VideoInput } from 'farebox'
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Arguments, type Context, type Environment, UsageError } from '../command.js'
import { decodeText, toMediaUrl, readStdin } from '../io/read-input.js'
import { findHomeFolder } from '../settings/settings.js'

type MediaKind = Parameters<typeof toMediaUrl>[2]

/** The video of `--resume`. */
export async function readQueuedVideo(
  queueId: string,
  model: string | undefined,
  { find }: Pick<PendingVideos, 'find'>,
): Promise<QueuedVideo> {
  const entry = await find(queueId)
  if (entry !== undefined) return entry
  if (model !== undefined) return { model, queue_id: queueId }
  throw new UsageError(
    `The queue id ${JSON.stringify(queueId)} is unknown on this machine. Pass the model that it was queued with: --model MODEL.`,
  )
}

/** Reads the order from the command line. */
export async function readOrder({ arguments: args, terminal }: Context): Promise<VideoInput> {
  const [text] = args.operands
  if (text === undefined) throw new UsageError('video needs PROMPT, or --resume QUEUE_ID.')
  const prompt = text === '-' ? decodeText(await readStdin(terminal, 1_000_000), 'stdin') : text
  const readMediaUrl = async (flag: string, kind: MediaKind) => {
    const value = args.text(flag)
    return value === undefined ? undefined : toMediaUrl(value, flag, kind)
  }
  const readMediaUrls = async (flag: string, kind: MediaKind) =>
    args.all(flag).length === 0
      ? undefined
      : Promise.all(args.all(flag).map((one) => toMediaUrl(one, flag, kind)))
  const order = {
    model: args.text('model') ?? chooseModel(args),
    prompt,
    duration: args.text('duration') ?? (args.text('video') === undefined ? '5s' : 'Auto'),
    negative_prompt: args.text('negative-prompt'),
    aspect_ratio: args.text('aspect-ratio'),
    resolution: args.text('resolution'),
    upscale_factor: args.number('upscale-factor'),
    audio: args.has('no-audio') ? false : undefined,
    image_url: await readMediaUrl('image', 'image'),
    end_image_url: await readMediaUrl('end-image', 'image'),
    audio_url: await readMediaUrl('audio', 'audio'),
    video_url: await readMediaUrl('video', 'video'),
    reference_image_urls: await readMediaUrls('reference-image', 'image'),
    reference_video_urls: await readMediaUrls('reference-video', 'video'),
    reference_audio_urls: await readMediaUrls('reference-audio', 'audio'),
  }
  // the contract rejects other values, and lists the valid ones
  return omitUndefined(order) as VideoInput
}

/** The default model for the kind of media that is given. */
function chooseModel(args: Arguments): string {
  if (args.text('video') !== undefined) return 'topaz-video-upscale'
  if (args.text('image') !== undefined) return 'seedance-2-0-image-to-video'
  const references = ['reference-image', 'reference-video', 'reference-audio'].some(
    (flag) => args.all(flag).length > 0,
  )
  return references ? 'seedance-2-0-reference-to-video' : 'seedance-2-0-text-to-video'
}

function omitUndefined(
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/** The fields that determine the price. */
export function pickQuoteFields(order: VideoInput): VideoInput {
  const { model, duration, aspect_ratio, resolution, upscale_factor, audio, video_url } = order
  return omitUndefined({
    model,
    duration,
    aspect_ratio,
    resolution,
    upscale_factor,
    audio,
    video_url,
  }) as VideoInput
}

/**
 * The queued videos that were not downloaded yet, on disk, so that the queue id is enough to resume
 * a wait.
 */
export type PendingVideos = {
  readonly keep: (video: QueuedVideo) => Promise<void>
  readonly find: (queueId: string) => Promise<QueuedVideo | undefined>
  /** All of them. A file that cannot be read is left out. */
  readonly list: () => Promise<readonly QueuedVideo[]>
  readonly remove: (queueId: string) => Promise<void>
}

/**
 * Stores them in the user's state folder (XDG Base Directory Specification), readable only by the
 * user: a `download_url` gives access to the video. The command ignores a folder that cannot be
 * written, because stderr shows the queue id too.
 */
export function openPendingVideos(environment: Environment): PendingVideos {
  const state = environment['XDG_STATE_HOME'] ?? ''
  const folder = join(
    state === '' ? join(findHomeFolder(environment), '.local', 'state') : state,
    'farebox',
    'videos',
  )
  // hashed: a string from the service must not name a file
  const toPath = (queueId: string) =>
    join(folder, `${createHash('sha256').update(queueId).digest('hex')}.json`)
  return {
    keep: async (video) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(toPath(video.queue_id), 'w', 0o600)
      await file.writeFile(JSON.stringify(video))
      await file.close()
    },
    find: (queueId) => readVideo(toPath(queueId)),
    list: async () => {
      const names = await readdir(folder).catch(() => [])
      const videos = await Promise.all(
        names.filter((name) => name.endsWith('.json')).map((name) => readVideo(join(folder, name))),
      )
      return videos.filter((video) => video !== undefined)
    },
    remove: (queueId) => rm(toPath(queueId), { force: true }),
  }
}

async function readVideo(path: string): Promise<QueuedVideo | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const video = text === undefined ? undefined : parse(text)
  return isQueuedVideo(video) ? video : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isQueuedVideo(value: unknown): value is QueuedVideo {
  return (
    typeof value === 'object' &&
    value !== null &&
    'model' in value &&
    typeof value.model === 'string' &&
    'queue_id' in value &&
    typeof value.queue_id === 'string' &&
    (!('download_url' in value) || typeof value.download_url === 'string')
  )
}
