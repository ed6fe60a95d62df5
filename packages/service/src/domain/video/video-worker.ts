import { createWorkCost } from '../../platform/upstream/work-cost.js'
import type { Ledger } from '../ledger/ledger.js'
import type { MicroUsd } from '../ledger/money.js'
import { readHeaderDuration } from '../media/inspect-media.js'
import type { Catalogue } from '../models/catalogue.js'
import type { DownloadUrls } from '../downloads/downloads.js'
import type { VideoJobs } from './jobs.js'
import {
  toOrder,
  type VideoInput,
  isLengthUnknown,
  longestAtUrlSeconds,
  priceVideo,
} from './read-order.js'
import { type VideoBackend, VideoError, type VideoOrder } from './video-backend.js'
import type { JobEnd, VideoJob } from './video-job.js'

/** The parts that handlers of videos use. */
export type VideoServices = {
  readonly jobs: VideoJobs
  readonly worker: VideoWorker
  readonly backend: VideoBackend
  readonly urls: DownloadUrls
}

export type VideoWorkerOptions = {
  readonly jobs: VideoJobs
  readonly catalogue: Pick<Catalogue, 'everyVideoModel'>
  readonly ledger: Pick<Ledger, 'capture'>
  readonly backend: VideoBackend
  readonly onError: (error: unknown) => void
  /** Called for an uncharged video that upstreams billed, in micro-USD. */
  readonly onUnpaid?: (work: { readonly model: string; readonly cost: MicroUsd }) => void
  /** Does the work on a job, in its trace. Default: does it. */
  readonly asJob?: (job: VideoJob, work: () => Promise<void>) => Promise<void>
  /** Videos that are made concurrently. One account gets at most half of them. Default: 4. */
  readonly size?: number
  /** The interval of polls for jobs of other processes. Default: 5,000. */
  readonly everyMs?: number
}

type VideoWorker = {
  /** Polls for jobs at once. */
  readonly wake: () => void
  /** Stops running jobs, and returns them to the queue. */
  readonly close: () => Promise<void>
}

const leaseMs = 180_000
/** A job fails when its process died this often. */
const maxAttempts = 3

/**
 * Renders queued videos of several accounts at a time, which take turns. Captures the price of a
 * finished video, and releases that of a failed one.
 */
export function createVideoWorker(options: VideoWorkerOptions): VideoWorker {
  const {
    jobs,
    catalogue,
    ledger,
    backend,
    onError,
    onUnpaid,
    asJob = (_job, work) => work(),
    size = 4,
    everyMs = 5_000,
  } = options
  const stop = new AbortController()
  const running = new Map<Promise<void>, bigint>()

  /** A price of 0 releases all of the hold. */
  const endHold = async ({ holdId, model, cost }: VideoJob, price: MicroUsd) => {
    await ledger.capture(holdId, price, model, undefined, cost)
    if (price === 0n && cost !== null && cost > 0n) onUnpaid?.({ model, cost })
  }

  const endJob = async (job: VideoJob, end: JobEnd, cost: MicroUsd | undefined) => {
    if (await jobs.end(job, end, cost)) await endHold({ ...job, cost: cost ?? null }, end.price)
  }

  /** Renews the lease of a job while the work runs. */
  const withLease = async <T>(job: VideoJob, work: () => Promise<T>): Promise<T> => {
    const renewal = setInterval(() => void jobs.renew(job, leaseMs).catch(onError), leaseMs / 3)
    renewal.unref()
    try {
      return await work()
    } finally {
      clearInterval(renewal)
    }
  }

  const render = async (job: VideoJob): Promise<void> => {
    const cost = createWorkCost()
    try {
      if (job.attempts > maxAttempts)
        throw new VideoError('The video could not be made in several attempts.')
      const model = catalogue.everyVideoModel.get(job.model)
      if (!model) throw new VideoError(`The model ${job.model} no longer exists.`)
      const request = await jobs.request(job.id)
      // another process has ended it
      if (!request) return
      const input = request as unknown as VideoInput
      const order = toOrder(input, model, job.seconds ?? undefined)
      // a backend may only listen for the end from now on
      stop.signal.throwIfAborted()
      const media = await withLease(job, () =>
        backend.render(
          { ...order, jobId: job.id, request, journal: jobs.journal(job.id), cost },
          stop.signal,
        ),
      )
      await endJob(job, toJobEnd(media, order, input, job.price), cost.total())
    } catch (error) {
      if (stop.signal.aborted) return jobs.requeue(job)
      if (!(error instanceof VideoError)) onError(error)
      const reason = error instanceof VideoError ? error.message : 'The video could not be made.'
      await endJob(
        job,
        { state: 'failed', price: 0n, failure: `${reason} Its price was given back.` },
        cost.total(),
      )
    }
  }

  /** Accounts that use their whole share of concurrent videos. */
  const busyAccounts = (): readonly bigint[] => {
    const accounts = [...running.values()]
    const share = Math.max(1, Math.floor(size / 2))
    return [...new Set(accounts)].filter(
      (account) => accounts.filter((one) => one === account).length >= share,
    )
  }

  const fill = async (): Promise<void> => {
    while (running.size < size && !stop.signal.aborted) {
      const job = await jobs.lease(leaseMs, busyAccounts())
      if (!job) return
      const work = asJob(job, () => render(job))
        .catch((error: unknown) => {
          if (!stop.signal.aborted) onError(error)
        })
        .finally(() => {
          running.delete(work)
          wake()
        })
      running.set(work, job.accountId)
    }
  }

  /** Ends the holds of jobs whose process died before it did. */
  const endOpenHolds = async () => {
    for (const job of await jobs.withOpenHold()) await endHold(job, job.price)
  }

  let asked = false
  let filling: Promise<void> | undefined
  const wake = (): void => {
    asked = true
    if (filling !== undefined || stop.signal.aborted) return
    asked = false
    filling = fill()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error)
      })
      .finally(() => {
        filling = undefined
        if (asked) wake()
      })
  }
  let polling: Promise<void> | undefined
  const poll = () => {
    polling = endOpenHolds().catch((error: unknown) => {
      if (!stop.signal.aborted) onError(error)
    })
    wake()
  }
  const timer = setInterval(poll, everyMs)
  timer.unref()
  poll()

  return {
    wake,
    close: async () => {
      clearInterval(timer)
      stop.abort()
      await Promise.all([filling, polling])
      await Promise.all(running.keys())
    },
  }
}

/**
 * The end of the job of a finished video: charged `held`, or less if its length is known only now.
 * Throws a VideoError when that length cannot be found.
 */
function toJobEnd(
  media: Uint8Array,
  order: VideoOrder,
  { resolution }: VideoInput,
  held: bigint,
): JobEnd {
  if (!isLengthUnknown(order)) return { state: 'completed', price: held, media }
  const seconds = readHeaderDuration(media)
  if (seconds === undefined) throw new VideoError('The length of the finished video is unknown.')
  // a video has whole pictures, so it may be a little longer
  if (Math.floor(seconds) > longestAtUrlSeconds) {
    const failure = `The video lasts ${Math.ceil(seconds)} s; a video at a URL may last ${longestAtUrlSeconds} s. Send a longer one as a data URL. Its price was charged, as it was made.`
    return { state: 'failed', price: held, failure }
  }
  const price = priceVideo({ ...order, seconds }, resolution)
  return { state: 'completed', price: price < held ? price : held, media }
}
