import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { showDocuments } from '../test/libreoffice.js'
import { extractText } from './extract-text.js'
import { ExtractTextError } from './findings.js'

// The words and numbers that LibreOffice shows of a document are in our text. Not counted are words
// that LibreOffice breaks at the end of a line, numbers of a document with charts, as the scale of
// an axis is computed, and the words that LibreOffice itself writes into a sheet. Dates are compared
// by their parts, since ours are ISO 8601. `decisions/media.md` says what is missing in the rest.

const listWords = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Each date and time of our text with its parts as other notations write them. */
const dates = /\b(?:(\d{4})-(\d\d)-(\d\d))?(?:T|\b)(?:(\d\d):(\d\d):(\d\d))?/g

function listDateParts(ours: string): readonly string[] {
  const parts = new Set<string>()
  for (const [whole, year, month, day, hour, minute, second] of ours.matchAll(dates)) {
    if (whole === '') continue
    if (year !== undefined) {
      const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
      const name = (options: Intl.DateTimeFormatOptions) =>
        date.toLocaleDateString('en', { ...options, timeZone: 'UTC' }).toLowerCase()
      if (!Number.isNaN(date.getTime()))
        for (const length of ['short', 'long'] as const)
          parts.add(name({ month: length })).add(name({ weekday: length }))
      parts.add(year.slice(2))
    }
    if (hour !== undefined)
      parts.add(String(Number(hour) % 12 || 12)).add(Number(hour) < 12 ? 'am' : 'pm')
    for (const part of [year, month, day, hour, minute, second])
      if (part !== undefined) parts.add(part).add(String(Number(part)))
  }
  return [...parts]
}

/** Codes of errors, and labels of pivot tables, which LibreOffice computes anew. */
const ownWords = /Err:\d{3}|\bTotal Result\b|\(empty\)/g

/** A larger sheet says nothing new. */
const maxCharacters = 5_000_000

/** LibreOffice opens files of other types by their content, and some with a password of its own. */
const rejected: ReadonlySet<string> = new Set(['encrypted', 'unsupported_type'])

function judge(ours: string, theirs: readonly string[], hasChart: boolean): number {
  const bag = new Set([...listWords(ours), ...listDateParts(ours)])
  const solid = ours.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '')
  const missing = theirs.filter(
    (word) => !bag.has(word) && !(/^\p{N}+$/u.test(word) ? hasChart : solid.includes(word)),
  )
  return 1 - missing.length / theirs.length
}

test.each([
  ['docx', 0.92],
  ['pptx', 0.94],
  ['xlsx', 0.94],
] as const)('at least 0.95 of the words of a %s file, in %d of the files', async (kind, wanted) => {
  let files = 0
  const poor: string[] = []
  for (const { path, text } of await showDocuments(kind, Number(process.env['STEP'] ?? 1))) {
    const theirs = listWords(text.replaceAll(ownWords, ' '))
    if (theirs.length === 0 || text.length > maxCharacters) continue
    const bytes = new Uint8Array(await readFile(path))
    const ours = await extractText(bytes).catch((error: unknown) => {
      if (!(error instanceof ExtractTextError)) throw error
      return rejected.has(error.code) ? undefined : ''
    })
    if (ours === undefined) continue
    files += 1
    const share = judge(ours, theirs, /charts?\/chart/i.test(Buffer.from(bytes).toString('latin1')))
    if (share < 0.95) poor.push(`${share.toFixed(2)} ${path}`)
  }
  const share = 1 - poor.length / files
  const report = [`${kind}: ${files - poor.length} of ${files}, ${share.toFixed(3)}`, ...poor]
  process.stdout.write(`${report.join('\n')}\n`)
  expect(files).toBeGreaterThan(20)
  expect(share).toBeGreaterThanOrEqual(wanted)
})
