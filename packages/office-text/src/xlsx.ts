import type { WarningCounter } from './findings.js'
import { readShift } from './flow/docx-styles.js'
import { readFlow } from './flow/flow.js'
import { readActiveX } from './flow/form-control.js'
import { createRunText } from './flow/run-text.js'
import { readSheetControls, type SheetControl } from './flow/sheet-controls.js'
import { countComments, type OfficeFile, findRelationshipId } from './package/office-file.js'
import { readXml, unescapeXstring } from './package/xml.js'
import { type CellFormats, readCellFormats } from './cell-formats.js'
import { readRichValues, type RichValue } from './rich-values.js'
import { createSheetRows, parseColumn } from './sheet-rows.js'

/**
 * The text of an XLSX workbook: sheets in their order, each headed by its name, with blank lines
 * between them. A row is a line with its cells separated by tabs, and the text of drawings and
 * charts follows the rows. Numbers appear as the sheet shows them, dates in ISO 8601, formulas as
 * their last result. Empty rows and sheets are left out. The name of a hidden sheet is marked.
 */
export function readXlsx(file: OfficeFile): string {
  const links = file.links(file.main)
  const find = (type: string) => links.find((link) => link.type === type)?.path
  const { sheets, date1904 } = readWorkbook(file)
  const strings = readSharedStrings(file, find('sharedStrings'))
  const formats = readCellFormats(file, find('styles'), date1904)
  const findRichValue = readRichValues(file)

  const texts: string[] = []
  for (const { heading, path } of sheets) {
    file.characters.spend(heading.length)
    const lines = [...readSheet(file, path, strings, formats, findRichValue)]
    for (const link of file.links(path)) {
      if (link.type === 'drawing')
        lines.push(...readFlow(file, link.path, 'drawing').filter((line) => line.trim() !== ''))
      if (link.type === 'comments') countComments(file, link.path)
      if (link.type === 'oleObject' || link.type === 'package')
        lines.push(...file.readEmbedded(link.path))
      if (link.type === 'control') lines.push(...readActiveX(file, link.path))
      if (link.type === 'vmlDrawing') addControls(lines, readSheetControls(file, link.path))
    }
    if (lines.length > 0) texts.push([heading, ...lines].join('\n'))
  }
  return texts.join('\n\n')
}

type Sheet = { readonly heading: string; readonly path: string }

const sheetTypes: ReadonlySet<string> = new Set(['worksheet', 'chartsheet', 'dialogsheet'])

function readWorkbook(file: OfficeFile) {
  const links = new Map(file.links(file.main).map((link) => [link.id, link]))
  const sheets: Sheet[] = []
  let date1904 = false
  readXml(file.archive, file.main, 'workbook', file.limits, {
    open(name, attributes) {
      if (name === 'workbookPr') date1904 = isTrue(attributes['date1904'])
      if (name !== 'sheet') return
      const link = links.get(findRelationshipId(attributes) ?? '')
      const title = toOneLine(unescapeXstring(attributes['name'] ?? ''))
      const { state } = attributes
      const heading = state === undefined || state === 'visible' ? title : `${title} (hidden)`
      if (link === undefined) file.warnings.add('missing_parts')
      else if (sheetTypes.has(link.type)) sheets.push({ heading, path: link.path })
      else file.warnings.add('unread_parts')
    },
  })
  return { sheets, date1904 }
}

/** A string of the list, and whether it has runs with fonts of their own. */
type SharedString = { readonly text: string; readonly isRich: boolean }

/** One string for each `si`. */
function readSharedStrings(file: OfficeFile, path: string | undefined): readonly SharedString[] {
  const strings: SharedString[] = []
  if (path === undefined) return strings
  const rich = createRichText(file.warnings)
  readXml(file.archive, path, 'list of strings', file.limits, {
    open: (name, attributes) => rich.open(name, attributes),
    close(name) {
      rich.close(name)
      if (name === 'si') strings.push(rich.take())
    },
    text: (text) => rich.text(text),
  })
  return strings
}

/** The runs of a string, joined, without the phonetic readings (`rPh`). */
function createRichText(warnings: WarningCounter) {
  let [text, stored] = ['', '']
  let inText = false
  let isPhonetic = false
  let isRich = false
  const run = createRunText({ add: (more) => (text += more), paragraph: () => text }, warnings)
  let closeRun: (() => void) | undefined
  return {
    open(name: string, attributes: Readonly<Record<string, string>>): void {
      if (name === 'rPh') isPhonetic = true
      else if (name === 'r') closeRun = run.open()
      else if (name === 'rFont') run.font(attributes['val'])
      else if (name === 'vertAlign') run.shift(readShift(attributes['val']))
      if (name === 'r') isRich = true
      inText = name === 't' && !isPhonetic
    },
    close(name: string): void {
      if (name === 'rPh') isPhonetic = false
      else if (name === 't') {
        run.add(unescapeXstring(stored))
        stored = ''
      } else if (name === 'r') closeRun?.()
      inText = false
    },
    text(more: string): void {
      if (inText) stored += more
    },
    take(): SharedString {
      const taken = { text: toOneLine(text), isRich }
      text = ''
      isRich = false
      return taken
    },
  }
}

type Cell = { readonly type: string; readonly style: number; readonly richValue: string }

/** The rows of a sheet that have content, with tabs between their cells. */
function readSheet(
  file: OfficeFile,
  path: string,
  strings: readonly SharedString[],
  formats: CellFormats,
  findRichValue: (number: string) => RichValue | undefined,
): readonly string[] {
  const rows = createSheetRows(file.characters)
  let column = 0
  let cell: Cell | undefined
  let value = ''
  let reading = false
  /** Some writers give a string without stating the type of its cell. */
  let isInline = false
  let isComputed = false
  let hasValue = false
  const rich = createRichText(file.warnings)

  readXml(file.archive, path, 'sheet', file.limits, {
    open(name, attributes) {
      if (isInline) rich.open(name, attributes)
      if (name === 'row') {
        const { r } = attributes
        rows.openRow(r === undefined ? undefined : Number(r))
        column = 0
      } else if (name === 'c') {
        column = parseColumn(attributes['r']) ?? column + 1
        cell = {
          type: attributes['t'] ?? 'n',
          style: Number(attributes['s'] ?? 0),
          richValue: attributes['vm'] ?? '',
        }
        value = ''
        isInline = cell.type === 'inlineStr'
        isComputed = false
        hasValue = false
      } else if (name === 'f') isComputed = true
      else if (name === 'v' || name === 'is') hasValue = true
      if (name === 'is' && cell !== undefined) isInline = true
      else if (name === 'picture') file.warnings.add('images_without_text')
      else if (name === 'mergeCell') rows.merge(attributes['ref'] ?? '')
      reading = cell !== undefined && name === 'v'
    },
    close(name) {
      reading = false
      if (isInline) rich.close(name)
      if (name === 'c' && cell !== undefined) {
        if (isComputed && !hasValue) file.warnings.add('formulas_without_value')
        rows.add(column, show(cell))
        cell = undefined
        isInline = false
      } else if (name === 'row') rows.closeRow()
    },
    text(text) {
      if (reading) value += text
      else rich.text(text)
    },
  })
  return rows.lines()

  /** A cell as text (ECMA-376 part 1, 18.18.11). */
  function show({ type, style, richValue }: Cell): string {
    const shown = (formatted: string): string => {
      if (formatted === '' && value.trim() !== '') file.warnings.add('hidden_text')
      return toOneLine(formatted)
    }
    const { text, isRich } = rich.take()
    if (type === 's') {
      const string = strings[Number(value)]
      if (string === undefined && value !== '') file.warnings.add('missing_parts')
      return string === undefined || string.text === ''
        ? ''
        : shown(formats.string(string.text, style, string.isRich))
    }
    if (type === 'inlineStr' || text !== '')
      return toOneLine(formats.string(text || value, style, isRich))
    if (type === 'b') return value === '' ? '' : isTrue(value) ? 'TRUE' : 'FALSE'
    if (type === 'd') return toOneLine(value.replace(/T00:00:00(?:\.0+)?Z?$/, ''))
    if (type === 'n') return shown(formats.number(value, style))
    if (type === 'e') {
      const richEntry = findRichValue(richValue)
      if (richEntry?.isPicture === true) file.warnings.add('images_without_text')
      return toOneLine(richEntry?.text ?? value)
    }
    return shown(formats.string(unescapeXstring(value), style, false))
  }
}

/** A control may be in the drawing, too, where it has no state. */
function addControls(lines: string[], controls: readonly SheetControl[]): void {
  for (const { caption, shown } of controls) {
    const at = lines.indexOf(caption)
    if (at >= 0) lines[at] = shown
    else lines.push(shown)
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
