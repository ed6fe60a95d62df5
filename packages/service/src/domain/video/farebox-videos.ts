import { withoutSlashes } from '../../platform/upstream/without-slashes.js'
import { VideoError } from './video-backend.js'
import { videoRequests, type VideoProtocol, type VideoProtocolOptions } from './video-protocol.js'

/**
 * The queue of this contract: `/video/queue` and `/video/retrieve` below the URL. It gets the
 * original request. The job's id is the Idempotency-Key, so an order that is sent again is made
 * once.
 */
export function fareboxVideos(options: VideoProtocolOptions): VideoProtocol {
  const { modelNames = {} } = options
  const base = withoutSlashes(options.url)
  const { host, origin } = new URL(base)
  const { ask, json, video, cost, failed } = videoRequests(options)
  const post = (
    path: string,
    body: object,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    ask(
      `${base}${path}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      },
      signal,
    )

  return {
    host,
    order: async ({ jobId, model, request }, signal) => {
      const body = { ...request, model: modelNames[model.id] ?? model.id }
      const answer = await post('/video/queue', body, signal, { 'idempotency-key': jobId })
      const { model: named, queue_id, download_url } = await json(answer)
      if (typeof named !== 'string' || typeof queue_id !== 'string')
        throw failed('gave no id of what it queued')
      const id = {
        model: named,
        queue_id,
        ...(typeof download_url === 'string' && { download_url }),
      }
      return { id, ...cost(answer) }
    },

    collect: async ({ model, queue_id, download_url }, signal) => {
      const answer = await post('/video/retrieve', { model, queue_id }, signal).catch(
        (error: unknown) => {
          // in this contract, 500 is final for a video
          if (error instanceof VideoError && error.failure?.status === 500)
            throw failed('answered 500')
          throw error
        },
      )
      if (answer.headers.get('content-type')?.startsWith('video/') === true) return video(answer)
      const { status } = await json(answer)
      return status === 'COMPLETED' ? download(download_url, signal) : undefined
    },
  }

  /** From the upstream's origin alone, since its response could name a host of our network. */
  async function download(url: string | undefined, signal: AbortSignal): Promise<Uint8Array> {
    if (url === undefined || !URL.canParse(url) || new URL(url).origin !== origin)
      throw failed('said that the video is elsewhere, from where it is not fetched')
    return video(await ask(url, {}, signal, false))
  }
}
