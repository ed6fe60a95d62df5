import { readHtml } from './html.js'
import type { Budget, Limits } from './limits.js'
import type { WarningCounter } from './warnings.js'
import { ExtractTextError } from './extract-text-error.js'
import { decodePlain } from './plain.js'
import { looksLikeText } from './detect-kind.js'
import type { Archive } from './zip.js'

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
