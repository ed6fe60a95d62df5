import { analyse } from 'chardet'
import { textControls } from './detect-kind.js'
import { findEastAsianEncoding } from './east-asian.js'
import { readSingleByte } from './single-byte.js'
import { acceptedTypes, ExtractTextError, type WarningCounter } from './findings.js'
import { isThai } from './thai.js'
import { detectUtf16 } from './utf16.js'

const sampleBytes = 64 * 1024

/**
 * The text of bytes without a known magic number. The encoding is the first of these that fits:
 *
 * 1. UTF-8, UTF-16, UTF-32 or GB 18030 with a byte order mark, which is removed
 * 2. UTF-16 without a mark, by the positions of its zero bytes or the scripts of its letters
 * 3. ISO-2022-JP, by its escapes
 * 4. UTF-8, where most sequences of bytes are valid
 * 5. an East Asian encoding in which the characters are those of everyday use
 * 6. windows-874, if the letters are in the order of Thai
 * 7. windows-1254, if the statistics of the letters are those of Turkish
 * 8. windows-1252, or another encoding of one byte in which the letters are those of a language
 *
 * A byte that is not valid becomes U+FFFD and is counted. Line ends stay as they are. Throws
 * `unsupported_type` for bytes that do not look like text.
 */
export function decodePlain(bytes: Uint8Array, warnings: WarningCounter): string {
  const mark = findMark(bytes)
  const encoding = mark?.encoding ?? detectUtf16(bytes)
  if (encoding !== undefined) {
    const body = bytes.subarray(mark?.length ?? 0)
    return requireText(
      encoding.startsWith('utf-32') ? decodeUtf32(body, encoding) : decodeLeniently(body, encoding),
    )
  }
  if (bytes.subarray(0, sampleBytes).includes(0)) rejectBinary()
  const sample = sampleAround(bytes)
  if (isIso2022Jp(sample)) return requireText(decode(bytes, 'iso-2022-jp') ?? rejectBinary())
  const utf8 = decode(bytes, 'utf-8')
  if (utf8 !== undefined) return requireText(utf8)
  const twoByte = findEastAsianEncoding(sample, undefined)
  if (twoByte === undefined && isMostlyUtf8(bytes))
    return requireText(decodeLeniently(bytes, 'utf-8'))
  const guessed = twoByte === undefined && isThai(sample) ? 'windows-874' : guessEncoding(sample)
  const text =
    guessed === undefined ? undefined : (decode(bytes, guessed) ?? decodeNearlyValid(guessed))
  if (text !== undefined) return requireText(text)
  return requireText(readSingleByte(bytes, sample, decodeWindows1252))

  /** Accepts a guess if at most one character in a hundred is invalid. */
  function decodeNearlyValid(name: string): string | undefined {
    const text = new TextDecoder(name).decode(bytes)
    const replaced = text.split('\ufffd').length - 1
    if (replaced > text.length * 0.01 + 1) return undefined
    warnings.add('invalid_bytes', replaced)
    return text
  }

  function decodeUtf32(body: Uint8Array, name: string): string {
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
    const pieces: string[] = []
    let replaced = body.length % 4 === 0 ? 0 : 1
    for (let at = 0; at + 4 <= body.length; at += 4) {
      const code = view.getUint32(at, name === 'utf-32le')
      const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
      if (!isCharacter) replaced += 1
      pieces.push(isCharacter ? String.fromCodePoint(code) : '\ufffd')
    }
    if (replaced > pieces.length * 0.1 + 1) rejectBinary()
    warnings.add('invalid_bytes', replaced)
    return pieces.join('') + (body.length % 4 === 0 ? '' : '\ufffd')
  }

  /**
   * Counts the characters that the decoder replaces. They cannot be distinguished from U+FFFD in
   * the text itself.
   */
  function decodeLeniently(body: Uint8Array, name: string): string {
    const strict = decode(body, name)
    if (strict !== undefined) return strict
    const text = new TextDecoder(name).decode(body)
    const replaced = text.split('\ufffd').length - 1
    if (name !== 'utf-8' && replaced > text.length * 0.1) rejectBinary()
    warnings.add('invalid_bytes', replaced)
    return text
  }
}

/**
 * A mark is followed by the text. UTF-32 comes first, because its mark begins like that of UTF-16.
 */
const marks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['gb18030', [0x84, 0x31, 0x95, 0x33]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

function findMark(
  bytes: Uint8Array,
): { readonly encoding: string; readonly length: number } | undefined {
  const found = marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))
  return found && { encoding: found[0], length: found[1].length }
}

/** The bytes around the first one that is not ASCII. */
function sampleAround(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80 || byte === 0x1b)
  const start = Math.max(0, first - 1024)
  return bytes.subarray(start, start + sampleBytes)
}

/**
 * Whether the bytes are UTF-8 with a few that are broken or cut off. Text in another encoding has
 * far more invalid sequences than valid ones.
 */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let valid = 0
  let invalid = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) continue
    const more =
      byte >= 0xc2 && byte < 0xe0
        ? 1
        : byte >= 0xe0 && byte < 0xf0
          ? 2
          : byte >= 0xf0 && byte < 0xf5
            ? 3
            : 0
    let length = 0
    while (length < more && ((bytes[at + 1 + length] ?? 0) & 0xc0) === 0x80) length += 1
    if (more > 0 && length === more) valid += 1
    else invalid += 1
    at += length
  }
  return valid >= invalid
}

/** Undefined if the bytes are not valid in the encoding. */
function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * By table, because the TextDecoder of Node 20 reads windows-1252 as ISO 8859-1. The five
 * unassigned bytes stay control characters.
 */
function decodeWindows1252(bytes: Uint8Array): string {
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
function requireText(text: string): string {
  let controls = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === 0) rejectBinary()
    if ((code < 32 && !textControls.has(code)) || (code >= 0x7f && code < 0xa0 && code !== 0x85))
      controls += 1
  }
  return controls > text.length * 0.005 ? rejectBinary() : text
}

function rejectBinary(): never {
  throw new ExtractTextError(
    'unsupported_type',
    `The file is binary data of an unknown type. Accepted are ${acceptedTypes}.`,
  )
}

/**
 * The encoding of a text that is neither UTF-8 nor UTF-16, by its name in TextDecoder. Recognizes
 * the encodings of East Asia, and of Turkish where the statistics of letters are clear.
 */
function guessEncoding(sample: Uint8Array): string | undefined {
  const found = analyse(sample)
  const findBest = (names: ReadonlySet<string>) =>
    found.find(({ name }) => names.has(name)) ?? { name: '', confidence: 0 }
  const [eastern, script, turkic, western] = [
    findBest(multiByte),
    findBest(otherScripts),
    findBest(turkish),
    findBest(westernLatin),
  ]
  // A match of two-byte characters is rarely a coincidence. A match of single bytes often is.
  const likely =
    eastern.confidence >= 40 && eastern.confidence >= script.confidence ? eastern.name : undefined
  const twoByte = findEastAsianEncoding(sample, likely) ?? likely
  if (twoByte !== undefined) return twoByte
  const lead = turkic.confidence - western.confidence
  if (sample.length >= 200 && lead >= 20) return turkic.name
  return undefined
}

/** Japanese in seven bits (RFC 1468). Without regard to its escapes the bytes are valid ASCII. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [begins, ends] = [
    ['\u001b$@', '\u001b$B'],
    ['\u001b(B', '\u001b(J'],
  ].map((escapes) => escapes.map((escape) => text.indexOf(escape)).filter((at) => at >= 0)) as [
    number[],
    number[],
  ]
  return begins.length > 0 && ends.length > 0
}

const multiByte: ReadonlySet<string> = new Set(['Shift_JIS', 'EUC-JP', 'EUC-KR', 'GB18030', 'Big5'])
const otherScripts: ReadonlySet<string> = new Set(
  'windows-1251 KOI8-R ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 windows-1253 windows-1255 windows-1256'.split(
    ' ',
  ),
)
const turkish: ReadonlySet<string> = new Set(['ISO-8859-9', 'windows-1254'])
const westernLatin: ReadonlySet<string> = new Set(['ISO-8859-1', 'windows-1252'])
