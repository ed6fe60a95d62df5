import { PDFDocument, StandardFonts } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { createPdf, write } from '../../test/pdf.js'
import { extractText } from '../extract-text.js'

describe('bold text of a PDF document that is drawn letter by letter, each twice', () => {
  it.each([
    [StandardFonts.Helvetica, 0.2],
    [StandardFonts.TimesRoman, 0.5],
    [StandardFonts.Courier, 0.3],
  ])('is read once in %s, moved by %d', async (name, shift) => {
    const document = await PDFDocument.create()
    const page = document.addPage()
    const font = await document.embedFont(name)
    const lines = ['Filiale', 'Fall line 12.50 EUR', 'Total: 1,111.00', 'Committee will book (all)']
    lines.forEach((line, at) => {
      let x = 50
      for (const letter of line) {
        for (const move of letter === ' ' ? [] : [0, shift])
          page.drawText(letter, { x: x + move, y: 700 - at * 20, size: 10, font })
        x += font.widthOfTextAtSize(letter, 10)
      }
    })
    expect(await extractText(await document.save())).toBe(lines.join('\n'))
  })

  it('is not detected if the same letter ends one run and begins the next', async () => {
    const content = write('all', 50, 700) + write('little', 61.5, 700) + write('Total', 50, 680)
    expect(await extractText(createPdf(content))).toBe('alllittle\nTotal')
  })

  it('is not detected if letters are set close together', async () => {
    const content = 'BT /F1 12 Tf -2.6 Tc 50 700 Td (bookkeeper) Tj ET'
    expect(await extractText(createPdf(content))).toBe('bookkeeper')
  })
})

describe('text of a PDF document that is drawn over other text', () => {
  it.each([
    [
      'on a line to fill in',
      write('Name: ____________', 50, 700) + write('Ann', 90, 700),
      'Name: ____________ Ann',
    ],
    [
      'as the total of another page',
      write('Page total', 50, 700) + write('12.50', 50, 700),
      'Page total 12.50',
    ],
  ])('%s is apart from it', async (_, content, text) => {
    expect(await extractText(createPdf(content))).toBe(text)
  })
})
