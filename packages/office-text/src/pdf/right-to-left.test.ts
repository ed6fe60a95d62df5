import { describe, expect, it } from 'vitest'
import { createPdf, write } from '../../test/pdf.js'
import { extractText } from '../extract-text.js'
import { orderItems } from './right-to-left.js'

type Piece = readonly [text: string, x: number]

/** A PDF document that draws the pieces of each line at their places, in the order of the list. */
function drawLines(...lines: readonly (readonly Piece[])[]): Uint8Array {
  const codes = new Map<string, number>()
  const encode = (character: string): string => {
    if (character < '\u0080') return /[()]/.test(character) ? `\\${character}` : character
    const code = codes.get(character) ?? 128 + codes.size
    codes.set(character, code)
    return `\\${code.toString(8)}`
  }
  const content = lines.flatMap((line, at) =>
    line.map(([text, x]) => write(Array.from(text, encode).join(''), x, 700 - at * 24)),
  )
  const names = Array.from(
    codes.keys(),
    (character) => `/uni${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
  const widths = Array.from({ length: 256 }, (_, code) =>
    /\p{M}/u.test(Array.from(codes.keys())[code - 128] ?? '') ? 0 : 500,
  )
  return createPdf(content.join(''), {
    font: `<</Type/Font/Subtype/Type1/BaseFont/Any/FirstChar 0/LastChar 255/Widths[${widths.join(' ')}]/Encoding<</Type/Encoding/Differences[128${names.join('')}]>>>>`,
  })
}

/** The letters of a line, each drawn at the place behind the one before it. */
function drawLetters(visual: string): readonly Piece[] {
  return Array.from(visual, (letter, at): Piece => [letter, 50 + at * 6]).filter(
    ([letter]) => letter !== ' ',
  )
}

describe('a line of a PDF document that is read from right to left', () => {
  it.each<[string, readonly Piece[], string]>([
    [
      'word by word',
      [
        ['םלוע', 50],
        ['םולש', 79],
      ],
      'שלום עולם',
    ],
    ['letter by letter', drawLetters('םלוע םולש'), 'שלום עולם'],
    [
      'with a number',
      [
        ['וריא', 50],
        ['2.40', 79],
        ['הלוע', 108],
      ],
      'עולה 2.40 אירו',
    ],
    [
      'with numbers in a row',
      [
        ['123456', 50],
        ['30', 104],
        ['49', 134],
        ['וגייח', 164],
      ],
      'חייגו 49 30 123456',
    ],
    [
      'with two Latin words',
      [
        ['רתוי', 50],
        ['Zone', 79],
        ['A', 108],
        ['רוזא', 120],
      ],
      'אזור Zone A יותר',
    ],
    [
      'with brackets',
      [
        ['(', 50],
        ['א', 74],
        ['רוזא', 98],
        [')', 140],
        ['סיטרכ', 164],
      ],
      'כרטיס ( אזור א )',
    ],
    [
      'as columns',
      [
        ['12.50', 50],
        ['ריחמ', 200],
        ['םוי', 350],
      ],
      'יום מחיר 12.50',
    ],
    [
      'in Arabic forms',
      [
        ['ﺔﻴﺑﺮﻌﻟا', 50],
        ['طﻮﻄﳋا', 97],
      ],
      'الخطوط العربية',
    ],
  ])('is read in order where it is drawn from the left %s', async (_, line, text) => {
    expect(await extractText(drawLines(line))).toBe(text)
  })

  it('is read in order where it is drawn in this order', async () => {
    const line: readonly Piece[] = [
      ['םולש', 79],
      ['םלוע', 50],
    ]
    expect(await extractText(drawLines(line))).toBe('שלום עולם')
  })

  it('has the name of God once, in one form with its first letter or without', async () => {
    const line: readonly Piece[] = [
      ['ﷲ', 50],
      ['ﷲ', 70],
      ['ا', 76],
    ]
    expect(await extractText(drawLines(line))).toBe('الله الله')
  })

  it('has each vowel on its letter', async () => {
    const line: readonly Piece[] = [
      ['ﺪ', 50],
      ['\u064e', 53],
      ['ﻤ', 56],
      ['\u064f', 59],
      ['ﻣ', 62],
    ]
    expect(await extractText(drawLines(line))).toBe('مُمَد')
  })

  it('has the vowel at the end of a word on its letter', () => {
    const place = (str: string, x: number, width: number) => ({
      str,
      width,
      dir: /[א-ת]/.test(str) ? 'rtl' : 'ltr',
      transform: [12, 0, 0, 12, x, 700],
      height: 12,
      fontName: 'any',
      hasEOL: false,
    })
    const items = [place('ב', 50, 6), place(' \u05b8', 65, 0), place(' ', 56, 6), place('א', 62, 6)]
    const ordered = orderItems(items).map((item) => ('str' in item ? item.str : ''))
    expect(ordered.join('')).toBe('אָ ב')
  })
})

describe('a line of a PDF document in English', () => {
  it('has words of Hebrew in order', async () => {
    const line: readonly Piece[] = [
      ['Say', 50],
      ['םלוע', 86],
      ['םולש', 128],
      ['to all', 170],
    ]
    expect(await extractText(drawLines(line))).toBe('Say שלום עולם to all')
  })
})
