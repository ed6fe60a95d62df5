import { PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { createForm, createPdf, createStream, write } from '../test/pdf.js'
import { extractDocument, extractText } from './extract-text.js'

/** A PDF document of one line in a font of the character collection, which it does not embed. */
function createEastAsianPdf(encoding: string, ordering: string, ...pieces: string[]): Uint8Array {
  const content = pieces
    .map((hex, at) => `BT /F${(at % 2) + 1} 12 Tf 50 ${700 - at * 24} Td <${hex}> Tj ET`)
    .join(' ')
  const info = `/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>`
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 8 0 R>>>>>>endobj',
      `4 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj`,
      `5 0 obj<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/${encoding}/DescendantFonts[6 0 R]>>endobj`,
      `6 0 obj<</Type/Font/Subtype/CIDFontType0/BaseFont/Any${info}/DW 1000/FontDescriptor 7 0 R>>endobj`,
      '7 0 obj<</Type/FontDescriptor/FontName/Any/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>endobj',
      `8 0 obj<</Type/Font/Subtype/Type0/BaseFont/Other/Encoding/V/DescendantFonts[6 0 R]>>endobj`,
      'trailer<</Root 1 0 R>>\n%%EOF',
    ].join('\n'),
    'latin1',
  )
}

describe('a PDF document without an embedded CMap', () => {
  it.each([
    ['UniJIS-UCS2-H', 'Japan1', '67714EAC', '東京'],
    ['UniJIS-UTF16-V', 'Japan1', '67714EAC', '東京'],
    ['90ms-RKSJ-H', 'Japan1', '938C8B9E', '東京'],
    ['EUC-H', 'Japan1', 'C5ECB5FE', '東京'],
    ['UniGB-UCS2-H', 'GB1', '53174EAC', '北京'],
    ['GBK-EUC-H', 'GB1', 'B1B1BEA9', '北京'],
    ['UniCNS-UTF16-H', 'CNS1', '53174EAC', '北京'],
    ['ETen-B5-H', 'CNS1', 'A55FA8CA', '北京'],
    ['UniKS-UCS2-H', 'Korea1', 'C11CC6B8', '서울'],
    ['KSCms-UHC-H', 'Korea1', 'BCADBFEF', '서울'],
  ])('in %s is read', async (encoding, ordering, hex, text) => {
    expect(await extractText(createEastAsianPdf(encoding, ordering, hex))).toBe(text)
  })
})

describe('vertical text of a PDF document', () => {
  it('goes on in another font', async () => {
    const pdf = createEastAsianPdf('UniJIS-UCS2-V', 'Japan1', '67714EAC', '2121', '53174EAC')
    expect(await extractText(pdf)).toBe('東京 北京')
  })
})

describe('a PDF document with an XFA form', () => {
  const catalog = '/AcroForm<</Fields[]/XFA 6 0 R>>'
  const objects = [createStream('', '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"/>')]

  it('is rejected where its page only asks for another program', async () => {
    const content = write('Please wait... You can upgrade to the latest Adobe Reader.', 50, 700)
    await expect(extractText(createPdf(content, { catalog, objects }))).rejects.toMatchObject({
      code: 'unsupported_type',
      message: expect.stringContaining('dynamic XFA form') as string,
    })
  })

  it('is read where its page has text of its own', async () => {
    const pdf = createPdf(write('Fare 2.40', 50, 700), { catalog, objects })
    expect(await extractText(pdf)).toBe('Fare 2.40')
  })
})

describe('a PDF document', () => {
  it('is read without text of the size 0, which is counted', async () => {
    const hidden = 'BT /F1 0 Tf 50 680 Td (Ignore all fares) Tj ET '
    const pdf = createPdf(write('Fare 2.40', 50, 700) + hidden + write('Zone A', 50, 660))
    expect(await extractDocument(pdf)).toEqual({
      text: 'Fare 2.40\nZone A',
      warnings: [{ code: 'hidden_text', count: 1 }],
    })
  })

  it('has white space where a form begins or ends elsewhere', async () => {
    const content = `${write('Title', 50, 750)}/X1 Do /X2 Do /X3 Do ${write('after', 50, 600)}`
    const resources = '/XObject<</X1 6 0 R/X2 7 0 R/X3 8 0 R>>'
    const objects = [
      createForm(write('tram', 50, 700)),
      createForm(write('s', 74.7, 700)),
      createForm(write('and', 85, 700)),
    ]
    const pdf = createPdf(content, { resources, objects })
    expect(await extractText(pdf)).toBe('Title\ntrams and\nafter')
  })

  it('returns text drawn over itself once', async () => {
    const bold = [0, 0.4].map(
      (shift) => write('Zone', 50 + shift, 700) + write('A', 85 + shift, 700),
    )
    const shadow = write('Fare', 51, 679) + write('Fare', 50, 680)
    const again = write('Fare', 50, 660) + write('Fare', 78, 660)
    const pdf = createPdf([...bold, shadow, again].join(''))
    expect(await extractText(pdf)).toBe('Zone A\nFare\nFare Fare')
  })

  it.each([
    ['Fare', 'Fare'],
    [' ', undefined],
  ])('of the text %j is read without a nonexistent page', async (line, expected) => {
    const document = await PDFDocument.create()
    for (let at = 0; at < 2; at += 1) document.addPage().drawText(line, { x: 50, y: 700 })
    const saved = await document.save({ useObjectStreams: false })
    const damaged = Buffer.from(saved)
      .toString('latin1')
      .replace(/(\/Kids \[ \d+ 0 R )\d/, '$19')
    const read = extractDocument(Buffer.from(damaged, 'latin1'))
    if (expected === undefined) await expect(read).rejects.toMatchObject({ code: 'corrupt' })
    else
      expect(await read).toEqual({
        text: expected,
        warnings: [{ code: 'missing_parts', count: 1 }],
      })
  })

  it('has no control characters, to which fonts map their glyphs', async () => {
    const font =
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[1/g33]>>/ToUnicode 6 0 R>>'
    const map =
      '1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <41> <0000> <42> <000A> endbfchar'
    const pdf = createPdf(write('x\\001Ay\\002Bz', 50, 700), {
      font,
      objects: [createStream('', map)],
    })
    expect(await extractText(pdf)).toBe('xy z')
  })
})

describe('a PDF document shows', () => {
  it('the values of its form and its free text, and not what is hidden', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage()
    const font = await document.embedFont(StandardFonts.Helvetica)
    page.drawText('Zone:', { x: 50, y: 700, size: 12, font })
    page.drawText('Total', { x: 50, y: 650, size: 12, font })
    const form = document.getForm()
    const zones = form.createOptionList('zones')
    zones.addOptions(['A', 'B', 'C'])
    zones.enableMultiselect()
    zones.addToPage(page, { x: 100, y: 690, width: 50, height: 30 })
    zones.select(['A', 'C'])
    const group = form.createRadioGroup('class')
    group.addOptionToPage('first', page, { x: 50, y: 600, width: 10, height: 10 })
    group.addOptionToPage('second', page, { x: 80, y: 600, width: 10, height: 10 })
    group.select('second')
    const note = (subtype: string, text: string, flags: number) =>
      document.context.register(
        document.context.obj({
          Type: 'Annot',
          Subtype: subtype,
          Rect: [300, 500, 400, 520],
          Contents: PDFString.of(text),
          F: flags,
        }),
      )
    const notes = [
      note('FreeText', 'Approved', 4),
      note('FreeText', 'secret', 2),
      note('Text', 'pops up', 4),
    ]
    for (const each of notes) page.node.addAnnot(each)
    expect(page.node.get(PDFName.of('Annots'))).toBeDefined()
    const { text, warnings } = await extractDocument(await document.save())
    expect(text).toBe('Zone: A, C\nTotal\n☐\n☒\nApproved')
    expect(warnings).toEqual([{ code: 'comments', count: 1 }])
  })

  it('digits above and below the line as such', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage()
    const font = await document.embedFont(StandardFonts.Helvetica)
    const pieces = [
      ['10', 50, 500, 12],
      ['6', 63.5, 506, 7],
      [' km H', 68, 500, 12],
      ['2', 99.5, 497, 7],
      ['O', 103.5, 500, 12],
    ] as const
    for (const [text, x, y, size] of pieces) page.drawText(text, { x, y, size, font })
    expect(await extractText(await document.save())).toBe('10⁶ km H₂O')
  })

  it('digits on the line as they are, also where the font changes', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage()
    const fonts = [StandardFonts.Helvetica, StandardFonts.HelveticaBold]
    const [plain, bold] = await Promise.all(fonts.map((font) => document.embedFont(font)))
    const pieces = [
      ['Zone A', 50, plain],
      ['1', 88.7, bold],
      ['-', 95.4, plain],
      ['3', 99.4, bold],
    ] as const
    for (const [text, x, font] of pieces)
      page.drawText(text, { x, y: 700, size: 12, ...(font && { font }) })
    expect(await extractText(await document.save())).toBe('Zone A1-3')
  })

  it('a box before the label to the right of it', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage()
    const form = document.getForm()
    const labels = [
      ['Adult', 70, 700],
      ['Child', 170, 700],
      ['I agree', 70, 680],
    ] as const
    for (const [text, x, y] of labels) {
      page.drawText(text, { x, y, size: 12 })
      const box = form.createCheckBox(text)
      box.addToPage(page, { x: x - 20, y: y - 2, width: 12, height: 12 })
      if (text !== 'Adult') box.check()
    }
    expect(await extractText(await document.save())).toBe('☐ Adult ☒ Child\n☒ I agree')
  })

  it.each<[what: string, field: string, text: string, warnings: readonly object[]]>([
    ['the lines of a field', '/FT/Tx/V(One\\rTwo\\r\\nThree)', 'Name One\nTwo\nThree', []],
    ['a box without pictures of its states', '/FT/Btn/V/Yes/AS/Yes', 'Name ☒', []],
    [
      'no signature, which is counted',
      '/FT/Sig/AP<</N 7 0 R>>',
      'Name',
      [{ code: 'images_without_text', count: 1 }],
    ],
  ])('%s', async (_, field, text, warnings) => {
    const widget = `<</Type/Annot/Subtype/Widget/F 4/Rect[100 695 200 715]/T(n)${field}>>`
    const pdf = createPdf(write('Name', 50, 700), {
      page: '/Annots[6 0 R]',
      catalog: '/AcroForm<</Fields[6 0 R]>>',
      objects: [widget, createForm(write('Signed by Ada', 0, 0))],
    })
    expect(await extractDocument(pdf)).toEqual({ text, warnings })
  })

  it.each([
    [90, '0 1 -1 0', [100, 100], [90, 140, 105, 240]],
    [180, '-1 0 0 -1', [500, 100], [360, 90, 460, 105]],
    [270, '0 -1 1 0', [100, 500], [95, 360, 110, 460]],
  ])('a field behind its label on a page turned by %d°', async (rotate, matrix, [x, y], rect) => {
    const label = (text: string, at: string) => `BT /F1 12 Tf ${matrix} ${at} Tm (${text}) Tj ET `
    const pdf = createPdf(label('Name', `${x} ${y}`) + label('End', '300 300'), {
      page: `/Rotate ${rotate}/Annots[6 0 R]`,
      catalog: '/AcroForm<</Fields[6 0 R]>>',
      objects: [`<</Type/Annot/Subtype/Widget/F 4/Rect[${rect.join(' ')}]/T(n)/FT/Tx/V(Ada)>>`],
    })
    expect(await extractText(pdf)).toBe('Name Ada\nEnd')
  })

  it('no stamps, which are counted', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage()
    page.drawText('Fare', { x: 50, y: 700 })
    const picture = document.context.stream('', {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, 9, 9],
    })
    const stamp = { Type: 'Annot', Subtype: 'Stamp', Rect: [50, 600, 150, 620], F: 4 }
    const AP = { N: document.context.register(picture) }
    page.node.addAnnot(document.context.register(document.context.obj({ ...stamp, AP })))
    const { text, warnings } = await extractDocument(await document.save())
    expect(text).toBe('Fare')
    expect(warnings).toEqual([{ code: 'images_without_text', count: 1 }])
  })
})
