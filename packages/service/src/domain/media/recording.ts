import type * as Mediabunny from 'mediabunny'
import type { Cloning } from '../models/speech-models.js'
import { claimsTooMuch, readBoxes } from './media-length.js'

/** Requirements of the model. */
export type RecordingRules = Pick<Cloning, 'formats' | 'minSampleSeconds'>

export type RecordingFault = { readonly message: string }

/** The fault of a recording. Undefined for a good one. Blocks the thread: run it in a worker. */
export async function checkRecording(
  bytes: Uint8Array,
  { formats, minSampleSeconds }: RecordingRules,
): Promise<RecordingFault | undefined> {
  const taken = formats.map((format) => format.toUpperCase()).join(', ')
  if (bytes.length === 0) return { message: `The file is empty; expected a recording as ${taken}.` }
  if (claimsTooMuch(bytes))
    return {
      message: `The file claims to have more samples than it has bytes; expected a recording as ${taken}.`,
    }
  const media = await import('mediabunny')
  const { ALL_FORMATS, BufferSource } = media
  const input = new media.Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
  try {
    const found = await readKind(input, media)
    if (found === undefined || !formats.includes(found))
      return { message: `The file is ${found?.toUpperCase() ?? 'not audio'}; expected ${taken}.` }
    const track = await input.getPrimaryAudioTrack()
    if (!track) return { message: `The file holds no sound; expected a recording as ${taken}.` }
    const seconds = await track.computeDuration()
    if (seconds >= minSampleSeconds) return undefined
    return {
      message: `The recording lasts ${seconds.toFixed(1)} s; this model needs ${minSampleSeconds} s at least.`,
    }
  } catch {
    return { message: `The file cannot be read as a recording; expected ${taken}.` }
  } finally {
    input.dispose()
  }
}

async function readKind(
  input: Mediabunny.Input,
  { FLAC, MP3, MP4, WAVE }: typeof Mediabunny,
): Promise<Cloning['formats'][number] | undefined> {
  const format = await input.getFormat().catch(() => undefined)
  if (format === MP3) return 'mp3'
  if (format === WAVE) return 'wav'
  if (format === FLAC) return 'flac'
  return format === MP4 ? 'm4a' : undefined
}

/**
 * Seconds that the header of an MP4 file states (`mvhd`, ISO/IEC 14496-12). Undefined without one.
 * For the files of a backend: a caller's own header may lie. Reads no sample tables.
 */
export function statedLength(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const find = (name: string, from: number, to: number) => {
    for (const box of readBoxes(view, from, to)) if (box.name === name) return box
    return undefined
  }
  const movie = find('moov', 0, bytes.length)
  const header = movie && find('mvhd', movie.from, movie.to)
  if (!header || header.to - header.from < 32) return undefined
  const isWide = view.getUint8(header.from) === 1
  const timescale = view.getUint32(header.from + (isWide ? 20 : 12))
  const duration = isWide
    ? Number(view.getBigUint64(header.from + 24))
    : view.getUint32(header.from + 16)
  return timescale > 0 && duration > 0 ? duration / timescale : undefined
}
