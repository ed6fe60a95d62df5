import { isRecord } from '../../platform/unknown-value.js'
import { removeTrailingSlashes } from '../../platform/upstream/upstream-settings.js'
import { decodeDataUrl } from '../media/inspect-media.js'
import { VideoError, type Medium, type VideoTask, type SentOrder } from './video-backend.js'
import { readBounded } from '../../platform/bounded-body.js'
import { createTracedFetch } from '../../platform/telemetry/spans.js'
import {
  readFetchFailure,
  toUpstreamFailure,
  isModeration,
  lostResponse,
  type UpstreamFailure,
  readReason,
  readUpstreamFault,
} from '../../platform/upstream/upstream-failure.js'
import { readCost } from '../../platform/upstream/work-cost.js'

/**
 * The queue of this contract: `/video/queue` and `/video/retrieve` below the URL. It gets the
 * original request. The job's id is the Idempotency-Key, so an order that is sent again is made
 * once.
 */
export function createFareboxVideos(options: VideoProtocolOptions): VideoProtocol {
  const { modelNames = {} } = options
  const base = removeTrailingSlashes(options.url)
  const { host, origin } = new URL(base)
  const { ask, json, video, cost, failed } = createVideoRequests(options)
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
      const response = await post('/video/queue', body, signal, { 'idempotency-key': jobId })
      const { model: named, queue_id, download_url } = await json(response)
      if (typeof named !== 'string' || typeof queue_id !== 'string')
        throw failed('sent no id of the queued video')
      const id = {
        model: named,
        queue_id,
        ...(typeof download_url === 'string' && { download_url }),
      }
      return { id, ...cost(response) }
    },

    collect: async ({ model, queue_id, download_url }, signal) => {
      const response = await post('/video/retrieve', { model, queue_id }, signal).catch(
        (error: unknown) => {
          // in this contract, 500 is final for a video
          if (error instanceof VideoError && error.failure?.status === 500)
            throw failed('returned 500')
          throw error
        },
      )
      if (response.headers.get('content-type')?.startsWith('video/') === true)
        return video(response)
      const { status } = await json(response)
      return status === 'COMPLETED' ? download(download_url, signal) : undefined
    },
  }

  /** Only from the upstream's origin, since its response could name a host of our network. */
  async function download(url: string | undefined, signal: AbortSignal): Promise<Uint8Array> {
    if (url === undefined || !URL.canParse(url) || new URL(url).origin !== origin)
      throw failed('named another host for the video, which is not contacted')
    return video(await ask(url, {}, signal, false))
  }
}

/**
 * The videos API of OpenAI: `POST /videos`, `GET /videos/{id}` and `GET /videos/{id}/content` below
 * the URL. It takes a prompt, seconds, a size, and at most one image to begin with.
 */
export function createOpenaiVideos(options: VideoProtocolOptions): VideoProtocol {
  const { modelNames = {} } = options
  const base = removeTrailingSlashes(options.url)
  const { host } = new URL(base)
  const { ask, json, video, cost, failed, rejected } = createVideoRequests(options)

  return {
    host,
    order: async (task, signal) => {
      const fields = toFields(task, modelNames[task.model.id] ?? task.model.id)
      const response = await ask(
        `${base}/videos`,
        { method: 'POST', ...toRequestInit(fields, findImage(task.media)) },
        signal,
      )
      const { id } = await json(response)
      if (typeof id !== 'string' || !/^[\w.:-]{1,200}$/.test(id))
        throw failed('sent no id of the queued video')
      return { id: { id }, ...cost(response) }
    },

    collect: async ({ id = '' }, signal) => {
      const { status, error } = await json(await ask(`${base}/videos/${id}`, {}, signal))
      if (status === 'queued' || status === 'in_progress') return undefined
      if (status === 'completed')
        return video(await ask(`${base}/videos/${id}/content`, {}, signal))
      // the upstream is well, and other requests may go to it
      if (status === 'failed' && isModeration(error)) throw rejected(error)
      throw failed(
        status === 'failed'
          ? `could not make a video (${readCode(error)})`
          : 'sent no status of a video',
      )
    },
  }
}

function toFields(
  { prompt, seconds, width, height }: VideoTask,
  model: string,
): Readonly<Record<string, string>> {
  return { model, prompt, seconds: String(seconds), size: `${width}x${height}` }
}

/** The first frame. Throws a VideoError for media that the format has no field for. */
function findImage(media: readonly Medium[]): string | undefined {
  const [image, ...others] = media
  if (others.length > 0 || (image && image.role !== 'image'))
    throw new VideoError(
      'The upstream of this model takes one image to begin with, and no other media.',
      {
        failure: { kind: 'rejected', mayHaveBegun: false, isTransient: false },
      },
    )
  return image?.url
}

/** A form, as all services of this format take one. A form has no field for a URL. */
function toRequestInit(
  fields: Readonly<Record<string, string>>,
  image: string | undefined,
): Pick<RequestInit, 'body' | 'headers'> {
  const bytes = image === undefined ? undefined : decodeDataUrl(image)
  if (image !== undefined && !bytes) {
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...fields, input_reference: { image_url: image } }),
    }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  if (image !== undefined && bytes)
    form.set(
      'input_reference',
      new Blob([new Uint8Array(bytes)], { type: readMediaType(image) }),
      'image',
    )
  return { body: form }
}

function readMediaType(dataUrl: string): string {
  return /^data:([\w.+-]+\/[\w.+-]+)/i.exec(dataUrl)?.[1] ?? 'application/octet-stream'
}

/** The code of an error, without its message, which may quote the prompt. */
function readCode(error: unknown): string {
  const code = isRecord(error) ? error['code'] : undefined
  return typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? code : 'no code'
}

/** How an upstream names a video that it makes. */
export type RemoteId = NonNullable<SentOrder['id']>

/** A format of services that make videos. Its errors are VideoErrors with a failure. */
export type VideoProtocol = {
  readonly host: string
  readonly order: (
    task: VideoTask,
    signal: AbortSignal,
  ) => Promise<{ readonly id: RemoteId; readonly costMicroUsd?: bigint }>
  /** The video, or undefined while it is being made. */
  readonly collect: (id: RemoteId, signal: AbortSignal) => Promise<Uint8Array | undefined>
}

type VideoProtocolOptions = {
  readonly url: string
  /** Bearer token for this upstream. */
  readonly apiKey?: string
  /** In the log. Default: `the upstream`. */
  readonly name?: string
  /** The upstream's own names of models. */
  readonly modelNames?: Readonly<Record<string, string>>
  /** A response header with the cost in USD. */
  readonly costHeader?: string
  /** For one request. Default: 60,000. */
  readonly requestMs?: number
  readonly fetch?: typeof fetch
}

const maxVideoBytes = 512 * 1024 * 1024

/** Sends requests to one upstream and reads its responses. */
function createVideoRequests({
  apiKey,
  name = 'the upstream',
  costHeader,
  requestMs = 60_000,
  fetch,
}: VideoProtocolOptions) {
  const send = createTracedFetch(fetch)
  const failed = (what: string, failure: UpstreamFailure = lostResponse) =>
    new VideoError('The upstream could not make the video.', {
      trouble: `Video: ${name} ${what}`,
      failure,
    })

  const rejected = (
    error: unknown,
    failure: UpstreamFailure = { ...lostResponse, kind: 'rejected' },
  ) =>
    new VideoError(`The upstream does not take the request. ${readReason(error, apiKey)}`.trim(), {
      failure,
    })

  return {
    failed,
    rejected,

    /** A 2xx response. The time limit is that of its head, and of each pause in its body. */
    ask: async (
      url: string,
      init: RequestInit,
      signal: AbortSignal,
      withKey = true,
    ): Promise<Response> => {
      const headers = new Headers(init.headers)
      if (withKey && apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), requestMs).unref()
      // a redirect would get the key
      const all = {
        ...init,
        headers,
        signal: AbortSignal.any([signal, late.signal]),
        redirect: 'error' as const,
      }
      const response = await send(url, all).then(
        (chunks) => awaitChunks(chunks, timer),
        (error: unknown) => {
          clearTimeout(timer)
          signal.throwIfAborted()
          throw failed('could not be reached', readFetchFailure(error))
        },
      )
      const fault = await readUpstreamFault(response, apiKey)
      if (!fault) return response
      const failure = toUpstreamFailure(fault)
      if (fault.kind === 'rejected') throw rejected(fault.reason, failure)
      throw failed(
        `returned ${fault.status}${fault.kind === 'failed' ? '; check its key and its models' : ''}`,
        failure,
      )
    },

    json: async (response: Response): Promise<Readonly<Record<string, unknown>>> => {
      // polled again, as after a connection that broke off
      const value: unknown = await response.json().catch((error: unknown) => {
        throw failed('sent a response that is no JSON', readFetchFailure(error))
      })
      return isRecord(value) ? value : {}
    },

    video: async ({ body, headers }: Response): Promise<Uint8Array> => {
      const type = headers.get('content-type') ?? ''
      if (/json|text\/|html/.test(type)) throw failed('responded with text in place of a video')
      const bytes = await readBounded(body, maxVideoBytes).catch((error: unknown) => {
        throw failed('cut off the video', readFetchFailure(error))
      })
      if (!bytes) throw failed('sent a video that is too large')
      if (bytes.length === 0) throw failed('sent an empty video')
      return bytes
    },

    cost: (response: Response) => readCost(response.headers, costHeader),
  }
}

/** The response, for whose body the timer begins anew with each chunk. */
function awaitChunks(response: Response, timer: NodeJS.Timeout): Response {
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        timer.refresh()
        controller.enqueue(chunk)
      },
      flush: () => clearTimeout(timer),
    }),
  )
  return body ? new Response(body, response) : response
}
