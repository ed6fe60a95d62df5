import { FileError } from '../../platform/workers/file-error.js'
import { claimsTooMuch } from './claimed-samples.js'
import { bytesOfDataUrl } from './data-url.js'

/** A longer video does not fit into a request. */
const longestSeconds = 86_400

/**
 * Faster videos are worth longer ones: the work grows with the pictures, and times can be forged.
 */
const maxPicturesPerSecond = 60

/**
 * Seconds of the video in a data URL, at least a sixtieth for each picture. Throws a FileError.
 * Blocks the thread: run it in a worker.
 */
export async function lengthOfVideo(url: Uint8Array): Promise<number> {
  const bytes = bytesOfDataUrl(new TextDecoder().decode(url))
  if (!bytes)
    throw new FileError(
      'corrupt',
      'The data URL is malformed. Expected data:video/mp4;base64, and the video in base64.',
    )
  if (claimsTooMuch(bytes))
    throw new FileError('corrupt', 'The video claims to have more samples than it has bytes.')
  const seconds = await measured(bytes)
  if (seconds > 0 && seconds <= longestSeconds) return seconds
  throw new FileError(
    'corrupt',
    `The video has no length between 0 and ${longestSeconds} s. Expected MP4, MOV or WebM.`,
  )
}

/** NaN for other files. */
async function measured(bytes: Uint8Array): Promise<number> {
  const { BufferSource, Input, MATROSKA, MP4, QTFF, WEBM } = await import('mediabunny')
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF, WEBM, MATROSKA] })
  try {
    const tracks = await input.getVideoTracks()
    const pictures = await Promise.all(
      tracks.map(async (track) => (await track.computePacketStats()).packetCount),
    )
    return Math.max(
      await input.computeDuration(),
      ...pictures.map((count) => count / maxPicturesPerSecond),
    )
  } catch {
    return NaN
  } finally {
    input.dispose()
  }
}
