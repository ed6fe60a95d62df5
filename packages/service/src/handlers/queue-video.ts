import { fingerprintOf, insufficientBalance } from '../http/billing.js'
import { fieldFault, keyConflict } from '../http/http-error.js'
import { needsConsent } from '../contract/needs-consent.js'
import type { VideoJob } from '../domain/video/jobs.js'
import { videoPrice } from '../domain/video/read-order.js'
import { mediaLifetimeMs } from '../domain/video/video-worker.js'
import type { Answer, Context, Handler } from '../contract/handler.js'
import { orderIn } from './order-in.js'

/** A hold for a video that is queued; its job ends it long before. */
const holdMs = 2 * mediaLifetimeMs

/** Queues a video: its price is held, charged when the video is there, and given back when none can be made. */
export const queueVideo: Handler<'queueVideo'> = async (context) => {
  const { input, given, caller, request, requestId, services } = context
  const { ledger, terms, video } = services
  if (caller.kind === 'anonymous') throw new Error('queueVideo was reached without a caller')
  const order = await orderIn(context)
  if (order.model.asksConsent && order.media.length > 0 && !isAttested(input.consents)) {
    const roles = await video.detectFaces(order.media)
    if (roles.length > 0) throw needsConsent(roles, terms.origin)
  }
  const { account } = caller
  const idempotencyKey = request.headers.get('idempotency-key')
  const fingerprint = fingerprintOf(input)
  const earlier = idempotencyKey === null ? undefined : await video.jobs.findByKey(account, idempotencyKey)
  if (earlier) return repeated(earlier, fingerprint, context)

  const price = videoPrice(order, input.resolution)
  const keyId = caller.kind === 'key' ? caller.keyId : undefined
  const purchase = { account, amount: price, requestId, modelId: order.model.id, ...(keyId !== undefined && { keyId }) }
  const held = await ledger.hold(purchase, holdMs)
  if (held.status === 'insufficient') throw await insufficientBalance(caller, terms, held, price)
  const { job, isNew } = await video.jobs.add({
    account,
    model: order.model.id,
    // as it was given: an upstream has defaults of its own, and may refuse ours where a model takes no such field
    request: Object.fromEntries(Object.entries(input).filter(([name]) => given.has(name))),
    seconds: order.seconds,
    fingerprint,
    holdId: held.id,
    price,
    isPrivate: order.model.isPrivate,
    idempotencyKey,
  })
  if (!isNew) {
    await ledger.release(held.id)
    return repeated(job, fingerprint, context)
  }
  video.worker.wake()
  return { ...describe(job, context), balance: held.balance }
}

/** The attestation is all or nothing: each of its three members true, and no other. The contract's validator has looked at the members. */
function isAttested(consents: Context<'queueVideo'>['input']['consents']): boolean {
  const seedance = consents?.seedance
  if (seedance === undefined) return false
  if (Object.keys(seedance).length !== 3) throw fieldFault('consents', 'seedance: Expected its three members and no other.')
  return true
}

async function repeated(job: VideoJob, fingerprint: string, context: Context<'queueVideo'>): Promise<Answer<'queueVideo'>> {
  if (job.fingerprint !== fingerprint) throw keyConflict()
  const answer = describe(job, context)
  return { ...answer, headers: { ...answer.headers, 'idempotent-replayed': 'true' } }
}

function describe(job: VideoJob, { services: { video } }: Context<'queueVideo'>): Answer<'queueVideo'> & { readonly json: unknown } {
  const { id, model, isPrivate, createdAt } = job
  const url = isPrivate ? { download_url: video.urls.sign(id, createdAt + mediaLifetimeMs) } : {}
  return { json: { model, queue_id: id, ...url }, headers: { 'x-farebox-backend': video.backend.name }, modelId: model }
}
