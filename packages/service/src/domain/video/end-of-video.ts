import { statedLength } from '../media/stated-length.js'
import type { JobEnd } from './job-ends.js'
import { isLengthUnknown, longestAtUrlSeconds, videoPrice, type VideoInput } from './read-order.js'
import { VideoError, type VideoOrder } from './video-backend.js'

/**
 * How the job of a made video ends: charged `held`, or less for one whose length is known only now.
 * Throws a VideoError when that length cannot be found.
 */
export function toJobEnd(media: Uint8Array, order: VideoOrder, { resolution }: VideoInput, held: bigint): JobEnd {
  if (!isLengthUnknown(order)) return { state: 'completed', price: held, media }
  const seconds = statedLength(media)
  if (seconds === undefined) throw new VideoError('The length of the video that was made is not known.')
  // a video has whole pictures, so it may be a little longer
  if (Math.floor(seconds) > longestAtUrlSeconds) {
    const failure = `The video lasts ${Math.ceil(seconds)} s; a video at a URL may last ${longestAtUrlSeconds} s. Send a longer one as a data URL. Its price was charged, as it was made.`
    return { state: 'failed', price: held, failure }
  }
  const price = videoPrice({ ...order, seconds }, resolution)
  return { state: 'completed', price: price < held ? price : held, media }
}
