import { Parser } from 'htmlparser2'
import { ExtractTextError, type WarningCounter } from './findings.js'
import { formatListNumber } from './flow/list-number.js'
import { shiftText } from './flow/shift-text.js'

const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote body caption dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
)
const unseen: ReadonlySet<string> = new Set(
  'head script style template title rt rp datalist object'.split(' '),
)
const listSystems: ReadonlyMap<string | undefined, string> = new Map([
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
])

/** The parser takes time for each open element. */
const maxDepth = 5_000

type Attributes = Readonly<Record<string, string>>

/**
 * The lines that a browser shows of an HTML document: a block is a line, and so is a row of a table,
 * with tabs between its cells. Form fields show their values, and numbered lists their numbers.
 */
export function readHtml(html: string, warnings: WarningCounter): readonly string[] {
  const lines: string[] = []
  const lists: { system: string | undefined; next: number }[] = []
  /** For each open element, whether it hides its content. */
  const hidden: boolean[] = []
  let line = ''
  /** The end of the text so far, since reading it from a long line takes time. */
  let tail = ''
  let skipped = 0
  let shift = 0
  let preformatted = 0
  let tables = 0
  let row: string[] | undefined
  let isSelected = true

  const trim = (text: string) => text.replaceAll(/[^\S\t]+/g, ' ').trim()
  const end = (): void => {
    // within a cell, a block is not a line
    if (row !== undefined) line += ' '
    else {
      if (line.trim() !== '') lines.push(preformatted > 0 ? line.trimEnd() : trim(line))
      line = ''
    }
  }
  const endRow = (): void => {
    if (row === undefined) return
    const cells = [...row, line].slice(1).map((cell) => cell.replaceAll(/\s+/g, ' ').trim())
    if (cells.some((cell) => cell !== '')) lines.push(cells.join('\t').trimEnd())
    row = undefined
    line = ''
  }
  const isHidden = (name: string, { hidden: flag, style = '', type }: Attributes): boolean =>
    unseen.has(name) ||
    flag !== undefined ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style) ||
    (name === 'input' && type?.toLowerCase() === 'hidden')

  const open = (name: string, attributes: Attributes): void => {
    if (name === 'table') tables += 1
    if (name === 'tr' && tables <= 1) {
      endRow()
      end()
      row = []
    } else if ((name === 'td' || name === 'th') && tables <= 1 && row !== undefined) {
      row.push(line)
      line = ''
    } else if (name === 'td' || name === 'th') line += ' '
    else if (blocks.has(name) || name === 'br') end()
    if (name === 'ol' || name === 'ul')
      lists.push({
        system: name === 'ul' ? undefined : (listSystems.get(attributes['type']) ?? 'decimal'),
        next: Number(attributes['start'] ?? 1) || 1,
      })
    else if (name === 'li') {
      const list = lists.at(-1)
      if (list?.system === undefined) return
      const number = Number(attributes['value'] ?? list.next) || list.next
      list.next = number + 1
      line += `${formatListNumber(number, list.system)}. `
    } else if (name === 'pre') preformatted += 1
    else if (name === 'sup') shift = 1
    else if (name === 'sub') shift = -1
    else if (name === 'img' || name === 'svg' || name === 'canvas')
      warnings.add('images_without_text')
    else if (name === 'input') line += showInput(attributes)
    else if (name === 'option') {
      isSelected = attributes['selected'] !== undefined
      if (isSelected) line += ' '
    }
  }
  const close = (name: string): void => {
    if (name === 'table') {
      if (tables <= 1) endRow()
      tables = Math.max(0, tables - 1)
    }
    if (name === 'tr' && tables <= 1) endRow()
    else if (name === 'option') isSelected = true
    else if (name === 'sup' || name === 'sub') shift = 0
    else if (blocks.has(name)) end()
    if (name === 'ol' || name === 'ul') lists.pop()
    else if (name === 'pre') preformatted = Math.max(0, preformatted - 1)
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      if (hidden.length >= maxDepth) {
        throw new ExtractTextError(
          'too_complex',
          `HTML in the file nests more than ${maxDepth} elements, which is the limit.`,
        )
      }
      const hides = isHidden(name, attributes)
      hidden.push(hides)
      if (hides) skipped += 1
      if (skipped === 0) open(name, attributes)
    },
    onclosetag(name) {
      if (skipped === 0) close(name)
      if (hidden.pop() === true) skipped -= 1
    },
    ontext(text) {
      if (skipped > 0 || !isSelected) return
      if (preformatted > 0 && row === undefined)
        text.split(/\r\n?|\n/).forEach((each, at) => {
          if (at > 0) end()
          line += each
        })
      else if (shift !== 0) line += shiftText(text, shift, tail)
      else line += text.replaceAll(/\s+/g, ' ')
      tail = text.slice(-2)
    },
  })
  parser.write(html)
  parser.end()
  endRow()
  end()
  return lines
}

function showInput({ type = 'text', value = '', checked }: Attributes): string {
  const kind = type.toLowerCase()
  if (kind === 'checkbox' || kind === 'radio') return checked === undefined ? '☐' : '☒'
  return kind === 'password' || kind === 'file' ? '' : ` ${value} `
}
