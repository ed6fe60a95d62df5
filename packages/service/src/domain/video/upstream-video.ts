import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/is-record.js'
import { sleep as realSleep } from '../../platform/sleep.js'
import { ticks as realTicks } from '../../platform/ticks.js'
import { upstreamFault } from '../../platform/upstream/upstream-fault.js'
import { withoutSlashes } from '../../platform/upstream/without-slashes.js'
import { VideoError, type VideoBackend } from './video-backend.js'

export type UpstreamVideoOptions = {
  /**
   * Base URL of `/video/queue` and `/video/retrieve` of this contract, such as
   * `https://video.example/api/v1`.
   */
  readonly url: string
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

const maxVideoBytes = 512 * 1024 * 1024

/**
 * Videos from the queue of another service, which gets the original request. The job's id is the
 * Idempotency-Key, so a restarted job is not queued twice. Its errors are mapped by
 * `upstreamFault`, and busy responses are retried.
 */
export function createUpstreamVideo(options: UpstreamVideoOptions): VideoBackend {
  const {
    apiKey,
    pollMs = 3_000,
    timeoutMs = 1_800_000,
    requestMs = 60_000,
    fetch: send = fetch,
    ticks = realTicks,
    sleep = realSleep,
  } = options
  const base = withoutSlashes(options.url)
  const { host, origin } = new URL(base)

  const post = (path: string, body: object, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}) =>
    send(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
      redirect: 'error',
    })

  /** Retries while the service is busy or cannot be reached. */
  const patiently = async (ask: () => Promise<Response>, signal: AbortSignal, deadline: number): Promise<Response> => {
    for (;;) {
      const response = await ask().catch((error: unknown) => {
        if (error instanceof VideoError) throw error
      })
      signal.throwIfAborted()
      const fault = response && (await upstreamFault(response, apiKey))
      if (response && !fault) return response
      if (fault?.kind === 'refused') throw new VideoError(`The upstream does not take the request. ${fault.reason}`.trim())
      if (fault?.kind === 'failed') throw failed(`answered ${fault.status}; look at its key and its models`)
      // in this contract, 500 is final for a video
      if (fault?.status === 500) throw failed('answered 500')
      if (ticks() > deadline) throw late()
      await sleep(Math.max(pollMs, 1000 * (fault?.retryAfterSeconds ?? 0)), signal)
    }
  }

  return {
    name: `upstream; host=${host}`,
    render: async ({ jobId, request }, signal) => {
      const deadline = ticks() + timeoutMs
      const queue = () => post('/video/queue', request, signal, { 'idempotency-key': jobId })
      const queued = await json(await patiently(queue, signal, deadline))
      const { model, queue_id, download_url } = queued
      if (typeof model !== 'string' || typeof queue_id !== 'string') throw failed('gave no id of what it queued')
      for (;;) {
        const answer = await patiently(() => post('/video/retrieve', { model, queue_id }, signal), signal, deadline)
        if (answer.headers.get('content-type')?.startsWith('video/') === true) return bytesOf(answer)
        const { status } = await json(answer)
        if (status === 'COMPLETED') return bytesOf(await patiently(() => download(download_url, signal), signal, deadline))
        if (ticks() > deadline) throw late()
        await sleep(pollMs, signal)
      }
    },
  }

  /** From the upstream's origin alone, since its response could name a host of our network. */
  async function download(url: unknown, signal: AbortSignal): Promise<Response> {
    if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).origin !== origin)
      throw failed('said that the video is elsewhere, from where it is not fetched')
    return send(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]), redirect: 'error' })
  }
}

async function json(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = await response.json().catch(() => undefined)
  return isRecord(value) ? value : {}
}

async function bytesOf({ body }: Response): Promise<Uint8Array> {
  const bytes = await readBounded(body, maxVideoBytes)
  if (!bytes) throw failed('gave a video that is too large')
  if (bytes.length === 0) throw failed('gave an empty video')
  return bytes
}

/** The caller gets no details. */
function failed(what: string): VideoError {
  return new VideoError('The upstream could not make the video.', { trouble: `Video: the upstream ${what}` })
}

function late(): VideoError {
  return new VideoError('The upstream did not make the video in time.', { trouble: 'Video: the upstream did not make a video in time' })
}
