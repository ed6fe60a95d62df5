import type * as Mediabunny from 'mediabunny'
import { FileError } from '../../platform/workers/worker-task.js'
import type { Cloning } from '../models/speech-models.js'

/** Reads the number of samples from the boxes of ISO/IEC 14496-12, after version and flags. */
const tables: Readonly<Record<string, (view: DataView) => number>> = {
  stts: sumRuns,
  ctts: sumRuns,
  stsz: (view) => view.getUint32(4),
  stz2: (view) => view.getUint32(4),
  trun: (view) => view.getUint32(0),
  saiz: (view) => view.getUint32(view.byteLength >= 13 ? 9 : 1),
}

const containers: ReadonlySet<string> = new Set(
  'moov trak mdia minf stbl moof traf mvex edts dinf mfra sinf schi wave udta'.split(' '),
)
const maxDepth = 16

/**
 * Whether the tables of an MP4 or MOV file claim more samples than the file has bytes. A table of a
 * kilobyte can claim four billion samples, and a reader makes an object of each.
 */
export function claimsTooMuch(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const claimed = new Map<string, number>()

  const isTooMuch = (start: number, end: number, depth: number): boolean => {
    for (const { name, from, to } of readBoxes(view, start, end)) {
      const count = Object.hasOwn(tables, name) && from + 4 <= to ? tables[name] : undefined
      if (count) {
        const sum =
          (claimed.get(name) ?? 0) +
          countOrZero(() =>
            count(new DataView(bytes.buffer, bytes.byteOffset + from + 4, to - from - 4)),
          )
        if (sum > bytes.length) return true
        claimed.set(name, sum)
      } else if (containers.has(name) && depth < maxDepth && isTooMuch(from, to, depth + 1))
        return true
    }
    return false
  }
  return isTooMuch(0, bytes.length, 0)
}

/** Entries of a number of samples and their common value. */
function sumRuns(view: DataView): number {
  const entries = Math.min(view.getUint32(0), Math.floor((view.byteLength - 4) / 8))
  let sum = 0
  for (let index = 0; index < entries; index++) sum += view.getUint32(4 + 8 * index)
  return sum
}

/** 0 for a truncated table. */
function countOrZero(count: () => number): number {
  try {
    return count()
  } catch {
    return 0
  }
}

/** The boxes of a range, without those inside them. */
function* readBoxes(view: DataView, start: number, end: number) {
  for (let at = start; at + 8 <= end;) {
    const short = view.getUint32(at)
    const wide = short === 1 && at + 16 <= end
    const size = wide ? Number(view.getBigUint64(at + 8)) : short === 0 ? end - at : short
    const from = at + (wide ? 16 : 8)
    if (size < from - at) return
    const name = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)))
    yield { name, from, to: Math.min(end, at + size) }
    at += size
  }
}

export type AudioFormat = 'mp3' | 'wav' | 'flac' | 'm4a' | 'ogg' | 'webm'

/** The format and length of a recording, by its content. */
export type AudioFacts = { readonly format: AudioFormat; readonly seconds: number }

const longestAudioSeconds = 86_400
const audioFormats = 'MP3, WAV, FLAC, M4A, OGG or WebM'

/**
 * The format of a recording, and its length by its packets: a header may be wrong. Throws a
 * FileError. Blocks the thread: run it in a worker.
 */
export async function readAudio(bytes: Uint8Array): Promise<AudioFacts> {
  if (bytes.length === 0)
    throw new FileError('corrupt', `The file is empty; expected ${audioFormats}.`)
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
    if (format && seconds > 0 && seconds <= longestAudioSeconds) return { format, seconds }
  } catch {
    // as for a file without sound
  } finally {
    input.dispose()
  }
  throw new FileError(
    'corrupt',
    `The length of the recording cannot be read; expected ${audioFormats} with sound.`,
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

/** A longer video does not fit into a request. */
const longestVideoSeconds = 86_400

/**
 * Faster videos are worth longer ones: the work grows with the pictures, and times can be forged.
 */
const maxPicturesPerSecond = 60

/**
 * Seconds of the video in a data URL, at least a sixtieth for each picture. Throws a FileError.
 * Blocks the thread: run it in a worker.
 */
export async function measureVideo(url: Uint8Array): Promise<number> {
  const bytes = decodeDataUrl(new TextDecoder().decode(url))
  if (!bytes)
    throw new FileError(
      'corrupt',
      'The data URL is malformed. Expected data:video/mp4;base64, and the video in base64.',
    )
  if (claimsTooMuch(bytes))
    throw new FileError('corrupt', 'The video claims to have more samples than it has bytes.')
  const seconds = await readDuration(bytes)
  if (seconds > 0 && seconds <= longestVideoSeconds) return seconds
  throw new FileError(
    'corrupt',
    `The video has no length between 0 and ${longestVideoSeconds} s. Expected MP4, MOV or WebM.`,
  )
}

/** NaN for files of another kind. */
async function readDuration(bytes: Uint8Array): Promise<number> {
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

/** Requirements of the model. */
export type RecordingRules = Pick<Cloning, 'formats' | 'minSampleSeconds'>

export type RecordingFault = { readonly message: string }

/** The fault of a recording. Undefined for a good one. Blocks the thread: run it in a worker. */
export async function checkRecording(
  bytes: Uint8Array,
  { formats, minSampleSeconds }: RecordingRules,
): Promise<RecordingFault | undefined> {
  const formatNames = formats.map((format) => format.toUpperCase()).join(', ')
  if (bytes.length === 0)
    return { message: `The file is empty; expected a recording as ${formatNames}.` }
  if (claimsTooMuch(bytes))
    return {
      message: `The file claims to have more samples than it has bytes; expected a recording as ${formatNames}.`,
    }
  const media = await import('mediabunny')
  const { ALL_FORMATS, BufferSource } = media
  const input = new media.Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
  try {
    const kind = await readKind(input, media)
    if (kind === undefined || !formats.includes(kind))
      return {
        message: `The file is ${kind?.toUpperCase() ?? 'not audio'}; expected ${formatNames}.`,
      }
    const track = await input.getPrimaryAudioTrack()
    if (!track)
      return { message: `The file holds no sound; expected a recording as ${formatNames}.` }
    const seconds = await track.computeDuration()
    if (seconds >= minSampleSeconds) return undefined
    return {
      message: `The recording lasts ${seconds.toFixed(1)} s; this model needs ${minSampleSeconds} s at least.`,
    }
  } catch {
    return { message: `The file cannot be read as a recording; expected ${formatNames}.` }
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
 * For files of a backend: the header of a caller's file may be wrong. Reads no sample tables.
 */
export function readHeaderDuration(bytes: Uint8Array): number | undefined {
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

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url)
}

/**
 * The bytes of a data URL (Fetch Standard, "data: URL processor"). Undefined for other text. Linear
 * in its length.
 */
export function decodeDataUrl(url: string): Uint8Array | undefined {
  const comma = url.indexOf(',')
  if (!isDataUrl(url) || comma < 0) return undefined
  const fragment = url.indexOf('#')
  if (fragment >= 0) return decodeDataUrl(url.slice(0, fragment))
  const data = url.slice(comma + 1)
  const bytes = data.includes('%') ? decodePercents(Buffer.from(data)) : data
  if (/; *base64$/i.test(url.slice(0, comma).trimEnd()))
    return Buffer.from(bytes.toString(), 'base64')
  return Buffer.from(bytes)
}

/** Decodes percent-encoded bytes in place. A `%` without two hex digits is kept. */
function decodePercents(text: Buffer): Buffer {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] === 0x25 ? toByte(text[at + 1], text[at + 2]) : undefined
    text[length++] = byte ?? text[at] ?? 0
    if (byte !== undefined) at += 2
  }
  return text.subarray(0, length)
}

function toByte(high: number | undefined, low: number | undefined): number | undefined {
  const [sixteens, ones] = [digits.get(high ?? 0), digits.get(low ?? 0)]
  return sixteens === undefined || ones === undefined ? undefined : 16 * sixteens + ones
}

/** Values of hex digits by character code. */
const digits: ReadonlyMap<number, number> = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [digit.charCodeAt(0), parseInt(digit, 16)]),
)
