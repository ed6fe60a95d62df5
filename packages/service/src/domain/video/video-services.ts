import type { DownloadUrls } from './download-urls.js'
import type { VideoJobs } from './jobs.js'
import type { VideoWorker } from './video-worker.js'
import type { VideoBackend } from './video-backend.js'

/** The parts that handlers of videos use. */
export type VideoServices = {
  readonly jobs: VideoJobs
  readonly worker: VideoWorker
  readonly backend: VideoBackend
  readonly urls: DownloadUrls
}
