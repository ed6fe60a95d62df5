import { HttpError, refusal } from '../http/http-error.js'
import type { Handler } from '../contract/handler.js'

/** What a video is thought to take before any was made, in milliseconds. */
const usualMs = 5_000

/** How far a video is; in the end the video itself, unless it is fetched from its download URL. */
export const retrieveVideo: Handler<'retrieveVideo'> = async ({ input, caller, services }) => {
  const { jobs, backend } = services.video
  const { queue_id, model, delete_media_on_completion } = input
  const isId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(queue_id)
  const job = isId && caller.kind !== 'anonymous' ? await jobs.find(queue_id, caller.account) : undefined
  if (job?.model !== model) throw refusal(404, 'There is no such video of yours, or not any more.', 'MEDIA_NOT_FOUND')
  const headers = { 'x-farebox-backend': backend.name }
  if (job.state === 'failed') {
    throw new HttpError(500, {
      error: `${job.failure ?? 'The video could not be made.'} Its price was given back.`,
      code: 'INFERENCE_FAILED',
    })
  }
  const status = async (state: 'PROCESSING' | 'COMPLETED') => ({
    json: {
      status: state,
      average_execution_time: Math.round((await jobs.averageMs(model)) ?? usualMs),
      execution_duration: Math.max(0, (job.finishedAt ?? services.now()) - job.createdAt),
    },
    headers,
  })
  if (job.state !== 'completed') return status('PROCESSING')
  if (!job.hasMedia) throw refusal(404, 'The video was taken away.', 'MEDIA_NOT_FOUND')
  if (job.isPrivate) return status('COMPLETED')
  const media = await jobs.media(job.id)
  if (!media) throw refusal(404, 'The video was taken away.', 'MEDIA_NOT_FOUND')
  const handOver = async function* () {
    yield media
    if (delete_media_on_completion) await jobs.deleteMedia(job.id)
  }
  return { stream: handOver(), contentType: 'video/mp4', headers: { ...headers, 'content-length': String(media.length) } }
}
