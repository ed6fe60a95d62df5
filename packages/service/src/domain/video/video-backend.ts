import { UpstreamError } from '../../platform/upstream/upstream-failure.js'
import type { OnServed } from '../../platform/upstream/upstream-settings.js'
import type { WorkCost } from '../../platform/upstream/work-cost.js'
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
  /** Where the order is, for a job that is begun again after a restart. */
  readonly journal?: OrderJournal
  /** Called when an upstream has accepted the order. */
  readonly onServed?: OnServed
  /** Collects what upstreams bill for the video. */
  readonly cost?: WorkCost
}

/** An order that an upstream has, or may have if there is no id. */
export type SentOrder = {
  readonly upstream: string
  readonly id?: Readonly<Record<string, string>>
  /** The cost that the upstream reported, in decimals. */
  readonly costMicroUsd?: string
}

/** Written before an order is sent. */
export type OrderJournal = {
  readonly read: () => Promise<SentOrder | undefined>
  readonly write: (order: SentOrder | undefined) => Promise<void>
}

export type Medium = {
  readonly role: 'image' | 'end_image' | 'reference_image' | 'video' | 'reference_video'
  readonly url: string
}

export type VideoBackend = {
  readonly name: string
  /** The bytes of an MP4 file. Rejects with a VideoError for faults that the caller should know. */
  readonly render: (task: VideoTask, signal: AbortSignal) => Promise<Uint8Array>
}

/** The message is for the caller. */
export class VideoError extends UpstreamError {
  override readonly name = 'VideoError'
}
