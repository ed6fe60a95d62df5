import type { Budget, Limits } from './limits.js'
import { readXml } from './xml.js'
import type { Archive } from './zip.js'

/**
 * The lines of a part in WordprocessingML or DrawingML, which share their element names. A
 * paragraph (`p`) is a line. A row of a table (`tr`) is one line with its cells (`tc`) separated by
 * tabs. Deleted text, field codes and the fallback copy of newer drawings are left out.
 */
export function readFlow(
  archive: Archive,
  path: string,
  label: string,
  limits: Limits,
  characters: Budget,
): readonly string[] {
  /** Where finished lines go: the part, or the cell that is being read. */
  const blocks: string[][] = [[]]
  const rows: string[][] = []
  const paragraphs: string[] = []
  let skipped = 0
  let inText = false

  const add = (text: string): void => {
    characters.spend(text.length)
    const last = paragraphs.pop()
    if (last !== undefined) paragraphs.push(last + text)
  }
  const line = (text: string): void => {
    characters.spend(1)
    blocks.at(-1)?.push(text)
  }

  readXml(archive, path, label, limits, {
    open(name, attributes) {
      if (skipped > 0 || ignored.has(name) || isSlideNumber(name, attributes)) skipped += 1
      else if (name === 'p') paragraphs.push('')
      else if (name === 't') inText = true
      else if (name === 'tr') rows.push([])
      else if (name === 'tc') blocks.push([])
      else if (paragraphs.length > 0) add(marks[name] ?? '')
    },
    close(name) {
      if (skipped > 0) {
        skipped -= 1
        return
      }
      if (name === 't') inText = false
      else if (name === 'p') line(paragraphs.pop() ?? '')
      else if (name === 'tc')
        rows.at(-1)?.push(oneLine(blocks.length > 1 ? (blocks.pop() ?? []) : []))
      else if (name === 'tr') line((rows.pop() ?? []).join('\t'))
    },
    text(text) {
      if (inText && skipped === 0) add(text)
    },
  })
  return blocks[0] ?? []
}

/**
 * Properties hold tab stops, and `Fallback` repeats the content of `Choice` (ECMA-376 part 3, 7.6).
 */
const ignored = new Set(['pPr', 'rPr', 'Fallback', 'delText', 'instrText'])

const marks: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  {
    tab: '\t',
    ptab: '\t',
    br: '\n',
    cr: '\n',
    noBreakHyphen: '-',
  },
)

function isSlideNumber(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return name === 'fld' && attributes['type'] === 'slidenum'
}

function oneLine(lines: readonly string[]): string {
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join(' ')
}
