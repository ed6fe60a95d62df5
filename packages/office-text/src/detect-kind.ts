import { acceptedTypes, ExtractTextError } from './findings.js'

/** The type of a file by its first bytes. Its name and media type are not used. */
export type Kind = 'pdf' | 'zip' | 'plain'

const pdfWindow = 1024

/**
 * The kind of a file by its content. A text may begin with a signature of printable characters, so
 * that only counts if bytes follow that no text contains. A `zip` is not always an Office document,
 * and `plain` not always text: the readers decide. Throws `encrypted` for a password-protected
 * Office document, and `unsupported_type` for older Office documents and for other types with known
 * first bytes.
 */
export function detectKind(bytes: Uint8Array): Kind {
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06]))
    return 'zip'
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) rejectCompoundFile(bytes)
  if (/^\{\\rtf\d?\s*[\\{]/.test(decodeLatin1(bytes, 32))) rejectType('a Rich Text Format document')
  const isText = looksLikeText(bytes)
  for (const [name, magic, offset = 0] of startsWith(bytes, 'RIFF') ? riff : rejected) {
    if (startsWith(bytes.subarray(offset), magic) && !(isText && isPrintable(magic)))
      rejectType(name)
  }
  return isPdf(bytes) ? 'pdf' : 'plain'
}

function rejectType(name: string): never {
  throw new ExtractTextError(
    'unsupported_type',
    `The file is ${name}. Accepted are ${acceptedTypes}.`,
  )
}

/** Whether the beginning of a file only has bytes that occur in text of common encodings. */
export function looksLikeText(bytes: Uint8Array): boolean {
  return bytes
    .subarray(0, textWindow)
    .every((byte) => (byte >= 32 ? byte !== 127 : textControls.has(byte)))
}

/** Backspace, tab, line feed, vertical tab, form feed, carriage return, old end mark, escape. */
export const textControls: ReadonlySet<number> = new Set([8, 9, 10, 11, 12, 13, 26, 27])
const textWindow = 4096

function isPrintable(magic: Magic): boolean {
  const codes = typeof magic === 'string' ? Array.from(magic, (char) => char.charCodeAt(0)) : magic
  return codes.every((code) => code >= 32 && code !== 127)
}

function startsWith(bytes: Uint8Array, magic: Magic): boolean {
  const codes = typeof magic === 'string' ? Array.from(magic, (char) => char.charCodeAt(0)) : magic
  return bytes.length >= codes.length && codes.every((code, i) => bytes[i] === code)
}

/**
 * A header within the first 1024 bytes (ISO 32000-1, annex H.3.4.1). Where more than a version
 * follows on its line, or it is away from the start, an object must follow, so that prose about PDF
 * stays text. A document whose header is lost begins with an object.
 */
function isPdf(bytes: Uint8Array): boolean {
  const head = decodeLatin1(bytes, pdfWindow)
  if (/^%PDF-\d\.\d\s*(?:[\r\n%]|$)/.test(head)) return true
  if (/^\s*(?:%[^\r\n]*[\r\n]\s*)?\d{1,9} \d{1,5} obj\s*<</.test(head)) return true
  if (!/%PDF-\d\.\d/.test(head)) return false
  return /\d \d{1,5} obj/.test(decodeLatin1(bytes, pdfWindow * 64))
}

function decodeLatin1(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, length)).toString(
    'latin1',
  )
}

/** MS-OFFCRYPTO 2.3: an encrypted Office document is a compound file with a stream of this name. */
function rejectCompoundFile(bytes: Uint8Array): never {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.includes('EncryptedPackage', 0, 'utf16le')) {
    throw new ExtractTextError(
      'encrypted',
      'The file is an Office document protected by a password. Save it without one and send it again.',
    )
  }
  throw new ExtractTextError(
    'unsupported_type',
    `The file is in the binary format of Office 97-2003. Save it as DOCX, PPTX or XLSX and send it again. Accepted are ${acceptedTypes}.`,
  )
}

type Magic = string | readonly number[]

type Signature = readonly [name: string, magic: Magic, offset?: number]

/** The content of a RIFF container (WHATWG MIME Sniffing, 6.1 and 6.2). */
const riff: readonly Signature[] = [
  ['a WebP image', 'WEBP', 8],
  ['a WAVE sound', 'WAVE', 8],
  ['an AVI video', 'AVI ', 8],
]

const rejected: readonly Signature[] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', 'GIF8'],
  ['a TIFF image', 'II*\0'],
  ['a TIFF image', 'MM\0*'],
  ['an MP4 or HEIF file', 'ftyp', 4],
  ['an MP3 sound', 'ID3'],
  ['an Ogg file', 'OggS'],
  ['a FLAC sound', 'fLaC'],
  ['a Matroska or WebM video', [0x1a, 0x45, 0xdf, 0xa3]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a bzip2 archive', 'BZh'],
  ['an xz archive', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['a Zstandard archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['a 7-Zip archive', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['a RAR archive', 'Rar!\x1a\x07'],
  ['a tar archive', 'ustar', 257],
  ['an ELF program', '\x7fELF'],
  ['a Java class file or a Mach-O program', [0xca, 0xfe, 0xba, 0xbe]],
  ['a WebAssembly module', '\0asm'],
  ['an SQLite database', 'SQLite format 3\0'],
]
