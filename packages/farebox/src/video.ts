import { discard, isRecord, onAbort, sleep, type Send } from '@farebox/middleware'
import type { QueuedVideo } from '@farebox/types'
import { callStatistics, initialState, type CallState } from './call.js'
import type { Chain } from './chain.js'
import { findFault, positive, type Rules } from './check-options.js'
import { download } from './download.js'
import { FareboxError, isFareboxError } from './error.js'
import type { Data, Methods } from './methods.js'
import type { Settings } from './options.js'
import { toMedia, type Media } from './result.js'
import { watchBody } from './timeout.js'
import { cleanError, errorFromBody, errorFromThrown, nothingSent } from './to-error.js'

// Code that only videos need. `farebox.ts` loads this file with `import()`, and nothing else may
// import it.

export type VideoOptions = {
  readonly signal?: AbortSignal
  /** The Idempotency-Key of the order. Default: a new key. */
  readonly idempotencyKey?: string
  /** The highest price in USD. A more expensive video is not queued. Default: no quote. */
  readonly maxUsd?: number
  /**
   * Called when the media show a face. Show the policy text to the responsible person. `true`
   * attests all three points of `consents.seedance` and sends the request again with them. Without
   * this function, or with `false`, the 409 is thrown.
   */
  readonly onConsent?: (question: ConsentQuestion) => boolean | Promise<boolean>
  /** Milliseconds between two polls. Default 5,000. */
  readonly pollMs?: number
  /**
   * Milliseconds after which the wait ends with an error that names the queue id. It ends earlier
   * if the next poll would be too late. A download in progress is not cut off. Default 30 minutes.
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
  | {
      readonly stage: 'downloading'
      readonly queueId: string
      readonly receivedBytes: number
      readonly totalBytes?: number
    }

export type VideoInput = Parameters<Methods['queueVideo']>[0]

export type GenerateVideo = (
  input: VideoInput | QueuedVideo,
  options?: VideoOptions,
) => Promise<Media>

/** What `generateVideo` needs of the SDK. */
export type VideoTools = {
  readonly methods: Pick<Methods, 'queueVideo' | 'quoteVideo' | 'retrieveVideo'>
  /** Sends the request to `download_url`, without credentials. */
  readonly send: Send
  /** Whether an address that the service names may be fetched. */
  readonly mayFetch: (url: string) => boolean
  /** `manual` unless every address may be fetched. */
  readonly redirect: 'manual' | 'follow'
  readonly now: () => number
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** The method `generateVideo`. Its downloads have retries and timeouts, and no credentials. */
export function createGenerateVideo(
  settings: Settings,
  chain: Chain,
  methods: Methods,
): GenerateVideo {
  const tools = {
    methods,
    send: chain.createDownloadSend(),
    ...createDownloadPolicy(settings),
    now: Date.now,
    wait: sleep,
  }
  return async (input, options) => {
    try {
      return toMedia(await generateVideo(tools, input, options))
    } catch (error) {
      throw error instanceof FareboxError
        ? cleanError(error, chain.redact, options?.signal?.reason)
        : error
    }
  }
}

/** A service could name an address within the caller's own network. */
function createDownloadPolicy({
  baseUrl,
  downloadOrigins = [baseUrl],
}: Settings): Pick<VideoTools, 'mayFetch' | 'redirect'> {
  if (downloadOrigins === 'any') return { mayFetch: () => true, redirect: 'follow' }
  const origins = downloadOrigins.map((downloadOrigin) => new URL(downloadOrigin).origin)
  return {
    mayFetch: (url) => URL.canParse(url) && origins.includes(new URL(url).origin),
    redirect: 'manual',
  }
}

const notNegative: typeof positive = (value) => (value === 0 ? undefined : positive(value))

const rules: Rules<VideoOptions> = {
  signal: true,
  idempotencyKey: true,
  maxUsd: notNegative,
  onConsent: true,
  pollMs: notNegative,
  deadlineMs: notNegative,
  onProgress: true,
}

/**
 * Queues a video, polls until it is complete, and downloads it. With a queued video instead of an
 * input, resumes the wait and queues nothing. The body of the response is the video/mp4 file,
 * unread. `download_url` is fetched without credentials, since it is signed (interface
 * specification, POST /video/queue, rule 4). A download that breaks off is resumed.
 */
export async function generateVideo(
  tools: VideoTools,
  input: VideoInput | QueuedVideo,
  options: VideoOptions = {},
): Promise<Response> {
  const fault = isRecord(input)
    ? findFault(options, rules, 'generateVideo')
    : 'the input is not an object of fields.'
  if (fault !== undefined)
    throw new FareboxError(`generateVideo: ${fault} Nothing was sent.`, {
      code: 'invalid_input',
      attempts: 0,
    })
  const { signal, onProgress, pollMs = 5_000 } = options
  const video: QueuedVideo = 'queue_id' in input ? input : await queue(tools, input, options)
  const deadline = tools.now() + (options.deadlineMs ?? 30 * 60_000)

  for (;;) {
    const result = await poll(tools, video, deadline, signal)
    if (result instanceof Response) return result
    onProgress?.(toProgress(video, result))
    if (result.status === 'COMPLETED') return fetchVideo(tools, video, options)
    if (tools.now() + pollMs >= deadline) throw createDeadlineError(video)
    await tools.wait(pollMs, signal).catch((error: unknown) => {
      throw errorFromThrown('retrieveVideo', error, signal, nothingSent)
    })
  }
}

async function queue(
  { methods }: VideoTools,
  input: VideoInput,
  options: VideoOptions,
): Promise<QueuedVideo> {
  const { signal, idempotencyKey, maxUsd, onProgress } = options
  const call = signal === undefined ? {} : { signal }
  const order = idempotencyKey === undefined ? call : { ...call, idempotencyKey }
  if (maxUsd !== undefined) {
    const { quote } = await methods.quoteVideo(pickPriceFields(input), call)
    onProgress?.({ stage: 'quoted', usd: quote })
    if (quote > maxUsd) throw createPriceError(quote, maxUsd)
  }
  const video = await methods.queueVideo(input, order).catch(async (error: unknown) => {
    const question = readConsentQuestion(error)
    if (
      question === undefined ||
      input.consents?.seedance !== undefined ||
      !(await options.onConsent?.(question))
    )
      throw error
    return methods.queueVideo(
      { ...input, consents: { ...input.consents, seedance: attestation } },
      order,
    )
  })
  onProgress?.({ stage: 'queued', video })
  return video
}

const attestation = {
  confirmed_terms_and_privacy: true,
  confirmed_legal_right: true,
  confirmed_screening_acknowledged: true,
} as const

/** The fields of a request that determine its price. */
function pickPriceFields(input: VideoInput): Parameters<Methods['quoteVideo']>[0] {
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

function readConsentQuestion(error: unknown): ConsentQuestion | undefined {
  if (!isFareboxError(error, 'queueVideo', 409)) return undefined
  const { body } = error
  if (!('consent' in body) || typeof body.error !== 'object') return undefined
  return {
    policyText: body.consent.policy_text,
    roles: body.face_media_roles ?? [],
    message: body.error.message,
  }
}

/** Polls once, until the deadline at most. */
async function poll(
  { methods, now, wait }: VideoTools,
  { model, queue_id }: QueuedVideo,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Response | VideoStatus> {
  const request = new AbortController()
  const leave = onAbort(signal, () => request.abort(signal?.reason))
  if (signal?.aborted === true) request.abort(signal.reason)
  const timer = new AbortController()
  let isLate = false
  const expire = () => {
    isLate = true
    request.abort()
  }
  wait(Math.max(0, deadline - now()), timer.signal).then(expire, () => undefined)
  try {
    const result = await methods.retrieveVideo({ model, queue_id }, { signal: request.signal })
    if (result instanceof Response) return watchBody(result, { onEnd: leave })
    leave()
    return result
  } catch (error) {
    leave()
    throw isLate ? createDeadlineError({ model, queue_id }) : error
  } finally {
    timer.abort()
  }
}

type VideoStatus = Exclude<Data<'retrieveVideo'>, Response>

function toProgress(video: QueuedVideo, result: VideoStatus): VideoProgress {
  const { status, average_execution_time: averageMs, execution_duration: elapsedMs } = result
  return { stage: 'processing', queueId: video.queue_id, status, averageMs, elapsedMs }
}

async function fetchVideo(
  tools: VideoTools,
  video: QueuedVideo,
  { signal, onProgress }: VideoOptions,
): Promise<Response> {
  const { queue_id: queueId, download_url: url } = video
  if (url === undefined) {
    throw new FareboxError(
      `retrieveVideo: ${queueId} is COMPLETED, but the service sent neither the file nor, when it was queued, a download_url. ` +
        'If you stored the result of queueVideo, store its download_url too.',
      { code: 'unexpected_response', operation: 'retrieveVideo' },
    )
  }
  if (!tools.mayFetch(url)) throw createOriginError(video, url)
  const state: CallState = { ...initialState, requests: [] }
  const response = await download({
    url,
    send: (call) => tools.send(Object.assign({}, call, { state })),
    wait: tools.wait,
    redirect: tools.redirect,
    ...(signal && { signal }),
    onBytes: (receivedBytes, totalBytes) =>
      onProgress?.({
        stage: 'downloading',
        queueId,
        receivedBytes,
        ...(totalBytes !== undefined && { totalBytes }),
      }),
    toBodyError: (...bodyFailure) =>
      errorFromBody('retrieveVideo', ...bodyFailure, signal, callStatistics(state)),
  }).catch((error: unknown) => {
    throw errorFromThrown('retrieveVideo', error, signal, callStatistics(state))
  })
  if (response.ok) return response
  await discard(response)
  throw new FareboxError(
    `The download of ${queueId} failed with ${response.status}. You can try it again within 24 hours of queueing.` +
      (response.status >= 400 ? '' : " Only downloadOrigins: 'any' follows redirects."),
    {
      code: `http_${response.status}`,
      operation: 'retrieveVideo',
      status: response.status,
    },
  )
}

function createOriginError({ queue_id }: QueuedVideo, url: string): FareboxError {
  const origin = URL.canParse(url) ? new URL(url).origin : 'an invalid address'
  return new FareboxError(
    `retrieveVideo: ${queue_id} is COMPLETED, but its file is at ${origin}, which is not allowed. Nothing was fetched. ` +
      'Name the origin in createFarebox({ downloadOrigins }), and resume the queued video.',
    { code: 'download_origin', operation: 'retrieveVideo' },
  )
}

function createPriceError(quote: number, maxUsd: number): FareboxError {
  return new FareboxError(
    `queueVideo: the video costs ${quote} USD, more than the ${maxUsd} USD of maxUsd. Nothing was queued.`,
    {
      code: 'price_above_limit',
      operation: 'queueVideo',
      attempts: 0,
    },
  )
}

function createDeadlineError(video: QueuedVideo): FareboxError {
  return new FareboxError(
    `${video.queue_id} was not COMPLETED before the deadline. Resume it with generateVideo({ model: '${video.model}', queue_id: '${video.queue_id}' }).`,
    { code: 'deadline', operation: 'retrieveVideo' },
  )
}
