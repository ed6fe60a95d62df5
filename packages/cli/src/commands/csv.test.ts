import { expect, it } from 'vitest'
import { formatCsvLine } from './account.js'

it.each([
  [['a', 1, null, 'b'], 'a,1,,b'],
  [['say "hi", you', 'a\nb', ' x'], '"say ""hi"", you","a\nb"," x"'],
  [[-0.01, 4e-7, 5], '-0.01,0.0000004,5'],
])('writes %j', (cells, line) => {
  expect(formatCsvLine(cells)).toBe(`${line}\r\n`)
})

it.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  ' =1',
  '\t=1',
  '\r=1',
  '＝1',
  '=HYPERLINK("http://x","y")',
  '|calc',
  '%0',
])('defuses the formula %j', (text) => {
  expect(formatCsvLine([text]).replace(/^"/, '')).toMatch(/^'/)
})

it.each(['tts-kokoro', 'a-b', "it's", '2026-01-02T03:04:05.000Z'])('leaves %s as it is', (text) => {
  expect(formatCsvLine([text])).toBe(`${text}\r\n`)
})
