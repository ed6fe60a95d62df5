import { ExtractTextError } from './findings.js'
import type { Budget } from './limits.js'

/** The characters of all rows that merges may read. More is an attack. */
const maxMergedCharacters = 400_000_000

/** Collects the rows of a sheet. */
export function createSheetRows(characters: Budget) {
  const rows: { readonly number: number; cells: string }[] = []
  let row: string[] = []
  let number = 0
  let merged = 0

  return {
    openRow(stated: number | undefined): void {
      number = stated ?? number + 1
      row = []
    },
    /** A cell that the file omits counts as empty. Cells may stand in any order. */
    add(column: number, text: string): void {
      if (text === '') return
      characters.spend(Math.max(0, column - Math.max(1, row.length)) + text.length)
      const other = row[column - 1]
      row[column - 1] = other === undefined ? text : `${other} ${text}`
    },
    closeRow(): void {
      if (row.length === 0) return
      characters.spend(1)
      rows.push({ number, cells: row.join('\t') })
    },
    /** Empties the cells that a merged cell covers, since only the first is shown. */
    merge(reference: string): void {
      const corner = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference)
      if (corner === null) return
      const [number, right] = [parseColumn(corner[1]) ?? 1, parseColumn(corner[3]) ?? 1]
      const [top, bottom] = [Number(corner[2]), Number(corner[4])]
      for (let at = findRow(top); at < rows.length; at += 1) {
        const each = rows[at]
        if (each === undefined || each.number > bottom) break
        merged += each.cells.length + 100
        if (merged > maxMergedCharacters) {
          throw new ExtractTextError(
            'too_complex',
            'A sheet of the file has too many merged cells. Send a smaller part of it.',
          )
        }
        const cells = each.cells.split('\t')
        const from = each.number === top ? number : number - 1
        for (let column = from; column < Math.min(right, cells.length); column += 1)
          cells[column] = ''
        each.cells = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1).join('\t')
      }
    },
    lines: (): readonly string[] => rows.map(({ cells }) => cells).filter((cells) => cells !== ''),
  }

  /** The first row with this number or a later one. Rows stand in their order. */
  function findRow(number: number): number {
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((rows[middle]?.number ?? 0) < number) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** 1 for `A1`, 28 for `AB7`; undefined where no column within the widest sheet (`XFD`) is named. */
export function parseColumn(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0].toUpperCase()
  if (letters === undefined) return undefined
  const column = Array.from(letters).reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  )
  return column <= 16_384 ? column : undefined
}
