import type { SpeechFormat } from '@farebox/types'
import { synthesize, type FliteVoice } from './flite.js'
import { muxedEncoder } from './formats/muxed.js'
import type { Sink, SpeechEncoder } from './formats/speech-encoder.js'
import { pcmEncoder, wavEncoder } from './formats/wav.js'
import { outputRate, resample } from './formats/resample.js'

export type SpeakOptions = {
  /** An empty one is silence. */
  readonly sentences: readonly string[]
  readonly voice: FliteVoice
  readonly speed: number
  readonly format: SpeechFormat
  readonly streaming: boolean
}

/** Speaks a text sentence by sentence, when it is told to. */
export type Speaker = {
  /** Speaks the next sentence. The bytes of the last one include the end of the file. */
  readonly next: () => Promise<{
    readonly bytes: Uint8Array<ArrayBuffer>
    readonly isLast: boolean
  }>
  /** Frees what an unfinished text holds. */
  readonly drop: () => Promise<void>
}

/** For a text without letters or digits. */
const silenceSeconds = 0.2

export async function createSpeaker({
  sentences,
  voice,
  speed,
  format,
  streaming,
}: SpeakOptions): Promise<Speaker> {
  let parts: Uint8Array[] = []
  const encoder = await openEncoder(format, (bytes) => void parts.push(bytes), streaming)
  let index = 0
  return {
    next: async () => {
      const sentence = sentences[index++] ?? ''
      const { samples, rate } =
        sentence === ''
          ? { samples: new Int16Array(outputRate * silenceSeconds), rate: outputRate }
          : await synthesize(sentence, voice, speed)
      await encoder.add(resample(samples, rate))
      const isLast = index >= sentences.length
      if (isLast) await encoder.finish()
      // a buffer of its own, which can be moved to another thread
      const bytes = new Uint8Array(Buffer.concat(parts))
      parts = []
      return { bytes, isLast }
    },
    drop: encoder.drop,
  }
}

async function openEncoder(
  format: SpeechFormat,
  sink: Sink,
  streaming: boolean,
): Promise<SpeechEncoder> {
  if (format === 'pcm') return pcmEncoder(sink)
  if (format === 'wav') return wavEncoder(sink, streaming)
  return muxedEncoder(format, sink, streaming)
}
