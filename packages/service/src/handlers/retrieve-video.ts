import { failure } from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'

/** The estimate before the first video of a model, in milliseconds. */
const usualMs = 5_000

/** The progress of a video, and in the end the video itself, unless it has a download URL. */
export const retrieveVideo: Handler<'retrieveVideo'> = async ({ input, caller, services }) => {
  const { jobs, backend } = services.video
  const { queue_id, model, delete_media_on_completion } = input
  const isId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(queue_id)
  const job = isId ? await jobs.find(queue_id, caller.account) : undefined
  if (job?.model !== model)
    return failure(404, 'There is no such video of yours, or not any more.', 'MEDIA_NOT_FOUND')
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
  if (!job.hasMedia) return failure(404, 'The video was taken away.', 'MEDIA_NOT_FOUND')
  if (job.isPrivate) return progress('COMPLETED')
  const media = await jobs.media(job.id)
  if (!media) return failure(404, 'The video was taken away.', 'MEDIA_NOT_FOUND')
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
