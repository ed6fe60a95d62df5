import {
  responseNotStored,
  failure,
  invalidField,
  idempotencyConflict,
  toFileFailure,
  invalidFields,
} from '../contract/failures.js'
import type { Context, Handler, Services } from '../contract/handler.js'
import { insufficientBalance } from '../contract/payment-required.js'
import type { RequestKey } from '../domain/ledger/ledger-types.js'
import { priceVideo, readOrder, type VideoInput } from '../domain/video/read-order.js'
import type { Medium } from '../domain/video/video-backend.js'
import type { InputsFull } from '../domain/video/video-inputs.js'
import { mediaLifetimeMs, type VideoJob } from '../domain/video/video-job.js'
import { toUsd } from '../domain/ledger/money.js'

/**
 * Queues a video. Its price is held, captured when the video is finished, and released when the
 * video fails.
 */
export const queueVideo: Handler<'queueVideo'> = async (context) => {
  const { input, given, caller, idempotency, requestId, fund, services } = context
  const { terms, video } = services
  const reading = await readVideoOrder(context)
  if (reading.kind === 'failure') return reading.failure
  const { order } = reading
  if (order.model.asksConsent && order.media.length > 0) {
    const { seedance } = input.consents ?? {}
    // the validator has checked that each of the three members is true
    if (seedance !== undefined && Object.keys(seedance).length !== 3)
      return invalidField('consents', 'seedance: Expected its three members and no other.')
    // every medium may show a face: asking for consent too often does less harm than not asking
    if (seedance === undefined)
      return consentRequired([...new Set(order.media.map(({ role }) => role))], terms.origin)
  }
  const { account } = caller
  const earlier = idempotency && (await video.jobs.findByKey(account, idempotency.key))
  if (earlier) return rejectRepeat(earlier, idempotency)

  const price = priceVideo(order, input.resolution)
  if (price > 0n) await fund(price)
  const keyId = caller.kind === 'key' ? caller.keyId : undefined
  const queued = await video.jobs.add({
    purchase: {
      account,
      amount: price,
      requestId,
      modelId: order.model.id,
      ...(keyId !== undefined && { keyId }),
    },
    // without our defaults: an upstream has its own, and may reject a field that its model lacks
    request: Object.fromEntries(Object.entries(input).filter(([name]) => given.has(name))),
    seconds: order.seconds,
    isPrivate: order.model.isPrivate,
    ...(idempotency && { idempotency }),
  })
  if (queued.status === 'insufficient')
    return insufficientBalance(caller, terms, 'queueVideo', queued, price)
  if (queued.status === 'full') return videoQueueFull(queued.whose)
  if (queued.status === 'known') return rejectRepeat(queued.job, idempotency)
  video.worker.wake()
  return { ...describe(queued.job, context), balance: queued.balance }
}

function videoQueueFull(whose: InputsFull) {
  const holder = whose === 'caller' ? 'Your queued videos hold' : 'The service holds'
  return failure(
    429,
    `${holder} the maximum size of prompts and media. Wait for a video to finish, or send less.`,
    'VIDEO_QUEUE_FULL',
    {
      'retry-after': '30',
    },
  )
}

function rejectRepeat(job: VideoJob, idempotency: RequestKey | undefined) {
  if (job.fingerprint !== idempotency?.fingerprint) return idempotencyConflict()
  return responseNotStored(
    'queued the video',
    job.id,
    'Retrieve that video, or use another Idempotency-Key for another one.',
  )
}

function describe(job: VideoJob, { services: { video, shown } }: Context<'queueVideo'>) {
  const { id, model, isPrivate, createdAt } = job
  const url = isPrivate
    ? {
        download_url: video.urls.sign(
          { kind: 'video', id, extension: 'mp4' },
          createdAt + mediaLifetimeMs,
        ),
      }
    : {}
  return {
    status: 200 as const,
    json: { model, queue_id: id, ...url },
    headers: { 'x-farebox-backend': shown(video.backend.name) },
    modelId: model,
  }
}

const policyText =
  `The media of this request may show human faces. By sending the request again with consents.seedance you confirm that you
agree to the terms and the privacy policy of this service, that you have the legal right to use these faces, with the consent of the people
shown where it is needed, and that you know that the media are screened before a video is made of them.`.replaceAll(
    '\n',
    ' ',
  )

/**
 * 409 with the media that show faces and the policy to accept (interface specification, POST
 * /video/queue, rule 2).
 */
function consentRequired(roles: readonly Medium['role'][], origin: string) {
  return {
    status: 409 as const,
    json: {
      error: {
        code: 'needs_consent' as const,
        message:
          'The media may show human faces. Read consent.policy_text and send the request again with consents.seedance.',
      },
      consent_flow: 'seedance',
      face_media_roles: [...roles],
      consent: { consent_version: '2026-01', policy_text: policyText },
      docs_url: `${origin}/`,
    },
  }
}

type OrderContext = {
  readonly input: VideoInput
  readonly given: ReadonlySet<string>
  readonly callerId: string
  readonly services: Pick<Services, 'catalogue' | 'media'>
}

/**
 * The order in a request for a video, or a failure. Videos in the request are read by a worker.
 */
async function readVideoOrder({ input, given, callerId, services }: OrderContext) {
  try {
    const reading = await readOrder(services.catalogue, input, given, (url) =>
      services.media.lengthOfVideo(url, callerId),
    )
    return reading.kind === 'order'
      ? reading
      : { kind: 'failure' as const, failure: invalidFields(reading.faults) }
  } catch (error) {
    return {
      kind: 'failure' as const,
      failure: toFileFailure(error, 'video_url', 'MEDIA_READER_OVERLOADED'),
    }
  }
}

/** The price of a video. */
export const quoteVideo: Handler<'quoteVideo'> = async (context) => {
  const reading = await readVideoOrder(context)
  if (reading.kind === 'failure') return reading.failure
  return {
    status: 200,
    json: { quote: toUsd(priceVideo(reading.order, context.input.resolution)) },
  }
}

/** The estimate before the first video of a model, in milliseconds. */
const usualMs = 5_000

/** The progress of a video, and in the end the video itself, unless it has a download URL. */
export const retrieveVideo: Handler<'retrieveVideo'> = async ({ input, caller, services }) => {
  const { jobs, backend } = services.video
  const { queue_id, model, delete_media_on_completion } = input
  const isId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(queue_id)
  const job = isId ? await jobs.find(queue_id, caller.account) : undefined
  if (job?.model !== model)
    return failure(404, 'You have no such video, or it was deleted.', 'MEDIA_NOT_FOUND')
  const headers = { 'x-farebox-backend': services.shown(backend.name) }
  if (job.state === 'failed') {
    return failure(500, job.failure ?? 'The video could not be made.', 'INFERENCE_FAILED')
  }
  const progress = async (state: 'PROCESSING' | 'COMPLETED') => ({
    status: 200 as const,
    json: {
      status: state,
      average_execution_time: Math.round((await jobs.averageMs(model)) ?? usualMs),
      execution_duration: Math.max(0, (job.finishedAt ?? services.now()) - job.createdAt),
    },
    headers,
  })
  if (job.state !== 'completed') return progress('PROCESSING')
  if (!job.hasMedia) return failure(404, 'The video was deleted.', 'MEDIA_NOT_FOUND')
  if (job.isPrivate) return progress('COMPLETED')
  const media = await jobs.media(job.id)
  if (!media) return failure(404, 'The video was deleted.', 'MEDIA_NOT_FOUND')
  const handOver = async function* () {
    yield media
    if (delete_media_on_completion) await jobs.deleteMedia(job.id)
  }
  return {
    status: 200,
    stream: handOver(),
    contentType: 'video/mp4',
    headers: { ...headers, 'content-length': String(media.length) },
  }
}
