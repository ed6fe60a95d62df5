import { describe, expect, it } from 'vitest'
import { linkParts, readParts } from '../test/parts.js'

const block = (at: number) => `<bk><extLst><ext><xlrd:rvb i="${at}"/></ext></extLst></bk>`

/** A workbook whose rich values are in another order than the metadata of its cells. */
const readCells = (cells: string) =>
  readParts({
    'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': linkParts(
      ['1', 'worksheet', 'sheet.xml'],
      ['2', 'sheetMetadata', 'metadata.xml'],
      ['3', 'rdRichValue', 'richData/rdrichvalue.xml'],
      ['4', 'rdRichValueStructure', 'richData/rdrichvaluestructure.xml'],
    ),
    'xl/sheet.xml': `<worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`,
    'xl/metadata.xml': `<metadata><metadataTypes><metadataType name="XLDAPR"/><metadataType name="XLRICHVALUE"/></metadataTypes><futureMetadata name="XLDAPR"><bk/></futureMetadata><futureMetadata name="XLRICHVALUE">${[2, 1, 0, 3].map(block).join('')}</futureMetadata><cellMetadata><bk><rc t="1" v="0"/></bk></cellMetadata><valueMetadata>${[0, 1, 2, 3].map((at) => `<bk><rc t="2" v="${at}"/></bk>`).join('')}</valueMetadata></metadata>`,
    'xl/richData/rdrichvalue.xml':
      '<rvData><rv s="1"><v>5</v><v>Ferry &amp; Co</v></rv><rv s="2"><v>0</v><v>A tram</v></rv><rv s="0"><v>0</v></rv><rv s="3"><v>8</v></rv></rvData>',
    'xl/richData/rdrichvaluestructure.xml':
      '<rvStructures><s t="_localImage"><k n="_rvRel:LocalImageIdentifier" t="i"/></s><s t="_linkedentity2"><k n="%EntityServiceId" t="i"/><k n="_DisplayString" t="s"/></s><s t="_webimage"><k n="WebImageIdentifier" t="i"/><k n="Text" t="s"/></s><s t="_error"><k n="errorType" t="i"/></s></rvStructures>',
  })

const createCell = (number: number) => `<c t="e" vm="${number}"><v>#VALUE!</v></c>`

describe('a cell with a rich value', () => {
  it('shows the string of its data type', async () => {
    expect(await readCells(createCell(3))).toEqual({ text: 'S\nFerry & Co', warnings: [] })
  })

  it('that is a picture is counted', async () => {
    expect(await readCells(`${createCell(1)}${createCell(2)}<c><v>7</v></c>`)).toEqual({
      text: 'S\n\t\t7',
      warnings: [{ code: 'images_without_text', count: 2 }],
    })
  })

  it.each([4, 5, 0])('shows its error if the value is an error or missing: %d', async (number) => {
    expect((await readCells(createCell(number))).text).toBe('S\n#VALUE!')
  })
})
