import { Parser } from 'htmlparser2'
import { looksLikeText } from './detect-kind.js'
import { ExtractTextError } from './extract-text-error.js'
import type { Budget, Limits } from './limits.js'
import { decodePlain } from './plain.js'
import type { WarningCounter } from './warnings.js'
import type { Archive } from './package/zip.js'

/** What the files within a file share. */
export type Budgets = {
  readonly limits: Limits
  readonly characters: Budget
  readonly inflated: Budget
  readonly warnings: WarningCounter
  /** How many files the file is within. */
  readonly level: number
}

/** Files within files within a file. Each is a deliberate step of an author; more are an attack. */
const maxLevel = 3

/**
 * The lines of a file within an Office document: an Office document, HTML or plain text. Any other
 * is counted as unread. So is a damaged one, as the outer document can still be read.
 */
export function readEmbeddedFile(
  archive: Archive,
  path: string,
  budgets: Budgets,
  readPackage: (bytes: Uint8Array, budgets: Budgets) => string,
): readonly string[] {
  const { warnings, level, characters } = budgets
  if (level >= maxLevel) return unread()
  const pieces: Uint8Array[] = []
  archive.read(path, (piece) => pieces.push(piece.slice()))
  const bytes = new Uint8Array(Buffer.concat(pieces))
  try {
    if (bytes[0] === 0x50 && bytes[1] === 0x4b)
      return readPackage(bytes, { ...budgets, level: level + 1 }).split('\n')
    const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
    if (!looksLikeText(bytes) || /^\s*\{\\rtf|^MIME-Version:/i.test(head)) return unread()
    const text = decodePlain(bytes, warnings)
    const lines = /<(?:!doctype|html|head|body|p|div|table|ul|h\d)\b/i.test(head)
      ? readHtml(text)
      : text.split(/\r\n?|\n/)
    for (const line of lines) characters.spend(line.length + 1)
    return lines
  } catch (error) {
    if (!(error instanceof ExtractTextError) || error.code === 'too_complex') throw error
    return unread()
  }

  function unread(): readonly string[] {
    warnings.add('unread_parts')
    return []
  }
}

const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote body caption dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
)
const unseen: ReadonlySet<string> = new Set(['head', 'script', 'style', 'template', 'title', 'rt'])

/** The lines that a browser shows of an HTML document, with tabs between the cells of a row. */
function readHtml(html: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  let skipped = 0
  const end = (): void => {
    const shown = line.replaceAll(/[^\S\t]+/g, ' ').trim()
    if (shown !== '') lines.push(shown)
    line = ''
  }
  const parser = new Parser({
    onopentag(name) {
      if (unseen.has(name)) skipped += 1
      if (blocks.has(name) || name === 'br') end()
      if (name === 'td' || name === 'th') line = line.trim() === '' ? line : `${line.trimEnd()}\t`
    },
    onclosetag(name) {
      if (unseen.has(name) && skipped > 0) skipped -= 1
      if (blocks.has(name)) end()
    },
    ontext(text) {
      if (skipped === 0) line += text.replaceAll(/\s+/g, ' ')
    },
  })
  parser.write(html)
  parser.end()
  end()
  return lines
}
