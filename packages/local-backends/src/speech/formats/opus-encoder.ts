import { Encoder } from '@evan/opus/wasm/index.mjs'
import { CustomAudioEncoder, EncodedPacket, type AudioCodec, type AudioSample } from 'mediabunny'
import { outputRate } from './resample.js'

const frameSeconds = 0.02
const frameSamples = outputRate * frameSeconds
const bitrate = 32_000

/** An Opus encoder for mediabunny, as Node has none: mono speech in frames of 20 ms. */
export class OpusEncoder extends CustomAudioEncoder {
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
      description: identification(),
    }
    this.onPacket(packet, this.#frames === 0 ? { decoderConfig: config } : undefined)
    this.#frames++
  }
}

/** The identification header (RFC 7845, section 5.1), with a pre-skip of 312 samples at 48 kHz. */
function identification(): Uint8Array {
  const bytes = new Uint8Array(19)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('OpusHead'))
  view.setUint8(8, 1)
  view.setUint8(9, 1)
  view.setUint16(10, 312, true)
  view.setUint32(12, outputRate, true)
  return bytes
}
