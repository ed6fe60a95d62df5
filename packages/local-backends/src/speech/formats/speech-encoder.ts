import { outputRate } from './resample.js'

/** Encodes sound into a sink. */
export type SpeechEncoder = {
  /** Samples of 16 bits, mono, at the output rate. */
  readonly add: (samples: Int16Array) => Promise<void>
  /** Resolves once the sink has the last bytes. */
  readonly finish: () => Promise<void>
  /** Frees the resources of an unfinished encoder. */
  readonly drop: () => Promise<void>
}

export type Sink = (bytes: Uint8Array) => void

const doNothing = async () => undefined

/** Samples without a header: 16 bits, little-endian, mono. */
export function createPcmEncoder(sink: Sink): SpeechEncoder {
  return { add: async (samples) => sink(toBytes(samples)), finish: doNothing, drop: doNothing }
}

/** A header and samples. A streamed file has the largest possible length in its header. */
export function createWavEncoder(sink: Sink, streaming: boolean): SpeechEncoder {
  const parts: Uint8Array[] = []
  let hasBegun = false
  return {
    add: async (samples) => {
      if (streaming && !hasBegun) sink(createWavHeader(0xff_ff_ff_ff))
      hasBegun = streaming
      if (streaming) sink(toBytes(samples))
      else parts.push(toBytes(samples))
    },
    finish: async () => {
      const size = parts.reduce((sum, { length }) => sum + length, 0)
      if (!hasBegun) sink(createWavHeader(size))
      for (const part of parts) sink(part)
    },
    drop: doNothing,
  }
}

function createWavHeader(size: number): Uint8Array {
  const bytes = new Uint8Array(44)
  const view = new DataView(bytes.buffer)
  const write = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at)
  write(0, 'RIFF')
  view.setUint32(4, Math.min(0xff_ff_ff_ff, size + 36), true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, outputRate, true)
  view.setUint32(28, 2 * outputRate, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  write(36, 'data')
  view.setUint32(40, size, true)
  return bytes
}

function toBytes(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(2 * samples.length)
  const view = new DataView(bytes.buffer)
  for (const [index, sample] of samples.entries()) view.setInt16(2 * index, sample, true)
  return bytes
}
