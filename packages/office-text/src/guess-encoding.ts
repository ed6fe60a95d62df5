import { analyse } from 'chardet'

/**
 * The encoding of a text that is neither UTF-8 nor UTF-16, by its name in TextDecoder. Recognises
 * the encodings of East Asia, of other scripts, and of Central Europe where the statistics of
 * letters are clear. Undefined where they are not: then windows-1252 is by far the most likely.
 */
export function guessEncoding(sample: Uint8Array): string | undefined {
  const found = analyse(sample)
  const of = (names: ReadonlySet<string>) =>
    found.find(({ name }) => names.has(name)) ?? { name: '', confidence: 0 }
  const [eastern, script, latin, western] = [
    of(multiByte),
    of(otherScripts),
    of(otherLatin),
    of(westernLatin),
  ]
  // A match of two-byte characters is rarely an accident. A match of single bytes often is.
  if (eastern.confidence >= 40 && eastern.confidence >= script.confidence) return eastern.name
  if (
    script.confidence >= 20 &&
    script.confidence >= latin.confidence &&
    script.confidence >= western.confidence
  )
    return script.name
  if (sample.length >= 200 && latin.confidence >= western.confidence + 20) return latin.name
  return undefined
}

/** Japanese in seven bits (RFC 1468). Without regard to its escapes the bytes are valid ASCII. */
export function isIso2022Jp(bytes: Uint8Array): boolean {
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
const otherLatin: ReadonlySet<string> = new Set([
  'ISO-8859-2',
  'windows-1250',
  'ISO-8859-9',
  'windows-1254',
])
const westernLatin: ReadonlySet<string> = new Set(['ISO-8859-1', 'windows-1252'])
