import { lazy } from '../../platform/lazy.js'
import { sleep as realSleep, ticks as realTicks } from '../../platform/time.js'
import { createUpstreamPool } from '../../platform/upstream/upstream-pool.js'
import { withDefaults } from '../../platform/upstream/upstream-settings.js'
import { createRoutedVideo, openVideos } from './routed-video.js'
import type { VideoBackend } from './video-backend.js'

export type UpstreamVideoOptions = {
  /**
   * Base URL of `/video/queue` and `/video/retrieve` of this contract, such as
   * `https://video.example/api/v1`; or of OpenAI's `/videos`, such as `https://video.example/v1`.
   */
  readonly url: string
  /** Default: `farebox`, the queue of this contract. */
  readonly format?: 'farebox' | 'openai'
  /** Bearer token for this upstream alone. */
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
 * `upstreamFault`, and busy responses are retried.
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
