import type { Budget } from './limits.js'
import { ExtractTextError } from './extract-text-error.js'

/** The rows of a sheet under construction. */
export type SheetRows = ReturnType<typeof createSheetRows>

/** The characters of all rows that merges look at. More is an attack. */
const maxMergedCharacters = 400_000_000

export function createSheetRows(characters: Budget) {
  const rows: { readonly number: number; cells: string }[] = []
  let row = ''
  let number = 0
  let last = 0
  let merged = 0

  return {
    openRow(stated: number | undefined): void {
      number = stated ?? number + 1
      row = ''
      last = 0
    },
    /** A cell that the file omits counts as empty. */
    add(column: number, text: string): void {
      if (text === '') return
      const gap = Math.max(0, column - Math.max(1, last))
      characters.spend(gap + text.length)
      row += '\t'.repeat(gap) + text
      last = column
    },
    closeRow(): void {
      if (row === '') return
      characters.spend(1)
      rows.push({ number, cells: row })
    },
    /** Empties the cells that a merged cell covers: a sheet shows the first only. */
    merge(reference: string): void {
      const corner = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference)
      if (corner === null) return
      const [left, right] = [parseColumn(corner[1]) ?? 1, parseColumn(corner[3]) ?? 1]
      const [top, bottom] = [Number(corner[2]), Number(corner[4])]
      for (let at = findRow(top); at < rows.length; at += 1) {
        const each = rows[at]
        if (each === undefined || each.number > bottom) break
        merged += each.cells.length + 100
        if (merged > maxMergedCharacters) {
          throw new ExtractTextError(
            'too_complex',
            'A sheet of the file has more merged cells than are read. Send a smaller part of it.',
          )
        }
        const cells = each.cells.split('\t')
        const from = each.number === top ? left : left - 1
        for (let column = from; column < Math.min(right, cells.length); column += 1)
          cells[column] = ''
        each.cells = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1).join('\t')
      }
    },
    lines: (): readonly string[] => rows.map(({ cells }) => cells).filter((cells) => cells !== ''),
  }

  /** The first row with this number or a later one. Rows stand in their order. */
  function findRow(wanted: number): number {
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((rows[middle]?.number ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** 1 for `A1`, 28 for `AB7`; undefined where no column within the widest sheet (`XFD`) is named. */
export function parseColumn(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  const column = Array.from(letters).reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  )
  return column <= 16_384 ? column : undefined
}
