import { expect, it } from 'vitest'
import { createPdf, write } from '../../test/pdf.js'
import { extractText } from '../extract-text.js'

it.each([
  ['radicals that look like Chinese characters', '/uni2F49/uni2F00/uni672C', '月一本'],
  ['signs of vertical text', '/uniFE41/uni672C/uniFE42/uniFE12', '「本」。'],
  ['ligatures and narrow spaces', '/uniFB03/uni2009/uniFB01', 'ffi fi'],
])('%s in a PDF document are read as what a person types', async (_, names, text) => {
  const font = `<</Type/Font/Subtype/Type1/BaseFont/Any/FirstChar 0/LastChar 255/Widths[${'1000 '.repeat(256)}]/Encoding<</Type/Encoding/Differences[128${names}]>>>>`
  expect(await extractText(createPdf(write('\\200\\201\\202\\203', 50, 700), { font }))).toBe(text)
})
