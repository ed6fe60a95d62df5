import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

export type Card = {
  readonly prompt: string
  /** A line at the bottom. */
  readonly note: string
  readonly width: number
  readonly height: number
}

const { resolve } = createRequire(import.meta.url)
let fontPromise: Promise<Uint8Array> | undefined

/** Draws a prompt on a card in a color of its own, as a PNG file. */
export async function drawCard(card: Card): Promise<Uint8Array> {
  const font = await (fontPromise ??= load())
  const image = new Resvg(toSvg(card), {
    font: { fontBuffers: [font], defaultFontFamily: 'DejaVu Sans' },
  })
  try {
    return image.render().asPng()
  } finally {
    image.free()
  }
}

async function load(): Promise<Uint8Array> {
  await initWasm(readFile(resolve('@resvg/resvg-wasm/index_bg.wasm')))
  return readFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))
}

function toSvg({ prompt, note, width, height }: Card): string {
  const size = Math.max(6, Math.round(Math.min(width, height) / 18))
  const small = Math.max(4, Math.min(Math.round(size * 0.6), (1.5 * width) / note.length))
  const lines = wrapText(prompt, Math.max(1, Math.floor((width * 0.85) / (size * 0.62))))
  const hue = createHash('sha256').update(prompt).digest().readUInt16LE() % 360
  const top = height / 2 - ((lines.length - 1) * 1.3 * size) / 2
  const text = lines.map(
    (line, index) =>
      `<text x="${width / 2}" y="${top + index * 1.3 * size}" text-anchor="middle">${escape(line)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans" font-size="${size}" fill="white">
<rect width="100%" height="100%" fill="hsl(${hue}, 35%, 25%)"/>
${text.join('\n')}
<text x="${small}" y="${height - small}" font-size="${small}" fill="#9fb3c8">${escape(note)}</text>
</svg>`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The lines of a text, ten at most. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Cn}]+/gu, ' ')
    .split(/\s+/)
    .flatMap((long) => splitWord(long, columns))) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  const all = [...lines, line]
  return all.length > 10 ? [...all.slice(0, 9), '…'] : all
}

function splitWord(word: string, length: number): string[] {
  const characters = Array.from(word)
  return Array.from({ length: Math.max(1, Math.ceil(characters.length / length)) }, (_, index) =>
    characters.slice(index * length, (index + 1) * length).join(''),
  )
}
