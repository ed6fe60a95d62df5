import { decodeChunked } from '@audio/decode'
import { LocalBackendError } from '../local-backend-error.js'

/** A time in a recording that is not silent, in seconds. */
export type Sound = { readonly start: number; readonly end: number }

const frameSeconds = 0.01
const chunkBytes = 65_536
/** Shorter silence is part of a sound: a stop consonant. */
const shortestSilence = 0.06
/** Shorter sounds are clicks. */
const shortestSound = 0.03
/** The longest recording. */
const maxSeconds = 4 * 3600

/** The sounds of a recording, by their energy. Throws a LocalBackendError for one that cannot be decoded. */
export async function findSounds(audio: Uint8Array, format: string): Promise<readonly Sound[]> {
  const levels = await measureLevels(audio, format)
  const threshold = chooseThreshold(levels)
  const sounds: Sound[] = []
  for (const [frame, level] of levels.entries()) {
    if (level < threshold) continue
    const start = frame * frameSeconds
    const end = start + frameSeconds
    const last = sounds.at(-1)
    if (last && start - last.end < shortestSilence)
      sounds[sounds.length - 1] = { start: last.start, end }
    else sounds.push({ start, end })
  }
  return sounds.filter(({ start, end }) => end - start >= shortestSound)
}

/** The level of each frame in decibels below full scale. Memory does not grow with the samples. */
async function measureLevels(audio: Uint8Array, format: string): Promise<readonly number[]> {
  const levels: number[] = []
  let power = 0
  let samples = 0
  try {
    for await (const { channelData, sampleRate } of decodeChunked(
      toChunks(audio),
      toCodec(audio, format),
    )) {
      const size = Math.round(sampleRate * frameSeconds)
      const [first = new Float32Array()] = channelData
      for (let at = 0; at < first.length; at++) {
        for (const channel of channelData) power += (channel[at] ?? 0) ** 2
        if (++samples < size) continue
        levels.push(toDecibels(power / (samples * channelData.length)))
        power = samples = 0
      }
      if (levels.length * frameSeconds > maxSeconds)
        throw new LocalBackendError('rejected', 'The test model takes four hours at most.')
    }
  } catch (cause) {
    if (cause instanceof LocalBackendError) throw cause
    throw new LocalBackendError('rejected', `The recording cannot be decoded as ${format}.`, {
      cause,
    })
  }
  return levels
}

async function* toChunks(audio: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < audio.length; at += chunkBytes) yield audio.subarray(at, at + chunkBytes)
}

function toCodec(audio: Uint8Array, format: string) {
  if (format === 'ogg') return isOpus(audio) ? 'opus' : 'oga'
  const codec = codecs.find((one) => one === format)
  if (codec) return codec
  throw new LocalBackendError('rejected', `The test model decodes no ${format}.`)
}

const codecs = ['mp3', 'wav', 'flac', 'm4a', 'webm'] as const

/** The first packet of a stream names its codec (RFC 7845). */
function isOpus(audio: Uint8Array): boolean {
  return Buffer.from(audio.subarray(0, 64)).includes('OpusHead')
}

function toDecibels(power: number): number {
  return 10 * Math.log10(power + 1e-12)
}

/**
 * Between the noise of the recording and its loud parts. A recording that is loud throughout has no
 * silence.
 */
function chooseThreshold(levels: readonly number[]): number {
  const sorted = levels.toSorted((one, other) => one - other)
  const noise = sorted[Math.floor(sorted.length * 0.1)] ?? 0
  const loud = sorted[Math.floor(sorted.length * 0.98)] ?? 0
  return Math.max(-55, Math.min(noise + 9, loud - 12))
}
