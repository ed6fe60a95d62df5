import { countRounds } from '@farebox/testing/rounds'
import {
  Document,
  Footer,
  Header,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx'
import ExcelJs from 'exceljs'
import * as fc from 'fast-check'
import { PDFDocument } from 'pdf-lib'
import pptxgen from 'pptxgenjs'
import { describe, expect, test } from 'vitest'
import { extractDocument } from './extract-text.js'

// Documents with known text, written by independent programs.

// its types describe a default export within the default export that Node gives
const Presentation = pptxgen as unknown as typeof pptxgen.default

const runs = countRounds(75)
const word = fc.stringMatching(/^[A-Za-zäöü渡し0-9]{1,8}$/)
const sentence = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))
const sentences = fc.array(sentence, { minLength: 1, maxLength: 6 })
const rows = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.array(fc.array(sentence, { minLength: width, maxLength: width }), {
    minLength: 1,
    maxLength: 4,
  }),
)

const check = <T>(values: fc.Arbitrary<T>, property: (value: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(values, property), { numRuns: runs })

describe('text round-trips through a document of', () => {
  test('docx', async () => {
    await check(
      fc.tuple(sentence, sentences, rows, sentence),
      async ([head, body, table, foot]) => {
        const document = new Document({
          sections: [
            {
              headers: { default: new Header({ children: [new Paragraph(head)] }) },
              footers: { default: new Footer({ children: [new Paragraph(foot)] }) },
              children: [
                ...body.map(
                  (text) =>
                    new Paragraph({ children: text.split(/(?= )/).map((run) => new TextRun(run)) }),
                ),
                new Table({
                  rows: table.map(
                    (cells) =>
                      new TableRow({
                        children: cells.map(
                          (text) => new TableCell({ children: [new Paragraph(text)] }),
                        ),
                      }),
                  ),
                }),
              ],
            },
          ],
        })
        const { text, warnings } = await extractDocument(await Packer.toBuffer(document))
        const lines = [...body, ...table.map((cells) => cells.join('\t'))]
        expect(text).toBe(`${head}\n\n${lines.join('\n')}\n\n${foot}`)
        expect(warnings).toEqual([])
      },
    )
  })

  test('pptxgenjs', async () => {
    const points = fc.array(fc.tuple(sentence, fc.integer({ min: 0, max: 1e6 })), {
      minLength: 1,
      maxLength: 4,
    })
    await check(
      fc.tuple(sentences, rows, sentence, sentence, points),
      async ([titles, table, notes, series, data]) => {
        const presentation = new Presentation()
        for (const title of titles) presentation.addSlide().addText(title, { x: 1, y: 1 })
        const last = presentation.addSlide()
        last.addTable(table.map((cells) => cells.map((text) => ({ text }))))
        last.addNotes(notes)
        const labels = data.map(([label], at) => `${at} ${label}`)
        const values = data.map(([, value]) => value)
        last.addChart(presentation.ChartType.bar, [{ name: series, labels, values }])
        const bytes = (await presentation.write({ outputType: 'uint8array' })) as Uint8Array
        const { text } = await extractDocument(bytes)
        const chart = [`\t${series}`, ...labels.map((label, at) => `${label}\t${values[at] ?? ''}`)]
        const slides = [
          ...titles,
          [...table.map((cells) => cells.join('\t')), ...chart].join('\n'),
          notes,
        ]
        expect(text).toBe(slides.join('\n\n'))
      },
    )
  })

  test('exceljs', async () => {
    const number = fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 100)
    const name = fc.stringMatching(/^[A-Za-z]{1,8}$/)
    const date = fc
      .integer({ min: Date.UTC(1901, 0) / 1000, max: Date.UTC(2200, 0) / 1000 })
      .map((seconds) => new Date(seconds * 1000))
    const sheets = fc.uniqueArray(fc.tuple(name, rows, number, date), {
      selector: ([title]) => title.toLowerCase(),
      minLength: 1,
      maxLength: 3,
    })
    await check(sheets, async (given) => {
      const workbook = new ExcelJs.Workbook()
      for (const [title, table, value, day] of given) {
        const sheet = workbook.addWorksheet(title)
        for (const cells of table) sheet.addRow(cells)
        const row = sheet.addRow([value, value / 100, day])
        row.getCell(1).numFmt = '0.00'
        row.getCell(2).numFmt = '0.00%'
        row.getCell(3).numFmt = 'yyyy-mm-dd'
      }
      const { text, warnings } = await extractDocument(
        new Uint8Array(await workbook.xlsx.writeBuffer()),
      )
      const parts = given.map(([title, table, value, day]) => {
        const last = [value.toFixed(2), `${value.toFixed(2)}%`]
        const lines = [title, ...table.map((cells) => cells.join('\t')), last.join('\t')].join('\n')
        return { lines, day: day.toISOString().slice(0, 10) }
      })
      const days = text
        .split('\n')
        .flatMap((line) => /\t(\d{4}-\d\d-\d\d)\S*$/.exec(line)?.[1] ?? [])
      expect(text.replaceAll(/\t\d{4}-\d\d-\d\d\S*$/gm, '')).toBe(
        parts.map(({ lines }) => lines).join('\n\n'),
      )
      expect(days).toEqual(parts.map(({ day }) => day))
      expect(warnings).toEqual([])
    })
  })

  test('pdf-lib, with the values of its form', async () => {
    const ascii = fc.stringMatching(/^[A-Za-z0-9]{1,12}$/)
    await check(
      fc.tuple(ascii, ascii, ascii, fc.boolean()),
      async ([label, value, choice, checked]) => {
        const document = await PDFDocument.create()
        const page = document.addPage()
        page.drawText(`${label}:`, { x: 50, y: 700, size: 12 })
        const form = document.getForm()
        const field = form.createTextField('name')
        field.setText(value)
        field.addToPage(page, { x: 200, y: 695, width: 100, height: 20 })
        const list = form.createDropdown('list')
        list.addOptions([choice, 'another'])
        list.select(choice)
        list.addToPage(page, { x: 200, y: 600, width: 100, height: 20 })
        const box = form.createCheckBox('box')
        box.addToPage(page, { x: 200, y: 500, width: 10, height: 10 })
        if (checked) box.check()
        document.addPage()
        const { text, warnings } = await extractDocument(await document.save())
        expect(text).toBe(`${label}: ${value}\n${choice}\n${checked ? '☒' : '☐'}`)
        expect(warnings).toEqual([{ code: 'pages_without_text', count: 1 }])
      },
    )
  })
})
