import { createLocalVideo } from '../domain/local/local-backends.js'
import type { Catalogue } from '../domain/models/catalogue.js'
import { createDownloadUrls } from '../domain/downloads/downloads.js'
import type { VideoJobs } from '../domain/video/jobs.js'
import {
  type VideoServices,
  createVideoWorker,
  type VideoWorkerOptions,
} from '../domain/video/video-worker.js'
import {
  findActiveSpan,
  runInOpenSpan,
  runOutsideSpans,
  type Span,
  type Telemetry,
} from '../platform/telemetry/spans.js'
import { instrumentVideo } from './instrumented.js'
import { countUnpaid, type Observers } from './observers.js'
import type { ServiceOptions } from './service-options.js'

type VideoParts = {
  readonly jobs: VideoJobs
  readonly catalogue: Catalogue
  readonly ledger: VideoWorkerOptions['ledger']
  readonly observers: Observers
  readonly ticks: () => number
  readonly origin: string
  /** Signs download URLs. */
  readonly pepper: string
}

/** Makes the videos of the queue until its worker is closed. */
export function startVideo(
  options: ServiceOptions,
  { catalogue, ledger, observers, ticks, origin, pepper, ...parts }: VideoParts,
): VideoServices {
  const { jobs, ...traced } = options.telemetry
    ? traceVideos(parts.jobs, options.telemetry)
    : { jobs: parts.jobs }
  const { metrics, trouble, onError } = observers
  const backend = instrumentVideo(
    options.video ?? options.upstreams?.video ?? createLocalVideo(),
    { ...metrics, trouble },
    ticks,
  )
  const worker = createVideoWorker({
    jobs,
    catalogue,
    ledger,
    backend,
    onUnpaid: countUnpaid(metrics, catalogue),
    ...traced,
    onError: (error) => onError(error, { requestId: 'video' }),
    ...(options.videosAtOnce !== undefined && { size: options.videosAtOnce }),
  })
  // a request wakes the worker, whose spans must not become its children
  const apart = { ...worker, wake: () => runOutsideSpans(worker.wake) }
  return { jobs, worker: apart, backend, urls: createDownloadUrls(origin, pepper) }
}

type TracedVideos = {
  readonly jobs: VideoJobs
  readonly asJob: NonNullable<VideoWorkerOptions['asJob']>
}

/** The most recent orders of this process that wait to be made. Others get no link. */
const most = 1_000

/**
 * Gives each video a trace of its own, since it outlives the request that ordered it, with a link
 * to that request.
 */
function traceVideos(jobs: VideoJobs, telemetry: Telemetry): TracedVideos {
  const orders = new Map<string, Span>()
  return {
    jobs: {
      ...jobs,
      add: async (order) => {
        const span = findActiveSpan()
        const result = await jobs.add(order)
        if (span === undefined || result.status !== 'queued') return result
        span.set({ 'farebox.video.job_id': result.job.id })
        orders.set(result.job.id, span)
        for (const oldest of orders.keys()) if (orders.size > most) orders.delete(oldest)
        return result
      },
    },
    asJob: async ({ id, model, attempts }, work) => {
      const order = orders.get(id)
      orders.delete(id)
      const attributes = {
        'farebox.video.job_id': id,
        'farebox.model': model,
        'farebox.video.attempt': attempts,
      }
      const span = telemetry.startSpan({
        name: 'video job',
        kind: 'consumer',
        attributes,
        links: order ? [order] : [],
      })
      return span === undefined ? work() : runInOpenSpan(span, work)
    },
  }
}
