import { expect, test } from 'vitest'
import { createPdf, write } from '../../test/pdf.js'
import { extractText } from '../extract-text.js'

test.each([
  [
    'by the spacing of characters',
    'BT /F1 12 Tf 6 Tc 50 700 Td (NO 12.50 GRAND) Tj ET',
    'NO 12.50 GRAND',
  ],
  [
    'by gaps',
    'BT /F1 12 Tf 50 700 Td [(T)-200(O)-200(T)-200(A)-200(L)-200( )-200(F)-200(A)-200(R)-200(E)]TJ ET',
    'TOTAL FARE',
  ],
])('letters that are set apart %s are a word', async (_, content, expected) => {
  expect(await extractText(createPdf(content))).toBe(expected)
})

test.each([
  ['typed', write('Z O N E', 50, 700)],
  [
    'cells of a table',
    Array.from('ZONE', (letter, at) => write(letter, 50 + 12 * at, 700)).join(''),
  ],
])('letters that are %s stay apart', async (_, content) => {
  expect(await extractText(createPdf(content))).toBe('Z O N E')
})

test('the spacing of characters ends with the graphics state', async () => {
  const drawn = `q 6 Tc ${write('TOTAL', 50, 700)} Q BT /F1 12 Tf 50 680 Td [(a)-333(b)-333(c)-333(d)]TJ ET`
  expect(await extractText(createPdf(drawn))).toBe('TOTAL\na b c d')
})

test('words stay apart whose letters and spaces are drawn one by one', async () => {
  const content = Array.from('Tr FARE of tickets', (letter, at) => write(letter, 50 + 8 * at, 700))
  const font = `<</Type/Font/Subtype/Type1/BaseFont/Any/FirstChar 0/LastChar 255/Widths[${'500 '.repeat(256)}]>>`
  expect(await extractText(createPdf(content.join(''), { font }))).toBe('Tr FARE of tickets')
})
