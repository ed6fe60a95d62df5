import { guessEncoding, isIso2022Jp } from './guess-encoding.js'
import { acceptedTypes, ExtractTextError } from './extract-text-error.js'

const sampleBytes = 64 * 1024

/**
 * The text of bytes without a known magic number. The encoding is the first of these that fits:
 *
 * 1. UTF-8 or UTF-16 with a byte order mark, which is removed
 * 2. UTF-16 without a mark, by the positions of its zero bytes
 * 3. ISO-2022-JP, by its escapes
 * 4. UTF-8, where the bytes are valid
 * 5. the encoding that the statistics of the letters suggest
 * 6. windows-1252
 *
 * Line ends stay as they are. Throws `unsupported_type` for bytes that do not look like text.
 */
export function readPlain(bytes: Uint8Array): string {
  const encoding = markedEncoding(bytes) ?? utf16WithoutMark(bytes)
  if (encoding !== undefined) return refuseBinary(decode(bytes, encoding) ?? binary())
  if (bytes.subarray(0, sampleBytes).includes(0)) binary()
  const sample = bytes.subarray(0, sampleBytes)
  if (isIso2022Jp(sample)) return refuseBinary(decode(bytes, 'iso-2022-jp') ?? binary())
  return refuseBinary(decode(bytes, 'utf-8') ?? decodeGuessed(bytes, sample) ?? windows1252(bytes))
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/** Latin text in UTF-16 has a zero in every second byte, and nearly none in the others. */
function utf16WithoutMark(bytes: Uint8Array): string | undefined {
  const length = Math.min(bytes.length, sampleBytes) & ~1
  if (bytes.length % 2 !== 0 || length < 4) return undefined
  let even = 0
  let odd = 0
  for (let i = 0; i < length; i += 2) {
    if (bytes[i] === 0) even += 1
    if (bytes[i + 1] === 0) odd += 1
  }
  const half = length / 2
  if (odd > half * 0.4 && even < half * 0.02) return 'utf-16le'
  if (even > half * 0.4 && odd < half * 0.02) return 'utf-16be'
  return undefined
}

/** Undefined where the bytes are not valid in the encoding. */
function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function decodeGuessed(bytes: Uint8Array, sample: Uint8Array): string | undefined {
  const encoding = guessEncoding(sample)
  return encoding === undefined ? undefined : decode(bytes, encoding)
}

/**
 * By table, because the TextDecoder of Node 20 reads windows-1252 as ISO 8859-1. The five
 * unassigned bytes stay control characters.
 */
function windows1252(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin.replaceAll(
    /[\u0080-\u009f]/g,
    (char) => upperHalf[char.charCodeAt(0) - 0x80] ?? char,
  )
}

/** The characters at 0x80 to 0x9f (Encoding Standard, index windows-1252). */
const upperHalf = Array.from('€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ')

/**
 * Text has white space, form feeds and the odd escape; a binary file has every control character.
 */
function refuseBinary(text: string): string {
  let controls = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === 0) binary()
    if ((code < 32 && !allowedControls.has(code)) || (code >= 0x7f && code < 0xa0 && code !== 0x85))
      controls += 1
  }
  return controls > text.length * 0.005 ? binary() : text
}

/** Backspace, tab, line feed, vertical tab, form feed, carriage return, old end mark, escape. */
const allowedControls = new Set([8, 9, 10, 11, 12, 13, 26, 27])

function binary(): never {
  throw new ExtractTextError(
    'unsupported_type',
    `The file is binary data of an unknown type. Accepted are ${acceptedTypes}.`,
  )
}
