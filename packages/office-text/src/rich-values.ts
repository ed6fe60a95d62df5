import type { OfficeFile } from './package/office-file.js'
import { readInteger, readXml, unescapeXstring } from './package/xml.js'

/** What a cell shows in place of the error that it stores for programs without rich values. */
export type RichValue = { readonly isPicture: boolean; readonly text: string }

/**
 * The rich values of a workbook (MS-XLSX 2.3.6): pictures in cells, and data types such as stocks.
 * A cell has the number of one, from 1, in its attribute `vm`.
 */
export function readRichValues(file: OfficeFile): (number: string) => RichValue | undefined {
  const links = file.links(file.main)
  const find = (type: string) => links.find((link) => link.type === type)?.path
  const [metadata, structures, values] = [
    find('sheetMetadata'),
    find('rdRichValueStructure'),
    find('rdRichValue'),
  ]
  if (metadata === undefined || structures === undefined || values === undefined)
    return () => undefined
  const numbers = readMetadata(file, metadata)
  const richValues = readValues(file, values, readStructures(file, structures))
  return (number) => richValues[numbers[readInteger(number, 0) - 1] ?? -1]
}

/** The places of the rich values of `valueMetadata`. */
function readMetadata(file: OfficeFile, path: string): readonly number[] {
  const places: number[] = []
  const blocks: number[] = []
  let list = ''
  readXml(file.archive, path, 'metadata', file.limits, {
    open(name, attributes) {
      if (name === 'futureMetadata') list = attributes['name'] ?? ''
      else if (name === 'valueMetadata' || name === 'cellMetadata') list = name
      else if (name === 'rvb' && list === 'XLRICHVALUE')
        places.push(readInteger(attributes['i'], -1))
      else if (name === 'rc' && list === 'valueMetadata')
        blocks.push(readInteger(attributes['v'], -1))
    },
  })
  return blocks.map((block) => places[block] ?? -1)
}

type Structure = { readonly isPicture: boolean; readonly keys: string[] }

const pictures: ReadonlySet<string> = new Set(['_localImage', '_webimage'])

function readStructures(file: OfficeFile, path: string): readonly Structure[] {
  const structures: Structure[] = []
  readXml(file.archive, path, 'structure of rich values', file.limits, {
    open(name, attributes) {
      if (name === 's')
        structures.push({ isPicture: pictures.has(attributes['t'] ?? ''), keys: [] })
      else if (name === 'k') structures.at(-1)?.keys.push(attributes['n'] ?? '')
    },
  })
  return structures
}

function readValues(
  file: OfficeFile,
  path: string,
  structures: readonly Structure[],
): readonly (RichValue | undefined)[] {
  const values: (RichValue | undefined)[] = []
  let structure: Structure | undefined
  let at = 0
  let text = ''
  let isReading = false
  readXml(file.archive, path, 'list of rich values', file.limits, {
    open(name, attributes) {
      if (name === 'rv') {
        structure = structures[readInteger(attributes['s'], -1)]
        at = 0
        text = ''
      } else if (name === 'v') {
        isReading = structure?.keys[at] === '_DisplayString'
        at += 1
      }
    },
    close(name) {
      isReading = false
      if (name !== 'rv') return
      const isPicture = structure?.isPicture === true
      const shown = isPicture ? '' : unescapeXstring(text)
      values.push(isPicture || shown !== '' ? { isPicture, text: shown } : undefined)
    },
    text(more) {
      if (isReading) text += more
    },
  })
  return values
}
