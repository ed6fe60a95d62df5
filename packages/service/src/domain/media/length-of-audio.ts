import type * as Mediabunny from 'mediabunny'
import { FileError } from '../../platform/workers/file-error.js'
import { claimsTooMuch } from './claimed-samples.js'

export type AudioFormat = 'mp3' | 'wav' | 'flac' | 'm4a' | 'ogg' | 'webm'

/** What a recording is, by its content. */
export type AudioFacts = { readonly format: AudioFormat; readonly seconds: number }

const longestSeconds = 86_400
const taken = 'MP3, WAV, FLAC, M4A, OGG or WebM'

/**
 * The format of a recording, and its length by its packets: a header may lie. Throws a FileError.
 * Blocks the thread: run it in a worker.
 */
export async function readAudio(bytes: Uint8Array): Promise<AudioFacts> {
  if (bytes.length === 0) throw new FileError('corrupt', `The file is empty; expected ${taken}.`)
  if (claimsTooMuch(bytes))
    throw new FileError('corrupt', 'The file claims to have more samples than it has bytes.')
  const media = await import('mediabunny')
  const input = new media.Input({
    source: new media.BufferSource(bytes),
    formats: media.ALL_FORMATS,
  })
  try {
    const format = findFormat(await input.getFormat().catch(() => undefined), media)
    const track = format && (await input.getPrimaryAudioTrack())
    const seconds = track ? await track.computeDuration() : NaN
    if (format && seconds > 0 && seconds <= longestSeconds) return { format, seconds }
  } catch {
    // as for a file without sound
  } finally {
    input.dispose()
  }
  throw new FileError(
    'corrupt',
    `The length of the recording cannot be read; expected ${taken} with sound.`,
  )
}

function findFormat(
  format: Mediabunny.InputFormat | undefined,
  { FLAC, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM }: typeof Mediabunny,
): AudioFormat | undefined {
  if (format === undefined) return undefined
  if (format === MP3) return 'mp3'
  if (format === WAVE) return 'wav'
  if (format === FLAC) return 'flac'
  if (format === MP4 || format === QTFF) return 'm4a'
  if (format === OGG) return 'ogg'
  return format === WEBM || format === MATROSKA ? 'webm' : undefined
}
