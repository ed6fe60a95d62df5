import { describe, expect, it } from 'vitest'
import { linkParts, readParts, type Parts } from '../test/parts.js'

const createRows = (...each: string[]) => each.map((cells) => `<row>${cells}</row>`).join('')
const createNumberCell = (value: string, style = 0) => `<c s="${style}"><v>${value}</v></c>`
const inline = (text: string, at = '') =>
  `<c t="inlineStr"${at === '' ? '' : ` r="${at}"`}><is><t>${text}</t></is></c>`

const read = (sheet: string, more: Parts = {}) =>
  readParts({
    'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': linkParts(
      ['1', 'worksheet', 'sheet.xml'],
      ['2', 'styles', 'styles.xml'],
    ),
    'xl/sheet.xml': `<worksheet>${sheet}</worksheet>`,
    ...more,
  })
const escapeXml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
const show = async (code: string | number, value: string, properties = '') => {
  const id = typeof code === 'number' ? code : 164
  const definition =
    typeof code === 'number'
      ? ''
      : `<numFmts><numFmt numFmtId="164" formatCode="${escapeXml(code)}"/></numFmts>`
  const { text } = await read(`<sheetData>${createRows(createNumberCell(value, 0))}</sheetData>`, {
    'xl/styles.xml': `<styleSheet>${definition}<cellXfs><xf numFmtId="${id}"/></cellXfs><dxfs><dxf><numFmt numFmtId="${id}" formatCode="yyyy"/></dxf></dxfs></styleSheet>`,
    'xl/workbook.xml': `<workbook>${properties}<sheets><sheet name="S" r:id="1"/></sheets></workbook>`,
  })
  return text.slice(2)
}

describe('a number in the format', () => {
  it.each<[code: string | number, value: string, text: string]>([
    ['0.00', '2.4', '2.40'],
    ['0%', '0.256', '26%'],
    ['0.00%', '0.256', '25.60%'],
    ['#,##0.00 [$€-407]', '1234.5', '1,234.50 €'],
    ['[$€-407] #,##0', '1234', '€ 1,234'],
    ['[$-407]#,##0', '1234', '1,234'],
    ['"$"#,##0;[Red]("$"#,##0)', '-1234', '($1,234)'],
    ['# ?/?', '0.5', '1/2'],
    ['0.00E+00', '12345', '1.23E+04'],
    ['[h]:mm', '1.5', '36:00'],
    ['[mm]:ss', '0.5', '720:00'],
    ['[h]:mm:ss', '1.5', '36:00:00'],
    ['[h]', '1.5', '36'],
    ['[mm]', '0.5', '720'],
    ['[ss]', '-0.01', '-864'],
    ['[h]:mm', '-1.25', '-30:00'],
    ['[h]:mm;-[h]:mm', '-0.5', '-12:00'],
    ['[h]\\:mm;- [h]\\:mm;0\\:00', '-0.125', '- 3:00'],
    ['[mm]:ss" min;";[Red]-[mm]:ss', '-0.01', '-14:24'],
    ['[h]:mm;-[h]:mm', '1.5', '36:00'],
    ['mm:ss.00', '0.00012', '00:00:10.37'],
    ['yyyy-mm-dd hh:mm:ss.000', '45352.5001234', '2024-03-01T12:00:10.662'],
    ['General', '0.30000000000000004', '0.3'],
    ['General', '123456789012345', '123456789012345'],
    ['G/通用格式', '12.5', '12.5'],
    ['@', '12', '12'],
    ['General" kg"', '12.5', '12.5 kg'],
    ['0 \\d', '5', '5 d'],
    ['0;yyyy', '5', '5'],
    ['[Red]0', '5', '5'],
    ['"d', '5', '5'],
    ['yyyy-mm-dd', '45352', '2024-03-01'],
    ['DD.MM.YY', '45352', '2024-03-01'],
    ['[$-411]ggge"年"m"月"d"日"', '45352', '2024-03-01'],
    ['d/m/yyyy h:mm', '45352.25', '2024-03-01T06:00:00'],
    ['h:mm AM/PM', '45352.25', '06:00:00'],
    ['mm:ss', '0.5', '12:00:00'],
    ['yyyy-mm-dd', '-5', '-5'],
    ['d/m/yyyy;;"never"', '0', 'never'],
    ['d/m/yyyy;;"never";@', '45352', '2024-03-01'],
    ['d/m/yyyy;@', '0.5', '12:00:00'],
    ['[=0]"-";d/m/yyyy', '45352', '2024-03-01'],
    ['[=0]"-";d/m/yyyy', '0', '-'],
    ['[<1]h:mm;[<=2]0;d/m/yyyy', '0.5', '12:00:00'],
    ['[<1]h:mm;[<=2]0;d/m/yyyy', '2', '2'],
    ['[<1]h:mm;[<>3]0;d/m/yyyy', '3', '1900-01-03'],
    [9, '0.5', '50%'],
    [10, '0.5', '50.00%'],
    [12, '0.25', '1/4'],
    [14, '45352', '2024-03-01'],
    [31, '45352', '2024-03-01'],
    [34, '0.5', '12:00:00'],
    [37, '-1234', '-1,234'],
    [44, '12.5', '$12.50'],
    [46, '1.5', '36:00:00'],
    [57, '45352', '2024-03-01'],
    [71, '45352', '2024-03-01'],
    [79, '1.5', '36:00:00'],
  ])('%s of %s is %s', async (code, value, text) => {
    expect(await show(code, value)).toBe(text)
  })

  it('of 1904 counts its days from then', async () => {
    const properties = '<workbookPr date1904="true"/>'
    expect(await show(14, '0', properties)).toBe('1904-01-01')
    expect(await show('yyyy-mm-dd', '43890', properties)).toBe('2024-03-01')
  })
})

describe('a sheet', () => {
  it('shows a merged cell once', async () => {
    const cells = [1, 2, 3].map(
      (row) =>
        `<row r="${row}">${['A', 'B', 'C'].map((column) => inline(`${column}${row}`, `${column}${row}`)).join('')}</row>`,
    )
    const { text } = await read(
      `<sheetData>${cells.join('')}</sheetData><mergeCells><mergeCell ref="A1:B2"/><mergeCell ref="C2:C3"/></mergeCells>`,
    )
    expect(text).toBe('S\nA1\t\tC1\n\t\tC2\nA3\tB3')
  })

  it('shows a date that is stored as text without an empty time', async () => {
    const cells =
      '<c t="d"><v>2024-03-01T00:00:00.000Z</v></c><c t="d"><v>2024-03-01T09:30:00</v></c>'
    expect((await read(`<sheetData>${createRows(cells)}</sheetData>`)).text).toBe(
      'S\n2024-03-01\t2024-03-01T09:30:00',
    )
  })

  it.each([
    ['_x000D_', 'a_x000D_\nb', 'a b'],
    ['an escaped underscore', 'id_x005F_x0041_end', 'id_x0041_end'],
    ['no escape', 'a_x00_b_', 'a_x00_b_'],
    ['a letter', '_x0041_', 'A'],
  ])('unescapes %s', async (_, stored, shown) => {
    const cells = `${inline(stored)}<c t="str"><v>${stored}</v></c>`
    expect((await read(`<sheetData>${createRows(cells)}</sheetData>`)).text).toBe(
      `S\n${shown}\t${shown}`,
    )
  })

  it('shows cells in the order of their columns', async () => {
    const cells = '<c r="C1"><v>3</v></c><c r="a1"><v>1</v></c>'
    expect((await read(`<sheetData>${createRows(cells)}</sheetData>`)).text).toBe('S\n1\t\t3')
  })

  it('has no control characters of its escapes', async () => {
    const cells = inline('a_x0000_b_x0007_c_x000A_d')
    expect((await read(`<sheetData>${createRows(cells)}</sheetData>`)).text).toBe('S\nabc d')
  })

  it('shows powers, and the symbols of the fonts of runs and cells', async () => {
    const strings = [
      '<si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r></si>',
      '<si><r><rPr><rFont val="Wingdings"/></rPr><t>þ</t></r><r><t> yes</t></r></si>',
      '<si><t>o</t></si>',
    ]
    const cells = [0, 1, 2].map((at) => `<c t="s" s="${at === 2 ? 1 : 0}"><v>${at}</v></c>`)
    const { text } = await read(`<sheetData>${createRows(cells.join(''))}</sheetData>`, {
      'xl/_rels/workbook.xml.rels': linkParts(
        ['1', 'worksheet', 'sheet.xml'],
        ['2', 'styles', 'styles.xml'],
        ['3', 'sharedStrings', 'strings.xml'],
      ),
      'xl/strings.xml': `<sst>${strings.join('')}</sst>`,
      'xl/styles.xml':
        '<styleSheet><fonts><font><name val="Arial"/></font><font><name val="Wingdings"/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1"/></cellXfs></styleSheet>',
    })
    expect(text).toBe('S\n10⁶\t☑ yes\t☐')
  })

  it('of strings whose cell states no type or another one is read', async () => {
    const cells = '<c><is><t>Fare</t></is></c><c t="str"><is><t>Zone</t></is></c><c><v>1</v></c>'
    const { text } = await read(`<sheetData>${createRows(cells)}</sheetData>`)
    expect(text).toBe('S\nFare\tZone\t1')
  })

  it.each([
    ['a formula without a value', '<c><f>1+1</f></c>', '', 'formulas_without_value'],
    ['a number that its format hides', createNumberCell('5'), ';;;', 'hidden_text'],
    ['a string that its format hides', '<c t="str"><v>x</v></c>', ';;;', 'hidden_text'],
  ])('counts %s', async (_, cell, code, warning) => {
    const { text, warnings } = await read(
      `<sheetData>${createRows(cell, '<c s="1"><v>1</v></c>')}</sheetData>`,
      {
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="164"/><xf numFmtId="0"/></cellXfs></styleSheet>`,
      },
    )
    expect(text).toBe('S\n1')
    expect(warnings).toEqual([{ code: warning, count: 1 }])
  })

  it('is followed by its form controls and embedded files', async () => {
    const control = (type: string, caption: string, more = '') =>
      `<v:shape><v:textbox><div><font>${caption}</font></div></v:textbox><x:ClientData ObjectType="${type}">${more}</x:ClientData></v:shape>`
    const { text, warnings } = await read('<sheetData/>', {
      'xl/_rels/sheet.xml.rels': linkParts(
        ['1', 'drawing', 'drawing.xml'],
        ['2', 'vmlDrawing', 'controls.vml'],
        ['3', 'oleObject', 'object.bin'],
      ),
      'xl/drawing.xml': '<wsDr><sp><a:p><a:r><a:t>Adult</a:t></a:r></a:p></sp></wsDr>',
      'xl/controls.vml': `<xml>${control('Checkbox', 'Adult', '<x:Checked>1</x:Checked>')}${control('Checkbox', 'Child')}${control('Button', 'Send')}${control('Note', 'a comment')}</xml>`,
      'xl/object.bin': new Uint8Array(9),
    })
    expect(text).toBe('S\n☒ Adult\n☐ Child\nSend')
    expect(warnings).toEqual([{ code: 'unread_parts', count: 1 }])
  })

  it('is marked if it is hidden, and a missing one is counted', async () => {
    const { text, warnings } = await read(
      `<sheetData>${createRows(createNumberCell('1'))}</sheetData>`,
      {
        'xl/workbook.xml':
          '<workbook><sheets><sheet name="A" state="veryHidden" r:id="1"/><sheet name="B" r:id="9"/></sheets></workbook>',
      },
    )
    expect(text).toBe('A (hidden)\n1')
    expect(warnings).toEqual([{ code: 'missing_parts', count: 1 }])
  })

  it('is followed by its drawings', async () => {
    const { text } = await read('<sheetData/>', {
      'xl/_rels/sheet.xml.rels': linkParts(['1', 'drawing', 'drawings/drawing1.xml']),
      'xl/drawings/drawing1.xml':
        '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Fares</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>',
    })
    expect(text).toBe('S\nFares')
  })

  it('is corrupt if all of it is missing', async () => {
    await expect(
      readParts({
        'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': linkParts(['1', 'worksheet', 'gone.xml']),
      }),
    ).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('stops at endless merges', async () => {
    const cells = createRows(...Array.from({ length: 3000 }, () => createNumberCell('1')))
    const merges = '<mergeCell ref="B1:XFD1048576"/>'.repeat(2000)
    await expect(
      read(`<sheetData>${cells}</sheetData><mergeCells>${merges}</mergeCells>`),
    ).rejects.toMatchObject({
      code: 'too_complex',
    })
  })
})

describe('the name of a part', () => {
  it.each<[how: string, rename: (name: string) => string]>([
    ['as the relationship has it', (name) => name],
    ['in capitals', (name) => name.toUpperCase()],
    ['with backslashes', (name) => name.replaceAll('/', '\\')],
    ['with a slash before it', (name) => `/${name}`],
    ['in percent-encoding', (name) => name.replace('sheet', '%73heet')],
    ['below a dot', (name) => `./${name}`],
  ])('is found %s', async (_, rename) => {
    const parts: Parts = {
      '[Content_Types].xml':
        '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
      '_rels/.rels': linkParts(['1', 'officeDocument', 'xl\\workbook.xml']),
      'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': linkParts(['1', 'worksheet', '/xl/my%20sheet.xml']),
      'xl/my sheet.xml': `<worksheet><sheetData>${createRows(createNumberCell('7'))}</sheetData></worksheet>`,
    }
    const renamed = Object.entries(parts).map(
      ([name, part]) => [name.startsWith('[') ? name : rename(name), part] as const,
    )
    expect((await readParts(Object.fromEntries(renamed))).text).toBe('S\n7')
  })
})
