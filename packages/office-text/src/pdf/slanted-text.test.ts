import { describe, expect, it } from 'vitest'
import { createPdf } from '../../test/pdf.js'
import { extractText } from '../extract-text.js'

/** Draws text at a place, slanted by a part of its height. */
const slant = (text: string, x: number, y: number, by = 0.25) =>
  `BT /F1 12 Tf 1 0 ${by} 1 ${x} ${y} Tm (${text}) Tj ET\n`

describe('slanted text of a PDF document', () => {
  it('is on the line of the text before it', async () => {
    const content =
      slant('Price of', 50, 700, 0) + slant('a monthly', 96, 700) + slant('ticket', 156, 700, 0)
    expect(await extractText(createPdf(content))).toBe('Price of a monthly ticket')
  })

  it('is one line where it is drawn word by word', async () => {
    const content = slant('All', 50, 700) + slant('this', 70, 700) + slant('is', 200, 700)
    expect(await extractText(createPdf(content))).toBe('All this is')
  })

  it('has its own lines', async () => {
    const content = slant('One', 50, 700) + slant('two', 50, 684) + slant('raised', 90, 692)
    expect(await extractText(createPdf(content))).toBe('One\ntwo\nraised')
  })
})
