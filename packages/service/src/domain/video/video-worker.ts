import type { Ledger } from '../ledger/ledger.js'
import { videoModels } from '../models/video-models.js'
import { mediaLifetimeMs, type VideoJob, type VideoJobs } from './jobs.js'
import { orderOf, type VideoInput } from './read-order.js'
import { VideoError, type VideoBackend } from './video-backend.js'

export type VideoWorkerOptions = {
  readonly jobs: VideoJobs
  readonly ledger: Ledger
  readonly backend: VideoBackend
  readonly onError: (error: unknown) => void
  /** Videos at a time. Default: 1. */
  readonly size?: number
  /** The interval of polls for jobs of other processes. Default: 5,000. */
  readonly everyMs?: number
}

export type VideoWorker = {
  /** Polls for jobs at once. */
  readonly wake: () => void
  /** Stops running jobs, and returns them to the queue. */
  readonly close: () => Promise<void>
}

const leaseMs = 180_000
/** A job fails when its process died this often. */
const maxAttempts = 3
/**
 * Renders queued videos. Captures the hold of a finished video, and releases that of a failed one.
 */
export function createVideoWorker({ jobs, ledger, backend, onError, size = 1, everyMs = 5_000 }: VideoWorkerOptions): VideoWorker {
  const stop = new AbortController()
  const working = new Set<Promise<void>>()

  const endHold = async (job: VideoJob, state: 'completed' | 'failed') => {
    if (state === 'completed') await ledger.capture(job.holdId, job.price, job.model)
    else await ledger.release(job.holdId)
  }

  /** Renews the lease of a job while the work runs. */
  const withLease = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const renewal = setInterval(() => void jobs.renew(id, leaseMs).catch(onError), leaseMs / 3)
    renewal.unref()
    try {
      return await work()
    } finally {
      clearInterval(renewal)
    }
  }

  const render = async (job: VideoJob): Promise<void> => {
    try {
      if (job.attempts > maxAttempts) throw new VideoError('The video could not be made in several attempts.')
      const model = videoModels.get(job.model)
      if (!model) throw new VideoError(`There is no model ${job.model} any more.`)
      const order = orderOf(job.request as unknown as VideoInput, model, job.seconds ?? undefined)
      const media = await withLease(job.id, () => backend.render({ ...order, jobId: job.id, request: job.request }, stop.signal))
      if (await jobs.complete(job.id, media)) await endHold(job, 'completed')
    } catch (error) {
      if (stop.signal.aborted) return jobs.requeue(job.id)
      if (!(error instanceof VideoError)) onError(error)
      if (await jobs.fail(job.id, error instanceof VideoError ? error.message : 'The video could not be made.'))
        await endHold(job, 'failed')
    }
  }

  const work = async (): Promise<void> => {
    try {
      for (const job of await jobs.withOpenHold()) await endHold(job, job.state === 'completed' ? 'completed' : 'failed')
      await jobs.expire(mediaLifetimeMs)
      for (;;) {
        const job = stop.signal.aborted ? undefined : await jobs.lease(leaseMs)
        if (!job) return
        await render(job)
      }
    } catch (error) {
      if (!stop.signal.aborted) onError(error)
    }
  }

  let asked = false
  const wake = (): void => {
    asked = working.size >= size
    if (stop.signal.aborted || asked) return
    const round = work().finally(() => {
      working.delete(round)
      if (asked) wake()
    })
    working.add(round)
  }
  const timer = setInterval(wake, everyMs)
  timer.unref()
  wake()

  return {
    wake,
    close: async () => {
      clearInterval(timer)
      stop.abort()
      await Promise.all(working)
    },
  }
}
