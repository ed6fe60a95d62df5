import type { VideoModel } from '../models/video-models.js'

/** What a video is made of, every field settled. */
export type VideoOrder = {
  readonly model: VideoModel
  readonly prompt: string
  readonly seconds: number
  readonly width: number
  readonly height: number
  readonly audio: boolean
  readonly upscaleFactor: number
  /** Media of the request, each with the part that it plays. */
  readonly media: readonly Medium[]
}

/** An order with where it came from, for backends that pass it on. */
export type VideoTask = VideoOrder & {
  /** The same whenever the job is begun again. */
  readonly jobId: string
  /** The body of the request, as it was given and found valid. */
  readonly request: Readonly<Record<string, unknown>>
}

export type Medium = { readonly role: 'image' | 'end_image' | 'reference_image' | 'video' | 'reference_video'; readonly url: string }

/** Where videos come from. */
export type VideoBackend = {
  readonly name: string
  /** The bytes of an MP4 file. Rejects with VideoError for what the caller should know; gives up when the signal says so. */
  readonly render: (task: VideoTask, signal: AbortSignal) => Promise<Uint8Array>
}

/** Why a video could not be made, in a sentence for its caller. */
export class VideoError extends Error {
  override readonly name = 'VideoError'
  /** What another service did wrong, for the operator's log: no secret, and nothing of the request. */
  readonly trouble: string | undefined

  constructor(message: string, { trouble, ...options }: ErrorOptions & { readonly trouble?: string | undefined } = {}) {
    super(message, options)
    this.trouble = trouble
  }
}

/** Finds the media that show a human face. */
export type FaceDetector = (media: readonly Medium[]) => Promise<readonly Medium['role'][]>

/** Takes every medium as showing one: no detector is shipped, and consent that was not needed does less harm than a face without it. */
export const assumeFaces: FaceDetector = async (media) => [...new Set(media.map(({ role }) => role))]
