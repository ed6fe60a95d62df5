import { registerAacEncoder } from '@mediabunny/aac-encoder'
import { registerFlacEncoder } from '@mediabunny/flac-encoder'
import { registerMp3Encoder } from '@mediabunny/mp3-encoder'
import {
  AdtsOutputFormat,
  AudioSample,
  AudioSampleSource,
  FlacOutputFormat,
  Mp3OutputFormat,
  OggOutputFormat,
  Output,
  registerEncoder,
  StreamTarget,
  type StreamTargetChunk,
  CustomAudioEncoder,
  EncodedPacket,
  type AudioCodec,
} from 'mediabunny'
import { outputRate } from './resample.js'
import type { Sink, SpeechEncoder } from './speech-encoder.js'
import { Encoder } from '@evan/opus/wasm/index.mjs'

type MuxedFormat = 'mp3' | 'opus' | 'aac' | 'flac'

const formats = {
  mp3: (streaming: boolean) => new Mp3OutputFormat({ xingHeader: !streaming }),
  opus: () => new OggOutputFormat({ maximumPageDuration: 0.5 }),
  aac: () => new AdtsOutputFormat(),
  flac: () => new FlacOutputFormat(),
} as const

const bitrates = { mp3: 64_000, opus: 32_000, aac: 64_000, flac: 0 } as const

let registered = false

/** Encodes MP3, Opus in Ogg, AAC in ADTS and FLAC. The header of a whole file has its length. */
export async function createMuxedEncoder(
  format: MuxedFormat,
  sink: Sink,
  streaming: boolean,
): Promise<SpeechEncoder> {
  if (!registered) {
    registerMp3Encoder()
    registerAacEncoder()
    registerFlacEncoder()
    registerEncoder(OpusEncoder)
    registered = true
  }
  const file = streaming
    ? createStreamedFile(format === 'flac' ? createStreamInfo(sink) : sink)
    : createWholeFile()
  const output = new Output({
    format: formats[format](streaming),
    target: new StreamTarget(new WritableStream({ write: file.write })),
  })
  const source = new AudioSampleSource({
    codec: format,
    ...(bitrates[format] > 0 && { bitrate: bitrates[format] }),
  })
  output.addAudioTrack(source)
  await output.start()
  let seconds = 0
  return {
    add: async (samples) => {
      if (samples.length === 0) return
      const sample = new AudioSample({
        data: samples,
        format: 's16',
        numberOfChannels: 1,
        sampleRate: outputRate,
        timestamp: seconds,
      })
      seconds += samples.length / outputRate
      await source.add(sample)
      sample.close()
    },
    finish: async () => {
      await output.finalize()
      if (!streaming) sink(file.content())
    },
    // each encoder has a thread of its own
    drop: () => output.cancel(),
  }
}

/** Passes new bytes on and drops rewrites of bytes that were already sent. */
function createStreamedFile(sink: Sink) {
  let end = 0
  return {
    write: ({ position, data }: StreamTargetChunk) => {
      if (position !== end) return
      end += data.length
      sink(data.slice())
    },
    content: () => new Uint8Array(0),
  }
}

function createWholeFile() {
  let bytes = new Uint8Array(65_536)
  let size = 0
  return {
    write: ({ position, data }: StreamTargetChunk) => {
      const end = position + data.length
      if (end > bytes.length) {
        const larger = new Uint8Array(2 * end)
        larger.set(bytes)
        bytes = larger
      }
      bytes.set(data, position)
      size = Math.max(size, end)
    },
    content: () => bytes.slice(0, size),
  }
}

const infoStart = 8
/** The marker `fLaC`, a block header and STREAMINFO. */
const headLength = 42

/**
 * Completes the STREAMINFO of a streamed FLAC file (RFC 9639, section 8.2), which the encoder
 * writes at the end. The block size is that of the first frame. Length and checksum stay 0, for
 * unknown.
 */
function createStreamInfo(sink: Sink): Sink {
  let head: Uint8Array | undefined = new Uint8Array(0)
  return (bytes) => {
    if (head === undefined) return sink(bytes)
    head = joinBytes(head, bytes)
    const code = head[headLength + 2]
    if (code === undefined) return
    const view = new DataView(head.buffer)
    const size = blockSize(code >> 4)
    view.setUint32(4, 0x80_00_00_22)
    view.setUint16(infoStart, size)
    view.setUint16(infoStart + 2, size)
    // 20 bits of rate, 3 of channels less one, 5 of bits a sample less one, 36 of unknown length
    view.setUint32(infoStart + 10, ((outputRate << 12) | (15 << 4)) >>> 0)
    sink(head)
    head = undefined
  }
}

/** RFC 9639, section 9.1.1. */
function blockSize(code: number): number {
  if (code === 1) return 192
  if (code >= 2 && code <= 5) return 144 * 2 ** code
  return code >= 8 ? 2 ** code : 4096
}

function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

const frameSeconds = 0.02
const frameSamples = outputRate * frameSeconds
const bitrate = 32_000

/** An Opus encoder for mediabunny, as Node has none: mono speech in frames of 20 ms. */
class OpusEncoder extends CustomAudioEncoder {
  readonly #encoder = new Encoder({ channels: 1, sample_rate: outputRate, application: 'voip' })
  #rest = new Int16Array(0)
  #frames = 0

  static override supports(codec: AudioCodec, config: AudioEncoderConfig): boolean {
    return codec === 'opus' && config.sampleRate === outputRate && config.numberOfChannels === 1
  }

  init(): void {
    this.#encoder.bitrate = bitrate
  }

  encode(sample: AudioSample): void {
    const all = new Int16Array(this.#rest.length + sample.numberOfFrames)
    all.set(this.#rest)
    sample.copyTo(all.subarray(this.#rest.length), { planeIndex: 0, format: 's16' })
    let at = 0
    for (; at + frameSamples <= all.length; at += frameSamples)
      this.#emit(all.subarray(at, at + frameSamples))
    this.#rest = all.slice(at)
  }

  flush(): void {
    if (this.#rest.length === 0) return
    const last = new Int16Array(frameSamples)
    last.set(this.#rest)
    this.#rest = new Int16Array(0)
    this.#emit(last)
  }

  close(): void {
    this.#rest = new Int16Array(0)
  }

  #emit(frame: Int16Array): void {
    // the next frame overwrites the encoder's memory
    const packet = new EncodedPacket(
      this.#encoder.encode(frame).slice(),
      'key',
      this.#frames * frameSeconds,
      frameSeconds,
    )
    const config = {
      codec: 'opus',
      sampleRate: outputRate,
      numberOfChannels: 1,
      description: createOpusHeader(),
    }
    this.onPacket(packet, this.#frames === 0 ? { decoderConfig: config } : undefined)
    this.#frames++
  }
}

/** The identification header (RFC 7845, section 5.1), with a pre-skip of 312 samples at 48 kHz. */
function createOpusHeader(): Uint8Array {
  const bytes = new Uint8Array(19)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('OpusHead'))
  view.setUint8(8, 1)
  view.setUint8(9, 1)
  view.setUint16(10, 312, true)
  view.setUint32(12, outputRate, true)
  return bytes
}
