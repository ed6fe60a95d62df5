import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { extractText } from './extract-text.js'

const readFixture = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(new URL(`../../service/fixtures/${name}`, import.meta.url)))

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('extractText reads real exports of office programs', () => {
  test('a PDF document, line by line', async () => {
    const lines = (await extractText(await readFixture('fare-table.pdf'))).split('\n')
    expect(lines.slice(0, 4)).toEqual([
      'Fares of the harbour line',
      'Valid from 1 March. Prices are in euro and include the ferry to Möweninsel.',
      'Ticket Zone A Zones A and B',
      'Single ride 2.40 3.60',
    ])
    expect(lines.at(-1)).toBe('Dogs need a ticket — except guide dogs, which are always welcome.')
  })

  test('a DOCX document, with the cells of its table separated by tabs', async () => {
    expect(await extractText(await readFixture('fare-table.docx'))).toBe(
      [
        'Fares of the harbour line',
        'Valid from 1 March. Prices are in euro and include the ferry to Möweninsel.',
        'Ticket\tZone A\tZones A and B',
        'Single ride\t2.40\t3.60',
        'Day pass\t6.80\t9.90',
        'Bicycle\t1.50\t1.50',
        'Conditions',
        'A single ride lasts ninety minutes from the first stamp. Children under six ride free with an adult.',
        'Dogs need a ticket — except guide dogs, which are always welcome.',
      ].join('\n'),
    )
  })

  test('a PPTX presentation, with a blank line between slides', async () => {
    expect(await extractText(await readFixture('fare-table.pptx'))).toBe(
      [
        'Fares of the harbour line',
        'Single ride 2.40, day pass 6.80, bicycle 1.50',
        'The ferry to Möweninsel is included',
        '',
        'Conditions',
        'Children under six ride free with an adult',
      ].join('\n'),
    )
  })

  test('an XLSX workbook, with the name of the sheet as heading', async () => {
    expect(await extractText(await readFixture('fare-table.xlsx'))).toBe(
      [
        'Fares',
        'Ticket\tZone A\tZones A and B',
        'Single ride\t2.40\t3.60',
        'Day pass\t6.80\t9.90',
        'Bicycle\t1.50\t1.50',
        'Möweninsel ferry\tincluded\tincluded',
        'Valid from\t2026-03-01',
      ].join('\n'),
    )
  })

  test('a PDF document with a password is encrypted', async () => {
    await expect(extractText(await readFixture('encrypted.pdf'))).rejects.toMatchObject({
      code: 'encrypted',
      message:
        'The file is a PDF document protected by a password. Save it without one and send it again.',
    })
  })

  test('plain text, unchanged', async () => {
    const plain = await readFixture('fare-table.txt')
    expect(await extractText(plain)).toBe(new TextDecoder().decode(plain))
  })

  test("does not change the caller's bytes", async () => {
    const pdf = await readFixture('fare-table.pdf')
    await extractText(pdf)
    expect(pdf.length).toBe(26_227)
  })
})

describe('extractText rejects files without text', () => {
  test('zero bytes are empty', async () => {
    await expect(extractText(new Uint8Array(0))).rejects.toMatchObject({
      code: 'empty',
      message: 'The file is empty: it has no bytes.',
    })
  })

  test('white space is not text', async () => {
    await expect(extractText(toBytes(' \n\t \u00a0\r\n'))).rejects.toMatchObject({
      code: 'no_text',
      message: 'The file contains no text.',
    })
  })

  test('a byte order mark only is not text', async () => {
    await expect(extractText(Uint8Array.of(0xef, 0xbb, 0xbf))).rejects.toMatchObject({
      code: 'no_text',
    })
  })
})
