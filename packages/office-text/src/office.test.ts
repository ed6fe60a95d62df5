import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { defaultLimits } from './limits.js'
import { readOffice } from './office.js'
import { createWarningCounter } from './findings.js'

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const drawing = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
const linked = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'

const createArchive = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries({ '[Content_Types].xml': '<Types/>', ...parts }).map(([name, text]) => [
        name,
        strToU8(text),
      ]),
    ),
  )

const links = (
  ...entries: readonly (readonly [id: string, type: string, target: string])[]
): string =>
  `<Relationships>${entries.map(([id, type, target]) => `<Relationship Id="${id}" Type="urn:x/${type}" Target="${target}"/>`).join('')}</Relationships>`

const read = (parts: Readonly<Record<string, string>>): string =>
  readOffice(createArchive(parts), defaultLimits, createWarningCounter())

const createBody = (inside: string): string =>
  `<w:document ${word}><w:body>${inside}</w:body></w:document>`
const createParagraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

describe('a DOCX document', () => {
  test('joins runs, and keeps tabs, breaks and character references', () => {
    const inside =
      '<w:p><w:r><w:t xml:space="preserve">Single </w:t></w:r><w:r><w:t>ride</w:t><w:tab/><w:t>2.40&#x20AC;</w:t><w:br/><w:t>A &amp; B</w:t></w:r></w:p>'
    expect(read({ 'word/document.xml': createBody(inside) })).toBe('Single ride\t2.40€\nA & B')
  })

  test('leaves out deleted text, field codes, tab stops and the fallback copy of a drawing', () => {
    const inside = [
      '<w:p><w:pPr><w:tabs><w:tab w:pos="1"/></w:tabs></w:pPr><w:r><w:t>kept</w:t></w:r>',
      '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>',
      `<w:p><mc:AlternateContent><mc:Choice>${createParagraph('in a box')}</mc:Choice><mc:Fallback>${createParagraph('in a box')}</mc:Fallback></mc:AlternateContent></w:p>`,
    ].join('')
    expect(read({ 'word/document.xml': createBody(inside) })).toBe('kept\nin a box\n')
  })

  test('puts a table inside a cell on the line of its row', () => {
    const inner = `<w:tbl><w:tr><w:tc>${createParagraph('a')}</w:tc><w:tc>${createParagraph('b')}</w:tc></w:tr></w:tbl>`
    const inside = `<w:tbl><w:tr><w:tc>${createParagraph('one')}${createParagraph('two')}</w:tc><w:tc>${inner}</w:tc></w:tr></w:tbl>`
    expect(read({ 'word/document.xml': createBody(inside) })).toBe('one two\ta b')
  })

  test('reads headers before and notes after the body, equal headers once', () => {
    const part = (text: string): string => `<w:hdr ${word}>${createParagraph(text)}</w:hdr>`
    const text = read({
      'word/document.xml': createBody(createParagraph('Body')),
      'word/_rels/document.xml.rels': links(
        ['1', 'footer', 'footer1.xml'],
        ['2', 'header', 'header1.xml'],
        ['3', 'header', '/word/header2.xml'],
        ['4', 'footnotes', '../word/footnotes.xml'],
      ),
      'word/footer1.xml': part('Foot'),
      'word/header1.xml': part('Head'),
      'word/header2.xml': part('Head'),
      'word/footnotes.xml': part('Note'),
    })
    expect(text).toBe('Head\n\nBody\n\nNote\n\nFoot')
  })

  test('is found by the links of the package, whatever the name of its main part', () => {
    const text = read({
      '[Content_Types].xml':
        '<Types><Override PartName="/word/document2.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>',
      '_rels/.rels': links(['1', 'officeDocument', 'word/document2.xml']),
      'word/document2.xml': createBody(createParagraph('Single ride')),
    })
    expect(text).toBe('Single ride')
  })

  test('may be written in UTF-16', () => {
    const main = Buffer.from(`\ufeff${createBody(createParagraph('Möweninsel'))}`, 'utf16le')
    const bytes = zipSync({
      '[Content_Types].xml': strToU8('<Types/>'),
      'word/document.xml': new Uint8Array(main),
    })
    expect(readOffice(bytes, defaultLimits, createWarningCounter())).toBe('Möweninsel')
  })

  test('may be stored without compression', () => {
    const bytes = zipSync(
      {
        '[Content_Types].xml': strToU8('<Types/>'),
        'word/document.xml': strToU8(createBody(createParagraph('Stored'))),
      },
      { level: 0 },
    )
    expect(readOffice(bytes, defaultLimits, createWarningCounter())).toBe('Stored')
  })
})

describe('a PPTX presentation', () => {
  test('returns slides in the order of the presentation, each with its notes, without slide numbers', () => {
    const slide = (text: string): string =>
      `<p:sld ${drawing}><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`
    const text = read({
      'ppt/presentation.xml': `<p:presentation ${linked}><p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': links(
        ['r1', 'slide', 'slides/slide1.xml'],
        ['r2', 'slide', 'slides/slide2.xml'],
      ),
      'ppt/slides/slide1.xml': slide('Last'),
      'ppt/slides/slide2.xml': slide('First'),
      'ppt/slides/_rels/slide2.xml.rels': links([
        'n',
        'notesSlide',
        '../notesSlides/notesSlide1.xml',
      ]),
      'ppt/notesSlides/notesSlide1.xml': `<p:notes ${drawing}><a:p><a:r><a:t>Say hello</a:t></a:r></a:p><a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p></p:notes>`,
    })
    expect(text).toBe('First\n\nSay hello\n\nLast')
  })
})

describe('an XLSX workbook', () => {
  const workbook = (sheets: string, properties = ''): string =>
    `<workbook ${linked}>${properties}<sheets>${sheets}</sheets></workbook>`
  const sheet = (rows: string): string => `<worksheet><sheetData>${rows}</sheetData></worksheet>`
  const one = (rows: string, more: Readonly<Record<string, string>> = {}): string =>
    read({
      'xl/workbook.xml': workbook('<sheet name="S" r:id="r1"/>'),
      'xl/_rels/workbook.xml.rels': links(
        ['r1', 'worksheet', 'worksheets/sheet1.xml'],
        ['r2', 'sharedStrings', 'sharedStrings.xml'],
        ['r3', 'styles', 'styles.xml'],
      ),
      'xl/worksheets/sheet1.xml': sheet(rows),
      ...more,
    })

  test('shows every kind of cell', () => {
    const cells = [
      '<c t="inlineStr"><is><t>in</t><r><t>line</t></r></is></c>',
      '<c t="str"><f>A1</f><v>formula</v></c>',
      '<c t="b"><v>1</v></c>',
      '<c t="e"><v>#DIV/0!</v></c>',
      '<c t="d"><v>2026-03-01</v></c>',
      '<c><v>0.30000000000000004</v></c>',
      '<c><v>1E3</v></c>',
    ]
    expect(one(`<row>${cells.join('')}</row>`)).toBe(
      'S\ninline\tformula\tTRUE\t#DIV/0!\t2026-03-01\t0.3\t1000',
    )
  })

  test('keeps empty cells between others as empty columns, and leaves out empty rows', () => {
    expect(
      one(
        '<row r="1"><c r="B1"><v>1</v></c><c r="E1"><v>2</v></c><c r="F1"/></row><row r="2"/><row r="3"><c r="A3"><v>3</v></c></row>',
      ),
    ).toBe('S\n\t1\t\t\t2\n3')
  })

  test('takes shared strings without their phonetic readings, on one line', () => {
    const strings =
      '<sst><si><r><t>Möwen</t></r><r><t>insel</t></r></si><si><t>渡し船</t><rPh><t>わたしぶね</t></rPh></si><si><t>two\nlines</t></si></sst>'
    const row =
      '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>9</v></c></row>'
    expect(one(row, { 'xl/sharedStrings.xml': strings })).toBe('S\nMöweninsel\t渡し船\ttwo lines')
  })

  test('writes dates and times as ISO 8601', () => {
    const styles = [
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/></numFmts>',
      '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>',
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="21"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    ]
    const row =
      '<row><c s="0"><v>46082</v></c><c s="1"><v>46082</v></c><c s="2"><v>46082.395833333336</v></c><c s="3"><v>0.5</v></c><c s="4"><v>2</v></c><c s="1"><v>1</v></c></row>'
    expect(one(row, { 'xl/styles.xml': styles.join('') })).toBe(
      'S\n46082\t2026-03-01\t2026-03-01T09:30:00\t12:00:00\t2.00 days\t1900-01-01',
    )
  })

  test('counts days from 1904 if the workbook does', () => {
    const text = one('<row><c s="0"><v>44620</v></c></row>', {
      'xl/workbook.xml': workbook('<sheet name="S" r:id="r1"/>', '<workbookPr date1904="1"/>'),
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
    })
    expect(text).toBe('S\n2026-03-01')
  })

  test('returns sheets in the order of the workbook, and omits empty ones', () => {
    const text = read({
      'xl/workbook.xml': workbook(
        '<sheet name="Second" r:id="r2"/><sheet name="Empty" r:id="r3"/><sheet name="First" r:id="r1"/>',
      ),
      'xl/_rels/workbook.xml.rels': links(
        ['r1', 'worksheet', 'a.xml'],
        ['r2', 'worksheet', 'b.xml'],
        ['r3', 'worksheet', 'c.xml'],
      ),
      'xl/a.xml': sheet('<row><c><v>1</v></c></row>'),
      'xl/b.xml': sheet('<row><c><v>2</v></c></row>'),
      'xl/c.xml': sheet('<row/>'),
    })
    expect(text).toBe('Second\n2\n\nFirst\n1')
  })
})

describe('an archive without an Office document', () => {
  test.each([
    ['a ZIP archive without an Office document', { 'notes.txt': 'Single ride' }],
    ['an OpenDocument or EPUB file', { mimetype: 'application/vnd.oasis.opendocument.text' }],
  ])('is rejected as %s', (name, parts) => {
    const bytes = zipSync(
      Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])),
    )
    expect(() => readOffice(bytes, defaultLimits, createWarningCounter())).toThrow(
      expect.objectContaining({
        code: 'unsupported_type',
        message: `The file is ${name}. Accepted are PDF, DOCX, PPTX, XLSX and plain text.`,
      }),
    )
  })

  test('is corrupt if its relationships name a missing one', () => {
    expect(() => read({ '_rels/.rels': links(['1', 'officeDocument', 'word/gone.xml']) })).toThrow(
      expect.objectContaining({ code: 'corrupt' }),
    )
  })

  test('a binary workbook is rejected by name', () => {
    const parts = {
      '[Content_Types].xml':
        '<Types><Override PartName="/xl/workbook.bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
      '_rels/.rels': links(['1', 'officeDocument', 'xl/workbook.bin']),
      'xl/workbook.bin': 'x',
    }
    expect(() => read(parts)).toThrow(
      expect.objectContaining({
        code: 'unsupported_type',
        message: expect.stringContaining('XLSB') as string,
      }),
    )
  })
})
