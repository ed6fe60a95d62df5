import type { VideoModel } from '../models/video-models.js'

/** A video to make, with all defaults. */
export type VideoOrder = {
  readonly model: VideoModel
  readonly prompt: string
  readonly seconds: number
  readonly width: number
  readonly height: number
  readonly audio: boolean
  readonly upscaleFactor: number
  readonly media: readonly Medium[]
}

/** An order with its request, for backends that pass it on. */
export type VideoTask = VideoOrder & {
  /** The same after a restart. */
  readonly jobId: string
  /** The validated body of the request. */
  readonly request: Readonly<Record<string, unknown>>
}

export type Medium = { readonly role: 'image' | 'end_image' | 'reference_image' | 'video' | 'reference_video'; readonly url: string }

export type VideoBackend = {
  readonly name: string
  /** The bytes of an MP4 file. Rejects with a VideoError for faults that the caller should know. */
  readonly render: (task: VideoTask, signal: AbortSignal) => Promise<Uint8Array>
}

/** The message is for the caller. */
export class VideoError extends Error {
  override readonly name = 'VideoError'
  /** The fault of an upstream, for the log, without secrets and request. */
  readonly trouble: string | undefined

  constructor(message: string, { trouble, ...options }: ErrorOptions & { readonly trouble?: string | undefined } = {}) {
    super(message, options)
    this.trouble = trouble
  }
}

/** Finds the media that show a human face. */
export type FaceDetector = (media: readonly Medium[]) => Promise<readonly Medium['role'][]>

/** Assumes a face in every medium, since needless consent does less harm than a face without it. */
export const assumeFaces: FaceDetector = async (media) => [...new Set(media.map(({ role }) => role))]
