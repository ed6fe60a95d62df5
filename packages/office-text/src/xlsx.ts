import { type Budget, characterBudget } from './limits.js'
import type { OfficeFile } from './office-file.js'
import { type Relationship, readRelationships, relationshipId } from './relationships.js'
import { type DateFormat, readDateFormat } from './xlsx-dates.js'
import { readXml } from './xml.js'

/**
 * The text of an XLSX workbook: sheets in their order, each headed by its name, with blank lines
 * between them. A row is a line with its cells separated by tabs. A cell that the file omits counts
 * as empty. Numbers are given as they are stored, dates in ISO 8601, formulas as their last result.
 * Rows and sheets without content are left out.
 */
export function readXlsx(file: OfficeFile): string {
  const { archive, main, limits } = file
  const links = readRelationships(archive, main, limits)
  const { sheets, date1904 } = readWorkbook(file, new Map(links.map((link) => [link.id, link])))
  const characters = characterBudget(limits)
  const strings = readSharedStrings(file, findPath(links, 'sharedStrings'))
  const dates = readDateFormat(file, findPath(links, 'styles'), date1904)

  const texts: string[] = []
  for (const sheet of sheets) {
    characters.spend(sheet.name.length)
    const rows = readSheet(file, sheet.path, strings, dates, characters)
    if (rows.length > 0) texts.push([sheet.name, ...rows].join('\n'))
  }
  return texts.join('\n\n')
}

type Sheet = { readonly name: string; readonly path: string }

function readWorkbook(
  { archive, main, limits }: OfficeFile,
  links: ReadonlyMap<string, Relationship>,
) {
  const sheets: Sheet[] = []
  let date1904 = false
  readXml(archive, main, 'workbook', limits, {
    open(name, attributes) {
      if (name === 'workbookPr') date1904 = isTrue(attributes['date1904'])
      if (name !== 'sheet') return
      const link = links.get(relationshipId(attributes) ?? '')
      if (link?.type === 'worksheet')
        sheets.push({ name: oneLine(attributes['name'] ?? ''), path: link.path })
    },
  })
  return { sheets, date1904 }
}

function findPath(links: readonly Relationship[], type: string): string | undefined {
  return links.find((link) => link.type === type)?.path
}

/** One string for each `si`, its runs joined, without the phonetic readings (`rPh`). */
function readSharedStrings(
  { archive, limits }: OfficeFile,
  path: string | undefined,
): readonly string[] {
  const strings: string[] = []
  if (path === undefined) return strings
  let current = ''
  let inText = false
  let phonetic = false
  readXml(archive, path, 'list of strings', limits, {
    open(name) {
      if (name === 'si') current = ''
      if (name === 'rPh') phonetic = true
      inText = name === 't' && !phonetic
    },
    close(name) {
      if (name === 'si') strings.push(oneLine(current))
      if (name === 'rPh') phonetic = false
      inText = false
    },
    text(text) {
      if (inText) current += text
    },
  })
  return strings
}

type Cell = { readonly type: string; readonly style: number }

function readSheet(
  file: OfficeFile,
  path: string,
  strings: readonly string[],
  dates: DateFormat,
  characters: Budget,
): readonly string[] {
  const rows: string[] = []
  let row = ''
  let column = 0
  let last = 0
  let cell: Cell | undefined
  let value = ''
  let reading = false
  let phonetic = false

  readXml(file.archive, path, 'sheet', file.limits, {
    open(name, attributes) {
      if (name === 'row') {
        row = ''
        column = 0
        last = 0
      } else if (name === 'c') {
        column = parseColumn(attributes['r']) ?? column + 1
        cell = { type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0) }
        value = ''
      } else if (name === 'rPh') {
        phonetic = true
      }
      reading = cell !== undefined && !phonetic && (name === 'v' || name === 't')
    },
    close(name) {
      reading = false
      if (name === 'rPh') {
        phonetic = false
      } else if (name === 'c' && cell !== undefined) {
        const shown = display(cell, value, strings, dates)
        if (shown !== '') {
          const gap = Math.max(0, column - Math.max(1, last))
          characters.spend(gap + shown.length)
          row += '\t'.repeat(gap) + shown
          last = column
        }
        cell = undefined
      } else if (name === 'row' && row !== '') {
        characters.spend(1)
        rows.push(row)
      }
    },
    text(text) {
      if (reading) value += text
    },
  })
  return rows
}

/** A cell as text (ECMA-376 part 1, 18.18.11). */
function display(
  { type, style }: Cell,
  value: string,
  strings: readonly string[],
  dates: DateFormat,
): string {
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '' ? '' : isTrue(value) ? 'TRUE' : 'FALSE'
  if (type !== 'n' || value.trim() === '') return oneLine(value)
  const number = Number(value)
  if (!Number.isFinite(number)) return oneLine(value)
  return dates(number, style) ?? String(Number(number.toPrecision(15)))
}

/** 1 for `A1`, 28 for `AB7`; undefined where no column within the widest sheet (`XFD`) is named. */
function parseColumn(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  const column = Array.from(letters).reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  )
  return column <= 16_384 ? column : undefined
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
