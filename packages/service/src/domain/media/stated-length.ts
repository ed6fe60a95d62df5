import { readBoxes } from './claimed-samples.js'

/**
 * Seconds that the header of an MP4 file states (`mvhd`, ISO/IEC 14496-12). Undefined without one.
 * For the files of a backend: a caller's own header may lie. Reads no sample tables.
 */
export function statedLength(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const find = (name: string, from: number, to: number) => {
    for (const box of readBoxes(view, from, to)) if (box.name === name) return box
    return undefined
  }
  const movie = find('moov', 0, bytes.length)
  const header = movie && find('mvhd', movie.from, movie.to)
  if (!header || header.to - header.from < 32) return undefined
  const isWide = view.getUint8(header.from) === 1
  const timescale = view.getUint32(header.from + (isWide ? 20 : 12))
  const duration = isWide ? Number(view.getBigUint64(header.from + 24)) : view.getUint32(header.from + 16)
  return timescale > 0 && duration > 0 ? duration / timescale : undefined
}
