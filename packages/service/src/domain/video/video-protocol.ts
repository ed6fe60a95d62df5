import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/is-record.js'
import { tracedFetch } from '../../platform/telemetry/spans.js'
import {
  failureOfError,
  failureOfFault,
  lostAnswer,
  type UpstreamFailure,
  upstreamFault,
} from '../../platform/upstream/upstream-failure.js'
import { readCost } from '../../platform/upstream/work-cost.js'
import { VideoError, type SentOrder, type VideoTask } from './video-backend.js'

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

export type VideoProtocolOptions = {
  readonly url: string
  /** Bearer token for this upstream alone. */
  readonly apiKey?: string
  /** In the log. Default: `the upstream`. */
  readonly name?: string
  /** What the upstream calls a model, where that is another name. */
  readonly modelNames?: Readonly<Record<string, string>>
  /** A response header with the cost in USD. */
  readonly costHeader?: string
  /** For one request. Default: 60,000. */
  readonly requestMs?: number
  readonly fetch?: typeof fetch
}

const maxVideoBytes = 512 * 1024 * 1024

/** Sends requests to one upstream and reads its answers. */
export function videoRequests({
  apiKey,
  name = 'the upstream',
  costHeader,
  requestMs = 60_000,
  fetch,
}: VideoProtocolOptions) {
  const send = tracedFetch(fetch)
  const failed = (what: string, failure: UpstreamFailure = lostAnswer) =>
    new VideoError('The upstream could not make the video.', {
      trouble: `Video: ${name} ${what}`,
      failure,
    })

  return {
    failed,

    /** An answer of 2xx. */
    ask: async (
      url: string,
      init: RequestInit,
      signal: AbortSignal,
      withKey = true,
    ): Promise<Response> => {
      const headers = new Headers(init.headers)
      if (withKey && apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
      // a redirect would get the key
      const all = {
        ...init,
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
        redirect: 'error' as const,
      }
      const response = await send(url, all).catch((error: unknown) => {
        signal.throwIfAborted()
        throw failed('could not be reached', failureOfError(error))
      })
      const fault = await upstreamFault(response, apiKey)
      if (!fault) return response
      const failure = failureOfFault(fault)
      if (fault.kind === 'refused')
        throw new VideoError(`The upstream does not take the request. ${fault.reason}`.trim(), {
          failure,
        })
      throw failed(
        `answered ${fault.status}${fault.kind === 'failed' ? '; look at its key and its models' : ''}`,
        failure,
      )
    },

    json: async (response: Response): Promise<Readonly<Record<string, unknown>>> => {
      const value: unknown = await response.json().catch(() => undefined)
      return isRecord(value) ? value : {}
    },

    video: async ({ body, headers }: Response): Promise<Uint8Array> => {
      const type = headers.get('content-type') ?? ''
      if (/json|text\/|html/.test(type)) throw failed('answered with text in place of a video')
      const bytes = await readBounded(body, maxVideoBytes).catch((error: unknown) => {
        throw failed('broke off the video', failureOfError(error))
      })
      if (!bytes) throw failed('gave a video that is too large')
      if (bytes.length === 0) throw failed('gave an empty video')
      return bytes
    },

    cost: (response: Response) => readCost(response.headers, costHeader),
  }
}
