import { compose, discard, onAbort, type Send, sleep } from '@farebox/middleware'
import type { QueuedVideo } from '@farebox/types'
import { countSends, nothingSent } from './attempt.js'
import type { Sending } from './chain.js'
import { download } from './download.js'
import { FareboxError, isFareboxError } from './error.js'
import { mediaOf, onBodyEnd, reportBrokenBody } from './media-body.js'
import type { Data, Media, Methods } from './methods.js'
import type { Settings } from './options.js'
import { cleanError, fromThrown } from './to-error.js'

export type VideoOptions = {
  readonly signal?: AbortSignal
  /** The highest price. A video that costs more is not queued. Default: no quote. */
  readonly maxUsd?: number
  /**
   * Called when the media show a face. Show the policy text to the responsible person. `true`
   * attests all three points of `consents.seedance`, and the same request is sent again with it.
   * Without this function, or with `false`, the 409 is thrown.
   */
  readonly onConsent?: (question: ConsentQuestion) => boolean | Promise<boolean>
  /** Milliseconds between two polls. Default 5,000. */
  readonly pollMs?: number
  /**
   * Milliseconds after which the wait ends with an error that names the queue id. It ends early if
   * the next poll would come later. A download that has begun is not cut off. Default 30 minutes.
   */
  readonly deadlineMs?: number
  readonly onProgress?: (progress: VideoProgress) => void
}

export type ConsentQuestion = {
  readonly policyText: string
  /** The fields whose media show a face, if the service names them. */
  readonly roles: readonly string[]
  readonly message: string
}

/** The progress of a video. Store the video of `queued` to resume the wait after a crash. */
export type VideoProgress =
  | { readonly stage: 'quoted'; readonly usd: number }
  | { readonly stage: 'queued'; readonly video: QueuedVideo }
  | {
      readonly stage: 'processing'
      readonly queueId: string
      readonly status: string
      readonly averageMs: number
      readonly elapsedMs: number
    }
  | { readonly stage: 'downloading'; readonly queueId: string; readonly receivedBytes: number; readonly totalBytes?: number }

export type VideoInput = Parameters<Methods['queueVideo']>[0]

export type GenerateVideo = (input: VideoInput | QueuedVideo, options?: VideoOptions) => Promise<Media>

export type VideoTools = {
  readonly methods: Pick<Methods, 'queueVideo' | 'quoteVideo' | 'retrieveVideo'>
  /** Sends the request to `download_url`, without credentials. */
  readonly send: Send
  /** Whether a file may be fetched from an address of the service's choice. */
  readonly mayFetch: (url: string) => boolean
  /** `manual` unless every address may be fetched. */
  readonly redirect: 'manual' | 'follow'
  readonly now: () => number
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Queues a video, polls until it is complete, and downloads it. With a queued video instead of an
 * input it resumes the wait and queues nothing. The body of the response is the video/mp4 file,
 * unread. `download_url` is fetched without credentials, since it carries a signature (interface
 * specification, POST /video/queue, rule 4). A download that breaks off is resumed.
 */
export async function generateVideo(tools: VideoTools, input: VideoInput | QueuedVideo, options: VideoOptions = {}): Promise<Response> {
  const { signal, onProgress, pollMs = 5_000 } = options
  const video: QueuedVideo = 'queue_id' in input ? input : await queue(tools, input, options)
  const giveUpAt = tools.now() + (options.deadlineMs ?? 30 * 60_000)

  for (;;) {
    const answer = await retrieve(tools, video, giveUpAt, signal)
    if (answer instanceof Response) return answer
    onProgress?.(progress(video, answer))
    if (answer.status === 'COMPLETED') return fetchVideo(tools, video, options)
    if (tools.now() + pollMs >= giveUpAt) throw tooLong(video)
    await tools.wait(pollMs, signal).catch((error: unknown) => {
      throw fromThrown('retrieveVideo', error, signal, nothingSent)
    })
  }
}

/** One poll, which ends at the deadline at the latest. */
async function retrieve(
  { methods, now, wait }: VideoTools,
  { model, queue_id }: QueuedVideo,
  giveUpAt: number,
  signal: AbortSignal | undefined,
): Promise<Data<'retrieveVideo'>> {
  const question = new AbortController()
  const leave = onAbort(signal, () => question.abort(signal?.reason))
  if (signal?.aborted === true) question.abort(signal.reason)
  const answered = new AbortController()
  let late = false
  const end = () => {
    late = true
    question.abort()
  }
  wait(Math.max(0, giveUpAt - now()), answered.signal).then(end, () => undefined)
  try {
    const answer = await methods.retrieveVideo({ model, queue_id }, { signal: question.signal })
    if (answer instanceof Response) return mediaOf(onBodyEnd(answer, { end: leave }))
    leave()
    return answer
  } catch (error) {
    leave()
    throw late ? tooLong({ model, queue_id }) : error
  } finally {
    answered.abort()
  }
}

async function queue({ methods }: VideoTools, input: VideoInput, options: VideoOptions): Promise<QueuedVideo> {
  const { signal, maxUsd, onProgress } = options
  const call = signal === undefined ? {} : { signal }
  if (maxUsd !== undefined) {
    const { quote } = await methods.quoteVideo(quotable(input), call)
    onProgress?.({ stage: 'quoted', usd: quote })
    if (quote > maxUsd) throw tooDear(quote, maxUsd)
  }
  const video = await methods.queueVideo(input, call).catch(async (error: unknown) => {
    const question = consentQuestion(error)
    if (question === undefined || input.consents?.seedance !== undefined || !(await options.onConsent?.(question))) throw error
    return methods.queueVideo({ ...input, consents: { ...input.consents, seedance: attestation } }, call)
  })
  onProgress?.({ stage: 'queued', video })
  return video
}

const attestation = { confirmed_terms_and_privacy: true, confirmed_legal_right: true, confirmed_screening_acknowledged: true } as const

/** The fields of a request that determine its price. */
function quotable(input: VideoInput): Parameters<Methods['quoteVideo']>[0] {
  const { model, duration, aspect_ratio, resolution, upscale_factor, audio, video_url } = input
  return {
    model,
    duration,
    ...(aspect_ratio !== undefined && { aspect_ratio }),
    ...(resolution !== undefined && { resolution }),
    ...(upscale_factor !== undefined && { upscale_factor }),
    ...(audio !== undefined && { audio }),
    ...(video_url !== undefined && { video_url }),
  }
}

function consentQuestion(error: unknown): ConsentQuestion | undefined {
  if (!isFareboxError(error, 'queueVideo', 409)) return undefined
  const { body } = error
  if (!('consent' in body) || typeof body.error !== 'object') return undefined
  return { policyText: body.consent.policy_text, roles: body.face_media_roles ?? [], message: body.error.message }
}

function progress(video: QueuedVideo, answer: Exclude<Data<'retrieveVideo'>, Response>): VideoProgress {
  const { status, average_execution_time: averageMs, execution_duration: elapsedMs } = answer
  return { stage: 'processing', queueId: video.queue_id, status, averageMs, elapsedMs }
}

async function fetchVideo(tools: VideoTools, video: QueuedVideo, { signal, onProgress }: VideoOptions): Promise<Response> {
  const { queue_id: queueId, download_url: url } = video
  if (url === undefined) {
    throw new FareboxError(
      `retrieveVideo: ${queueId} is COMPLETED, but the service sent neither the file nor, when it was queued, a download_url. ` +
        'If you stored the result of queueVideo, store its download_url too.',
      { code: 'unexpected_response', operation: 'retrieveVideo' },
    )
  }
  if (!tools.mayFetch(url)) throw foreign(video, url)
  const counted = countSends(tools.send)
  const response = await download({
    url,
    send: counted.send,
    wait: tools.wait,
    redirect: tools.redirect,
    ...(signal && { signal }),
    onBytes: (receivedBytes, totalBytes) =>
      onProgress?.({ stage: 'downloading', queueId, receivedBytes, ...(totalBytes !== undefined && { totalBytes }) }),
  }).catch((error: unknown) => {
    throw fromThrown('retrieveVideo', error, signal, counted.now())
  })
  if (response.ok) return reportBrokenBody('retrieveVideo', response, signal, counted.now)
  await discard(response)
  throw new FareboxError(
    `The download of ${queueId} was answered with ${response.status}. It may be tried again within 24 hours of queueing.` +
      (response.status >= 400 ? '' : " Redirects are followed with downloadOrigins: 'any' alone."),
    {
      code: `http_${response.status}`,
      operation: 'retrieveVideo',
      status: response.status,
    },
  )
}

/** A service could name an address within the caller's own network. */
function foreign({ queue_id }: QueuedVideo, url: string): FareboxError {
  const origin = URL.canParse(url) ? new URL(url).origin : 'an invalid address'
  return new FareboxError(
    `retrieveVideo: ${queue_id} is COMPLETED, but its file is at ${origin}, which is not allowed. Nothing was fetched. ` +
      'Name the origin in createFarebox({ downloadOrigins }), and resume the queued video.',
    { code: 'download_origin', operation: 'retrieveVideo' },
  )
}

function tooDear(quote: number, maxUsd: number): FareboxError {
  return new FareboxError(`queueVideo: the video costs ${quote} USD, more than the ${maxUsd} USD of maxUsd. Nothing was queued.`, {
    code: 'price_above_limit',
    operation: 'queueVideo',
    attempts: 0,
  })
}

function tooLong(video: QueuedVideo): FareboxError {
  return new FareboxError(
    `${video.queue_id} was not COMPLETED before the deadline. Go on with generateVideo({ model: '${video.model}', queue_id: '${video.queue_id}' }).`,
    { code: 'deadline', operation: 'retrieveVideo' },
  )
}

/** The method `generateVideo`. Its downloads have retries and timeouts, and no credentials. */
export function videoMethod(settings: Settings, sending: Sending, fetching: Send, methods: Methods): GenerateVideo {
  const send = compose(fetching, [...sending.retryOf(), ...sending.request])
  const tools = { methods, send, ...fetchable(settings), now: Date.now, wait: sleep }
  return async (input, options) => {
    try {
      return mediaOf(await generateVideo(tools, input, options))
    } catch (error) {
      throw error instanceof FareboxError ? cleanError(error, sending.redact, options?.signal?.reason) : error
    }
  }
}

/** Which of the addresses that the service names may be fetched. */
function fetchable({ baseUrl, downloadOrigins = [baseUrl] }: Settings): Pick<VideoTools, 'mayFetch' | 'redirect'> {
  if (downloadOrigins === 'any') return { mayFetch: () => true, redirect: 'follow' }
  const origins = downloadOrigins.map((allowed) => new URL(allowed).origin)
  return { mayFetch: (url) => URL.canParse(url) && origins.includes(new URL(url).origin), redirect: 'manual' }
}
