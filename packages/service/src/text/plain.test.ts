import { describe, expect, test } from 'vitest'
import { readPlain } from './plain.js'

const utf16 = (text: string, order: 'little' | 'big', mark: boolean): Uint8Array => {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le')
  return new Uint8Array(order === 'little' ? bytes : bytes.swap16())
}

const table: readonly (readonly [encoding: string, bytes: Uint8Array, text: string])[] = [
  ['ASCII', Buffer.from('Single ride 2.40'), 'Single ride 2.40'],
  ['UTF-8', Buffer.from('ferry to Möweninsel — 渡し船 ⛴'), 'ferry to Möweninsel — 渡し船 ⛴'],
  ['UTF-8 with a mark', Buffer.from('\ufeffMöweninsel'), 'Möweninsel'],
  ['UTF-16 LE with a mark', utf16('Möweninsel 渡し船', 'little', true), 'Möweninsel 渡し船'],
  ['UTF-16 BE with a mark', utf16('Möweninsel 渡し船', 'big', true), 'Möweninsel 渡し船'],
  ['UTF-16 LE without a mark', utf16('ferry to Möweninsel', 'little', false), 'ferry to Möweninsel'],
  ['UTF-16 BE without a mark', utf16('ferry to Möweninsel', 'big', false), 'ferry to Möweninsel'],
  ['windows-1252', Uint8Array.of(0x4d, 0xf6, 0x77, 0x65, 0x20, 0x80, 0x20, 0x93, 0x61, 0x94), 'Möwe € “a”'],
  ['line ends of all kinds', Buffer.from('a\r\nb\nc\rd\u0085e\f'), 'a\r\nb\nc\rd\u0085e\f'],
  ['a coloured terminal log', Buffer.from('\u001b[31mfailed\u001b[0m after 3 s'), '\u001b[31mfailed\u001b[0m after 3 s'],
]

describe('readPlain', () => {
  test.each(table)('reads %s', (_, bytes, text) => {
    expect(readPlain(bytes)).toBe(text)
  })

  test.each([
    ['a zero byte in text', Buffer.from('Single\0ride')],
    ['random bytes', Uint8Array.from({ length: 512 }, (_, i) => (i * 197 + 31) % 256)],
    ['control characters', Buffer.from('\u0001\u0002\u0003 abc \u0004\u0005')],
    ['a broken surrogate in UTF-16', Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00)],
    ['bytes that windows-1252 does not assign', Uint8Array.of(0x81, 0x8d, 0x8f, 0x90, 0x9d, 0x41)],
  ])('refuses %s', (_, bytes) => {
    expect(() => readPlain(bytes)).toThrow(
      expect.objectContaining({
        code: 'unsupported_type',
        message: 'The file is binary data of an unknown type. Accepted are PDF, DOCX, PPTX, XLSX and plain text.',
      }),
    )
  })
})
