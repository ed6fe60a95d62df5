import type { VideoJobs } from '../domain/video/jobs.js'
import type { VideoWorkerOptions } from '../domain/video/video-worker.js'
import { activeSpan, inOpenSpan, type Span } from '../platform/telemetry/spans.js'
import type { Telemetry } from '../platform/telemetry/telemetry.js'

export type TracedVideos = { readonly jobs: VideoJobs; readonly asJob: NonNullable<VideoWorkerOptions['asJob']> }

/** Orders whose video is not begun. An older one, or one of another process, has no link. */
const most = 1_000

/**
 * Gives each video a trace of its own, since it outlives the request that ordered it, with a link
 * to that request.
 */
export function tracedVideos(jobs: VideoJobs, telemetry: Telemetry): TracedVideos {
  const orders = new Map<string, Span>()
  return {
    jobs: {
      ...jobs,
      add: async (order) => {
        const span = activeSpan()
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
      const attributes = { 'farebox.video.job_id': id, 'farebox.model': model, 'farebox.video.attempt': attempts }
      const span = telemetry.startSpan({ name: 'video job', kind: 'consumer', attributes, links: order ? [order] : [] })
      return span === undefined ? work() : inOpenSpan(span, work)
    },
  }
}
