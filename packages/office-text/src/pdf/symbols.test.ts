import { describe, expect, it } from 'vitest'
import { createPdf, createStream, write } from '../../test/pdf.js'
import { extractDocument } from '../extract-text.js'

const describeFont = (name: string, more = '') =>
  `/FirstChar 32/LastChar 126/Widths[]/FontDescriptor<</Type/FontDescriptor/FontName/${name}/Flags 4/FontBBox[0 0 1 1]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80${more}>>`

const embedded = '/FontFile2 6 0 R'
const mapped = '/ToUnicode 7 0 R'

/** A line in a font that the file does not embed, or of which it embeds nothing that can be read. */
function createLine(text: string, font: string): Uint8Array {
  const map =
    '1 begincodespacerange <00> <FF> endcodespacerange 4 beginbfchar <41> <F0FC> <42> <F0B7> <43> <2022> <44> <F0FF> endbfchar'
  return createPdf(write(text, 50, 700), {
    font: `<</Type/Font/Subtype/TrueType/BaseFont/${font}>>`,
    objects: [createStream('', 'no font'), createStream('', map)],
  })
}

describe('a symbol font of a PDF document', () => {
  it.each([
    ['ZapfDingbats', '4 HHHHI \\300', '', '✔ ★★★★✩ ➀'],
    ['ZapfDingbats', '4 n', '/Encoding/WinAnsiEncoding', '✔ ■'],
    ['Wingdings-Regular', '\\374 no \\250', describeFont('Wingdings-Regular'), '✓ ◼☐ ☐'],
    ['Webdings', 'a', '', '✔'],
    ['SymbolMT', 'ab \\267', describeFont('SymbolMT'), 'αβ •'],
    ['SymbolMT,Bold', 'D', '/Encoding/WinAnsiEncoding', 'Δ'],
    ['ABCDEF+Wingdings-Regular', 'n', describeFont('ABCDEF+Wingdings-Regular', embedded), '◼'],
    ['ABCDEF+Wingdings', 'AC', describeFont('ABCDEF+Wingdings', embedded) + mapped, '✓•'],
    ['ABCDEF+SymbolMT', 'B', describeFont('ABCDEF+SymbolMT', embedded) + mapped, '•'],
  ])('%s has %j as a person sees it', async (name, text, more, expected) => {
    expect((await extractDocument(createLine(text, name + more))).text).toBe(expected)
  })

  it('has characters without an equivalent in Unicode, which are counted', async () => {
    expect(await extractDocument(createLine('AD', `Wingdings2${mapped}`))).toEqual({
      text: '\uf0fc\uf0ff',
      warnings: [{ code: 'unknown_symbols', count: 2 }],
    })
  })

  it.each(['Helvetica', 'ABCDEF+Wings'])('is not %s', async (name) => {
    const pdf = createLine('4', name + describeFont(name, embedded))
    expect((await extractDocument(pdf)).text).toBe('4')
  })
})
