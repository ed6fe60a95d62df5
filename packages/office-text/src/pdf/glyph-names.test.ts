import { describe, expect, it } from 'vitest'
import { createPdf, write } from '../../test/pdf.js'
import { extractDocument, extractText } from '../extract-text.js'

function createFont(differences: string): string {
  return `<</Type/Font/Subtype/Type1/BaseFont/Libertine/FirstChar 0/LastChar 255/Widths[${'500 '.repeat(256)}]/Encoding<</Type/Encoding/Differences[${differences}]>>>>`
}

describe('text of a PDF document whose glyphs have no character but a name', () => {
  it('has its old style digits', async () => {
    const font = createFont('128/one.oldstyle/zero.os/dollar.taboldstyle')
    const pdf = createPdf(write('Fares of \\202 \\200\\201', 50, 700), { font })
    expect(await extractText(pdf)).toBe('Fares of $ 10')
  })

  it('has its ligatures', async () => {
    const font = createFont('9/f_f 27/f_f_i/c_t.liga/uni00660069/u1F68B')
    const pdf = createPdf(write('di\\011erent o\\033ces, a\\034ive \\036', 50, 700), { font })
    expect(await extractText(pdf)).toBe('different offices, active 🚋')
  })

  it('has nothing for names without a meaning', async () => {
    const font = createFont('128/g37/.notdef/uni/one_g37/uFFFFFF')
    const pdf = createPdf(write('Zone \\200\\201\\202\\203\\204A', 50, 700), { font })
    expect(await extractText(pdf)).toBe('Zone A')
  })

  it('has a warning for glyphs that are mapped to zero, as Thai tone marks are', async () => {
    const font = createFont('0/.notdef')
    const pdf = createPdf(write('Fare\\000 of\\000 2.40', 50, 700), { font })
    expect(await extractDocument(pdf)).toEqual({
      text: 'Fare of 2.40',
      warnings: [{ code: 'unknown_symbols', count: 2 }],
    })
  })
})
