import { expect, it } from 'vitest'
import { createPdf, write } from '../../test/pdf.js'
import { extractText } from '../extract-text.js'

const font = `<</Type/Font/Subtype/Type1/BaseFont/Any/FirstChar 0/LastChar 255/Widths[${'1000 '.repeat(256)}]/Encoding<</Type/Encoding/Differences[128/uni7E26/uni66F8/uni304D/uni3002]>>>>`

/** Draws letters below one another. */
const drawColumn = (letters: string, x: number, pitch: number) =>
  Array.from(letters, (letter, at) => {
    const code = 128 + '縦書き。'.indexOf(letter)
    return write(`\\${code.toString(8)}`, x, 700 - pitch * at)
  }).join('')

it('letters that a PDF document draws from top to bottom are one line', async () => {
  const content = `${drawColumn('縦書き。', 80, 12)}${drawColumn('書き縦', 60, 13)}${write('Fare', 50, 600)}`
  expect(await extractText(createPdf(content, { font }))).toBe('縦書き。\n書き縦\nFare')
})

it('letters in the rows of a table stay lines', async () => {
  expect(await extractText(createPdf(drawColumn('縦書き', 80, 18), { font }))).toBe('縦\n書\nき')
})
