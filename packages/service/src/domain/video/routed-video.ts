import { type Lazy, lazy } from '../../platform/lazy.js'
import {
  findServing,
  type RouteParts,
  openRoute,
  type Attempt,
} from '../../platform/upstream/upstream-route.js'
import {
  type PoolMember,
  type UpstreamPool,
  createUpstreamPool,
} from '../../platform/upstream/upstream-pool.js'
import {
  type ServedCall,
  type UpstreamSettings,
  type Work,
  withDefaults,
} from '../../platform/upstream/upstream-settings.js'
import { readHeaderDuration } from '../media/inspect-media.js'
import { isLengthUnknown } from './read-order.js'
import {
  createFareboxVideos,
  createOpenaiVideos,
  type RemoteId,
  type VideoProtocol,
} from './upstream-protocols.js'
import {
  VideoError,
  type OrderJournal,
  type VideoBackend,
  type VideoTask,
} from './video-backend.js'
import { sleep as realSleep, ticks as realTicks } from '../../platform/time.js'

type Member = PoolMember<VideoProtocol>
type ReportedCost = Pick<ServedCall, 'costMicroUsd'>
type PlacedOrder = {
  readonly attempt: Attempt<VideoProtocol>
  readonly id: RemoteId
  readonly reported: ReportedCost
}

const protocols = { farebox: createFareboxVideos, openai: createOpenaiVideos } as const

/** Videos of one upstream. */
export function openVideos(
  { format, timeouts, ...settings }: UpstreamSettings,
  send: typeof fetch,
): VideoProtocol {
  const { name, url, apiKey, modelNames, cost } = settings
  const given = {
    ...(apiKey !== undefined && { apiKey }),
    ...(cost.header !== undefined && { costHeader: cost.header }),
  }
  return protocols[format]({
    name,
    url,
    ...given,
    modelNames,
    requestMs: timeouts.firstByteMs,
    fetch: send,
  })
}

/**
 * Videos of the upstreams that serve the model, or of the local backend while no upstream of video
 * is configured. An order that no upstream takes waits. An order that was taken stays with its
 * upstream, also after a restart.
 */
export function createRoutedVideo(
  pool: UpstreamPool<VideoProtocol>,
  local: Lazy<VideoBackend>,
  parts: RouteParts,
): VideoBackend {
  return {
    get name() {
      const hosts = [...new Set(pool.members().map(({ client: { host } }) => host))]
      return hosts.length === 0 ? local.get().name : `upstream; host=${hosts.join(',')}`
    },

    render: async (task, signal) => {
      const members = pool.members()
      if (members.length === 0) return local.get().render(task, signal)
      const { attempt, id, reported } = await placeOrder(task, signal, members)
      try {
        const media = await collectVideo(attempt, id, signal)
        if (isLengthUnknown(task))
          attempt.accepts(reported, {
            ...toWork(task),
            seconds: readHeaderDuration(media) ?? task.seconds,
          })
        attempt.succeed()
        return media
      } catch (error) {
        if (error instanceof VideoError && error.failure) attempt.fail(error.failure)
        throw error
      } finally {
        attempt.abandon()
      }
    },
  }

  /** The order at its upstream: one from before a restart, or a new one. */
  async function placeOrder(
    task: VideoTask,
    signal: AbortSignal,
    members: readonly Member[],
  ): Promise<PlacedOrder> {
    const sent = await task.journal?.read()
    if (!sent) return sendOrder(task, signal, findServing(members, task.model.id))
    const known = members.filter(({ settings }) => settings.name === sent.upstream)
    const [member] = known
    if (!member) throw new VideoError('The upstream that had the video no longer exists.')
    if (sent.id) {
      const reported =
        sent.costMicroUsd === undefined ? {} : { costMicroUsd: BigInt(sent.costMicroUsd) }
      const attempt = await attemptAt(known, task, signal)
      attempt.accepts(reported)
      return { attempt, id: sent.id, reported }
    }
    const { repeat } = member.settings
    if (repeat === 'never')
      throw new VideoError('It is unknown whether the upstream has begun the video.')
    if (repeat === 'keyed') return sendOrder(task, signal, known)
    const others = members.filter((one) => repeat === 'free' || one !== member)
    return sendOrder(task, signal, findServing(others, task.model.id))
  }

  /** Sends the order to one upstream after another, and notes where it may be. */
  async function sendOrder(
    task: VideoTask,
    signal: AbortSignal,
    members: readonly Member[],
  ): Promise<PlacedOrder> {
    const { journal, onServed } = task
    const route = routeAt(members, task, signal)
    let last: VideoError | undefined
    for (;;) {
      const attempt = await route.next()
      signal.throwIfAborted()
      if ('waitMs' in attempt) throw last && attempt.waitMs === Infinity ? last : createLateError()
      if (last?.trouble !== undefined) parts.onTrouble('video', last.trouble)
      const { client, settings } = attempt
      try {
        await journal?.write({ upstream: settings.name })
        const { id, ...reported } = await client.order(task, signal)
        const { costMicroUsd } = reported
        await journal?.write({
          upstream: settings.name,
          id,
          ...(costMicroUsd !== undefined && { costMicroUsd: String(costMicroUsd) }),
        })
        const served = attempt.accepts({
          capability: 'video',
          upstream: settings.name,
          host: client.host,
          ...reported,
        } as const)
        onServed?.(served)
        return { attempt, id, reported }
      } catch (error) {
        const failure = error instanceof VideoError ? error.failure : undefined
        const mayRepeat = failure && attempt.fail(failure)
        attempt.abandon()
        if (failure?.mayHaveBegun === false) await forget(journal)
        signal.throwIfAborted()
        if (mayRepeat !== true) throw error
        last = error as VideoError
      }
    }
  }

  async function attemptAt(
    members: readonly Member[],
    task: VideoTask,
    signal: AbortSignal,
  ): Promise<Attempt<VideoProtocol>> {
    const attempt = await routeAt(members, task, signal).next()
    signal.throwIfAborted()
    if ('waitMs' in attempt) throw createLateError()
    return attempt
  }

  function routeAt(members: readonly Member[], task: VideoTask, signal: AbortSignal) {
    const patienceMs = Math.max(0, ...members.map(({ settings }) => settings.timeouts.videoMs))
    const pollMs = Math.max(0, ...members.map(({ settings }) => settings.timeouts.pollMs))
    return openRoute({
      ...parts,
      members,
      work: toWork(task),
      cost: task.cost,
      signal,
      patienceMs,
      isPatient: true,
      backoff: () => pollMs,
    })
  }

  /**
   * Polls until the video is finished. Polling costs nothing. The key of the upstream may change
   * meanwhile, and the old one end.
   */
  async function collectVideo(
    { client, settings, confirmHealth }: Attempt<VideoProtocol>,
    id: RemoteId,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { pollMs, videoMs } = settings.timeouts
    const deadline = parts.ticks() + videoMs
    const isSame = ({ name, url, format }: UpstreamSettings) =>
      name === settings.name && url === settings.url && format === settings.format
    for (;;) {
      let waitMs = pollMs
      try {
        const member = pool.members().find((one) => isSame(one.settings))
        const media = await (member?.client ?? client).collect(id, signal)
        if (media) return media
        confirmHealth()
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof VideoError) || error.failure?.isTransient !== true) throw error
        waitMs = Math.max(pollMs, error.failure.retryAfterMs ?? 0)
      }
      if (parts.ticks() > deadline) throw createLateError()
      await parts.sleep(waitMs, signal)
    }
  }
}

function toWork({ model, seconds }: VideoTask): Work {
  return { model: model.id, seconds }
}

/** After a response that says that nothing was begun. */
async function forget(journal: OrderJournal | undefined): Promise<void> {
  await journal?.write(undefined)
}

function createLateError(): VideoError {
  return new VideoError('The upstream did not make the video in time.', {
    trouble: 'Video: the upstream did not make a video in time',
  })
}

export type UpstreamVideoOptions = {
  /**
   * Base URL of `/video/queue` and `/video/retrieve` of this contract, such as
   * `https://video.example/api/v1`; or of OpenAI's `/videos`, such as `https://video.example/v1`.
   */
  readonly url: string
  /** Default: `farebox`, the queue of this contract. */
  readonly format?: 'farebox' | 'openai'
  /** Bearer token for this upstream. */
  readonly apiKey?: string
  /** Between two polls. Default: 3,000. */
  readonly pollMs?: number
  /** For one video from queueing to its last byte. Default: 30 minutes. */
  readonly timeoutMs?: number
  /** For one request. Default: 60,000. */
  readonly requestMs?: number
  readonly fetch?: typeof fetch
  /** Milliseconds that never go back. */
  readonly ticks?: () => number
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/**
 * Videos of one other service. With the queue of this contract, the job's id is the
 * Idempotency-Key, so a restarted job is not queued twice. Its errors are mapped by
 * `readUpstreamFault`, and busy responses are retried.
 */
export function createUpstreamVideo(options: UpstreamVideoOptions): VideoBackend {
  const {
    url,
    format = 'farebox',
    apiKey,
    pollMs = 3_000,
    timeoutMs = 1_800_000,
    requestMs = 60_000,
  } = options
  const { fetch: send = fetch, ticks = realTicks, sleep = realSleep } = options
  const pool = createUpstreamPool((settings) => openVideos(settings, send), ticks)
  const timeouts = { pollMs, videoMs: timeoutMs, firstByteMs: requestMs }
  pool.replace([
    withDefaults({
      name: 'the upstream',
      capability: 'video',
      format,
      url,
      timeouts,
      ...(apiKey !== undefined && { apiKey }),
    }),
  ])
  const ignore = () => undefined
  const local = lazy((): VideoBackend => {
    throw new Error('Video: there is one upstream, and no local backend')
  })
  return createRoutedVideo(pool, local, {
    ticks,
    sleep,
    random: Math.random,
    onEnd: ignore,
    onTrouble: ignore,
  })
}
