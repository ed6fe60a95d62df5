import { Inflate } from 'fflate'
import { ExtractTextError } from '../findings.js'
import type { Budget, Limits } from '../limits.js'

/**
 * An archive whose parts are inflated one at a time, and only when asked for. Parts are found by
 * any spelling of their name.
 */
export type Archive = {
  has(path: string): boolean
  /**
   * Gives the bytes of the part to `onBytes`, piece by piece. Inflated bytes are counted, and
   * reading stops with `too_complex` at the limits. The sizes that the archive states are not
   * trusted.
   */
  read(path: string, onBytes: (bytes: Uint8Array) => void): void
}

type Entry = {
  readonly method: number
  readonly flags: number
  readonly size: number
  readonly offset: number
}

const pieceBytes = 16 * 1024

/** Opens an archive by its central directory (APPNOTE 4.3). `inflated` pays for every byte. */
export function openArchive(bytes: Uint8Array, limits: Limits, inflated: Budget): Archive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = guard(() => readDirectory(bytes, view, limits))

  const find = (path: string) => entries.get(path) ?? entries.get(normalizePartName(path))
  return {
    has: (path) => find(path) !== undefined,
    read(path, onBytes) {
      const entry = find(path) ?? corrupt('a part that its index does not have')
      if ((entry.flags & 1) === 1) {
        throw new ExtractTextError(
          'encrypted',
          'The file is an archive protected by a password. Save it without one and send it again.',
        )
      }
      const data = guard(() => readData(bytes, view, entry))
      if (entry.method === 0) {
        inflated.spend(data.length)
        onBytes(data)
      } else if (entry.method === 8) {
        inflate(data, limits, inflated, onBytes)
      } else {
        corrupt('a compression method that Office documents do not use')
      }
    },
  }
}

function inflate(
  data: Uint8Array,
  limits: Limits,
  inflated: Budget,
  onBytes: (bytes: Uint8Array) => void,
): void {
  let inputBytes = 0
  let outputBytes = 0
  let ended = false
  const stream = new Inflate((chunk, final) => {
    outputBytes += chunk.length
    ended ||= final
    inflated.spend(chunk.length)
    if (outputBytes > limits.ratioGraceBytes && outputBytes > inputBytes * limits.ratio) {
      throw new ExtractTextError(
        'too_complex',
        `A part of the file inflates to more than ${limits.ratio} times its size, as archive bombs do.`,
      )
    }
    if (chunk.length > 0) onBytes(chunk)
  })
  guard(() => {
    for (let start = 0; start < data.length; start += pieceBytes) {
      const piece = data.subarray(start, start + pieceBytes)
      inputBytes += piece.length
      stream.push(piece, inputBytes === data.length)
    }
  })
  if (!ended) corrupt('a part that ends too early')
}

function readDirectory(bytes: Uint8Array, view: DataView, limits: Limits): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  const { count, offset } = findDirectory(view)
  let at = offset
  for (let i = 0; i < count; i += 1) {
    if (i >= limits.entries) {
      throw new ExtractTextError(
        'too_complex',
        `The file is an archive with more than ${limits.entries} entries, which is the limit.`,
      )
    }
    if (view.getUint32(at, true) !== 0x02014b50) corrupt('a damaged index')
    const nameLength = view.getUint16(at + 28, true)
    const extraLength = view.getUint16(at + 30, true)
    const name = bytes.subarray(at + 46, at + 46 + nameLength)
    const wide = readWideFields(view, at, at + 46 + nameLength, extraLength)
    const path = new TextDecoder().decode(name)
    const entry = {
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      size: wide.size,
      offset: wide.offset,
    }
    entries.set(path, entry)
    const normalized = normalizePartName(path)
    if (!entries.has(normalized)) entries.set(normalized, entry)
    at += 46 + nameLength + extraLength + view.getUint16(at + 32, true)
  }
  return entries
}

/** Finds the end record behind the longest possible comment, or its 64-bit form. */
function findDirectory(view: DataView): { readonly count: number; readonly offset: number } {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at -= 1) {
    if (view.getUint32(at, true) !== 0x06054b50) continue
    const count = view.getUint16(at + 10, true)
    const offset = view.getUint32(at + 16, true)
    if (count !== 0xffff && offset !== 0xffffffff) return { count, offset }
    if (at < 20 || view.getUint32(at - 20, true) !== 0x07064b50) return { count, offset }
    const wide = Number(view.getBigUint64(at - 12, true))
    return {
      count: Number(view.getBigUint64(wide + 32, true)),
      offset: Number(view.getBigUint64(wide + 48, true)),
    }
  }
  return corrupt('no index: the archive is cut off or damaged')
}

/** Size and offset of an entry, from the 64-bit extra field if needed (APPNOTE 4.5.3). */
function readWideFields(
  view: DataView,
  at: number,
  extra: number,
  extraLength: number,
): { readonly size: number; readonly offset: number } {
  let size = view.getUint32(at + 20, true)
  let offset = view.getUint32(at + 42, true)
  for (
    let field = extra;
    field + 4 <= extra + extraLength;
    field += 4 + view.getUint16(field + 2, true)
  ) {
    if (view.getUint16(field, true) !== 1) continue
    let next = field + 4
    if (view.getUint32(at + 24, true) === 0xffffffff) next += 8
    if (size === 0xffffffff) {
      size = Number(view.getBigUint64(next, true))
      next += 8
    }
    if (offset === 0xffffffff) offset = Number(view.getBigUint64(next, true))
  }
  return { size, offset }
}

function readData(bytes: Uint8Array, view: DataView, entry: Entry): Uint8Array {
  if (view.getUint32(entry.offset, true) !== 0x04034b50)
    corrupt('an index that points to the wrong places')
  const start =
    entry.offset +
    30 +
    view.getUint16(entry.offset + 26, true) +
    view.getUint16(entry.offset + 28, true)
  if (start + entry.size > bytes.length) corrupt('a part that ends too early')
  return bytes.subarray(start, start + entry.size)
}

/** An offset beyond the end and an error of the inflater mean a damaged archive. */
function guard<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ExtractTextError) throw error
    return corrupt('damaged data')
  }
}

function corrupt(what: string): never {
  throw new ExtractTextError(
    'corrupt',
    `The file is a ZIP archive with ${what}. Save the document again and send the new file.`,
  )
}

/**
 * The form in which two names of the same part are equal (ECMA-376 part 2, 6.2.2.3): without
 * regard to ASCII case and percent-encoding. Backslashes, which some writers use against APPNOTE
 * 4.4.17, count as slashes.
 */
export function normalizePartName(name: string): string {
  return resolveSteps(decodePercent(name.replaceAll('\\', '/'))).replaceAll(/[A-Z]+/g, (letters) =>
    letters.toLowerCase(),
  )
}

/** The name of the part at `target`, as a relationship of a part in `folder` states it. */
export function resolvePartName(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/').replace(/[#?].*$/s, '')
  return resolveSteps(path.startsWith('/') ? path : `${folder}${path}`)
}

function resolveSteps(path: string): string {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

/** Sequences that are not UTF-8 stay as they are. */
function decodePercent(name: string): string {
  return name.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (sequence) => {
    try {
      return decodeURIComponent(sequence)
    } catch {
      return sequence
    }
  })
}
