import type { SpeechFormat } from '@farebox/types'
import { synthesize, type FliteVoice } from './flite.js'
import { muxedEncoder } from './formats/muxed.js'
import type { Sink, SpeechEncoder } from './formats/speech-encoder.js'
import { pcmEncoder, wavEncoder } from './formats/wav.js'
import { outputRate, resample } from './formats/resample.js'
import { sentencesOf } from './sentences.js'

export type SpeakOptions = {
  readonly text: string
  readonly voice: FliteVoice
  readonly speed: number
  readonly format: SpeechFormat
  readonly streaming: boolean
}

/** For a text without letters or digits. */
const silenceSeconds = 0.2

/**
 * Speaks a text into the sink, sentence by sentence, until `isWanted` is false. Encoders may keep
 * bytes for later, so an empty part follows each sentence.
 */
export async function speak({ text, voice, speed, format, streaming }: SpeakOptions, sink: Sink, isWanted: () => boolean) {
  const encoder = await encoderOf(format, sink, streaming)
  const sentences = sentencesOf(text)
  if (sentences.length === 0) await encoder.add(new Int16Array(outputRate * silenceSeconds))
  for (const sentence of sentences) {
    // lets this thread receive messages
    await new Promise<void>((resolve) => void setImmediate(resolve))
    if (!isWanted()) return
    const { samples, rate } = await synthesize(sentence, voice, speed)
    await encoder.add(resample(samples, rate))
    sink(new Uint8Array(0))
  }
  await encoder.finish()
}

async function encoderOf(format: SpeechFormat, sink: Sink, streaming: boolean): Promise<SpeechEncoder> {
  if (format === 'pcm') return pcmEncoder(sink)
  if (format === 'wav') return wavEncoder(sink, streaming)
  return muxedEncoder(format, sink, streaming)
}
