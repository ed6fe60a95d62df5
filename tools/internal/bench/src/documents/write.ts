import { Document, Packer, PageBreak, Paragraph, TextRun } from 'docx'
import ExcelJs from 'exceljs'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import pptxgen from 'pptxgenjs'

export type Format = 'pdf' | 'docx' | 'pptx' | 'xlsx'

/** The pages, slides or sheets of each document. */
export const pages = 100
const linesOfPage = 40
const words = 'the ferry leaves at noon from Möweninsel and costs 2.40 for a single ride'.split(' ')

/** The word that only one page has. */
export const markPattern = /\bpage\d+mark\b/g

const createLine = (page: number, at: number): string =>
  at === 0
    ? `page${page}mark`
    : words.map((_, index) => words[(index + page + at) % words.length]).join(' ')
const createLines = (page: number) =>
  Array.from({ length: linesOfPage }, (_, at) => createLine(page, at))
const all = Array.from({ length: pages }, (_, page) => createLines(page))

// its types describe a default export within the default export that Node gives
const Presentation = pptxgen as unknown as typeof pptxgen.default

/** A document of text, as an independent library writes it. */
export function writeDocument(format: Format): Promise<Uint8Array> {
  return writers[format]()
}

const writers: Readonly<Record<Format, () => Promise<Uint8Array>>> = {
  async pdf() {
    const document = await PDFDocument.create()
    const font = await document.embedFont(StandardFonts.Helvetica)
    for (const lines of all)
      document.addPage().drawText(lines.join('\n'), { x: 40, y: 800, size: 10, font })
    return document.save()
  },
  docx() {
    const children = all.flatMap((lines) => [
      ...lines.map((text) => new Paragraph(text)),
      new Paragraph({ children: [new TextRun({ children: [new PageBreak()] })] }),
    ])
    return Packer.toBuffer(new Document({ sections: [{ children }] }))
  },
  async pptx() {
    const presentation = new Presentation()
    for (const lines of all)
      presentation.addSlide().addText(lines.join('\n'), { x: 0, y: 0, w: 9, h: 5 })
    return (await presentation.write({ outputType: 'uint8array' })) as Uint8Array
  },
  async xlsx() {
    const workbook = new ExcelJs.Workbook()
    all.forEach((lines, page) => {
      const sheet = workbook.addWorksheet(`Sheet${page}`)
      for (const [at, text] of lines.entries()) sheet.addRow([...text.split(' '), at / 100])
    })
    return new Uint8Array(await workbook.xlsx.writeBuffer())
  },
}
