import { describe, expect, test } from 'vitest'
import { detectKind } from './detect-kind.js'

const toBytes = (latin: string): Uint8Array => Uint8Array.from(latin, (char) => char.charCodeAt(0))
const padBytes = (start: string): Uint8Array => toBytes(start.padEnd(600, '\u0001'))

describe('detectKind', () => {
  test.each([
    ['a PDF header at the start', '%PDF-1.7\n', 'pdf'],
    ['a PDF header after other lines', 'HTTP junk\r\n%PDF-1.4\n1 0 obj <<>> endobj', 'pdf'],
    ['a PDF document without its header', '%\u00e2\u00e3\n1 0 obj\n<</Type/Catalog>>', 'pdf'],
    ['prose about PDF headers', 'Every file begins with %PDF-1.4 in its first line.', 'plain'],
    ['an archive', 'PK\u0003\u0004', 'zip'],
    ['an archive without entries', 'PK\u0005\u0006', 'zip'],
    ['HTML', '<!doctype html><p>Single ride</p>', 'plain'],
    ['two letters of an archive', 'PK', 'plain'],
    ['prose that begins like a sound', 'THE NEW WAVE OF FARES', 'plain'],
    ['a table that begins like a tag', 'ID3,Name\n1,Ann\n', 'plain'],
    ['prose that begins like a picture', 'GIF89a is a format of pictures.', 'plain'],
    ['prose that begins like an archive', 'BZh9 and Rar! are archives.', 'plain'],
    ['prose that begins like a video', 'The ftyp box comes first.', 'plain'],
    ['prose that begins like music', 'OggS and fLaC are sounds.', 'plain'],
    ['prose about Rich Text', '{\\rtf1 is how Rich Text begins.', 'plain'],
    ['prose about RIFF', 'RIFF WAVEWAVE WEBP', 'plain'],
    ['prose that begins with a header', '%PDF-1.7 is the header of a PDF document.', 'plain'],
  ])('detects %s', (_, content, kind) => {
    expect(detectKind(toBytes(content))).toBe(kind)
  })

  test.each([
    ['a PNG image', '\u0089PNG\r\n\u001a\n'],
    ['a JPEG image', '\u00ff\u00d8\u00ff\u00e0'],
    ['a WebP image', 'RIFF\u0001\u0001\u0001\u0001WEBPVP8 '],
    ['an MP4 or HEIF file', '\u0001\u0001\u0001\u0020ftypisom'],
    ['a gzip archive', '\u001f\u008b\u0008'],
    ['a 7-Zip archive', '7z\u00bc\u00af\u0027\u001c'],
    ['a tar archive', `${'a'.repeat(257)}ustar`],
    ['an ELF program', '\u007fELF\u0002\u0001'],
    ['a Rich Text Format document', '{\\rtf1\\ansi Single ride}'],
  ])('rejects %s by name', (name, start) => {
    expect(() => detectKind(padBytes(start))).toThrow(
      expect.objectContaining({
        code: 'unsupported_type',
        message: `The file is ${name}. Accepted are PDF, DOCX, PPTX, XLSX and plain text.`,
      }),
    )
  })

  test('reports a compound file with an encrypted package as encrypted', () => {
    const file = Buffer.concat([
      toBytes('\u00d0\u00cf\u0011\u00e0'),
      Buffer.alloc(508),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ])
    expect(() => detectKind(file)).toThrow(expect.objectContaining({ code: 'encrypted' }))
  })

  test('asks to save any other compound file in a newer format', () => {
    const file = Buffer.concat([
      toBytes('\u00d0\u00cf\u0011\u00e0'),
      Buffer.alloc(508),
      Buffer.from('WordDocument', 'utf16le'),
    ])
    expect(() => detectKind(file)).toThrow(
      expect.objectContaining({
        code: 'unsupported_type',
        message: expect.stringContaining('Save it as DOCX, PPTX or XLSX') as string,
      }),
    )
  })
})
