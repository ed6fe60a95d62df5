import { createDownloadUrls } from '../domain/video/download-urls.js'
import type { Catalogue } from '../domain/models/catalogue.js'
import type { VideoJobs } from '../domain/video/jobs.js'
import { createLocalRenderer } from '../domain/video/local-renderer.js'
import { assumeFaces } from '../domain/video/video-backend.js'
import type { VideoServices } from '../domain/video/video-services.js'
import { createVideoWorker, type VideoWorkerOptions } from '../domain/video/video-worker.js'
import { instrumentVideo } from './instrumented.js'
import { outsideSpans } from '../platform/telemetry/spans.js'
import { tracedVideos } from './traced-videos.js'
import type { Observers } from './observers.js'
import { countUnpaid } from './unpaid-work.js'
import type { ServiceOptions } from './service-options.js'

export type VideoParts = {
  readonly jobs: VideoJobs
  readonly catalogue: Catalogue
  readonly ledger: VideoWorkerOptions['ledger']
  readonly observers: Observers
  readonly ticks: () => number
  readonly origin: string
  /** Signs download URLs. */
  readonly pepper: string
}

/** Starts to make the videos of the queue, until its worker is closed. */
export function startVideo(
  options: ServiceOptions,
  { catalogue, ledger, observers, ticks, origin, pepper, ...parts }: VideoParts,
): VideoServices {
  const { jobs, ...traced } = options.telemetry ? tracedVideos(parts.jobs, options.telemetry) : { jobs: parts.jobs }
  const { metrics, trouble, onError } = observers
  const backend = instrumentVideo(options.video ?? options.upstreams?.video ?? createLocalRenderer(), { ...metrics, trouble }, ticks)
  const worker = createVideoWorker({
    jobs,
    catalogue,
    ledger,
    backend,
    onUnpaid: countUnpaid(metrics),
    ...traced,
    onError: (error) => onError(error, { requestId: 'video' }),
    ...(options.videosAtOnce !== undefined && { size: options.videosAtOnce }),
  })
  // a request wakes the worker, whose spans are not below its own
  const apart = { ...worker, wake: () => outsideSpans(worker.wake) }
  return { jobs, worker: apart, backend, urls: createDownloadUrls(origin, pepper), detectFaces: options.detectFaces ?? assumeFaces }
}
