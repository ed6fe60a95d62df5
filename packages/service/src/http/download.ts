import { failure } from '../contract/failures.js'
import type { ImageStore } from '../domain/downloads/downloads.js'
import type { VideoServices } from '../domain/video/video-worker.js'
import { mediaLifetimeMs } from '../domain/video/video-job.js'
import { HttpError, type Reply } from './reply.js'

type Sources = Pick<VideoServices, 'jobs' | 'urls'> & { readonly images: ImageStore }

/**
 * Handles a request to a download URL: a finished video or an image, or a range of it (RFC 9110,
 * section 14). DELETE deletes a video.
 */
export async function serveDownload(
  request: Request,
  { jobs, urls, images }: Sources,
  now: number,
): Promise<Reply> {
  const download = urls.verify(new URL(request.url), now)
  if (!download)
    throw new HttpError(
      failure(403, 'The signature of this URL is not valid.', 'INVALID_SIGNATURE'),
    )
  const { id } = download
  const isExpired = download.status === 'expired'
  if (download.kind === 'image') {
    if (isExpired) throw gone('This URL has expired.')
    const image = await images.find(id)
    if (!image) throw gone('The image no longer exists.')
    return serveFile(request, image.bytes, `image/${image.format}`, id)
  }
  const job = await jobs.find(id)
  if (!job) throw gone('The video no longer exists.')
  // its URL is as old as the order, which may have waited for its turn
  const { finishedAt = now } = job
  if (isExpired && now >= finishedAt + mediaLifetimeMs) throw gone('This URL has expired.')
  if (job.state === 'failed') throw gone('The video could not be made.')
  if (job.state !== 'completed')
    throw new HttpError(
      failure(
        404,
        'The video is not finished. Poll /video/retrieve until it is COMPLETED.',
        'NOT_READY',
        { 'retry-after': '2' },
      ),
    )
  if (request.method === 'DELETE') {
    await jobs.deleteMedia(job.id)
    return { status: 204, body: null, headers: {} }
  }
  const media = await jobs.media(job.id)
  if (!media) throw gone('The video was deleted.')
  return serveFile(request, media, 'video/mp4', id)
}

function serveFile(request: Request, media: Uint8Array, contentType: string, id: string): Reply {
  const headers = {
    'content-type': contentType,
    'accept-ranges': 'bytes',
    etag: `"${id}"`,
    'cache-control': 'private, no-store',
  }
  const matches = request.headers.get('if-range')
  const range =
    matches === null || matches === headers.etag
      ? parseRange(request.headers.get('range'), media.length)
      : undefined
  if (range === 'unsatisfiable')
    return {
      status: 416,
      body: null,
      headers: { ...headers, 'content-range': `bytes */${media.length}` },
    }
  const part = range ? media.subarray(range.first, range.last + 1) : media
  const body = request.method === 'HEAD' ? null : new Uint8Array(part)
  if (!range)
    return { status: 200, body, headers: { ...headers, 'content-length': String(media.length) } }
  return {
    status: 206,
    body,
    headers: {
      ...headers,
      'content-range': `bytes ${range.first}-${range.last}/${media.length}`,
      'content-length': String(part.length),
    },
  }
}

type Range = { readonly first: number; readonly last: number }

/**
 * One range of bytes. Undefined for several ranges or another unit, which get everything, as RFC
 * 9110 allows.
 */
function parseRange(header: string | null, size: number): Range | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '')
    return Number(to) === 0
      ? 'unsatisfiable'
      : { first: Math.max(0, size - Number(to)), last: size - 1 }
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < Number(from)) return undefined
  return Number(from) >= size ? 'unsatisfiable' : { first: Number(from), last }
}

function gone(message: string) {
  return new HttpError(failure(410, message, 'GONE'))
}
