import { readDocx } from './docx.js'
import { characterBudget, createBudget, type Limits, type Budget } from './limits.js'
import { type OfficeFile, readRelationships, type Relationship } from './package/office-file.js'
import { readPptx } from './pptx.js'
import { type Archive, normalizePartName, openArchive } from './package/zip.js'
import { acceptedTypes, ExtractTextError, type WarningCounter } from './findings.js'
import { readXlsx } from './xlsx.js'
import { readXml } from './package/xml.js'
import { Parser } from 'htmlparser2'
import { looksLikeText } from './detect-kind.js'
import { decodePlain } from './plain.js'

/**
 * The text of a ZIP archive that is a DOCX, PPTX or XLSX document. The content type of the main
 * part decides which. Throws `unsupported_type` for any other archive, and `corrupt` for one
 * without text that misses parts.
 */
export function readOffice(bytes: Uint8Array, limits: Limits, warnings: WarningCounter): string {
  const text = readPackage(bytes, {
    limits,
    warnings,
    characters: characterBudget(limits),
    inflated: createBudget(limits.inflatedBytes, 'bytes'),
    level: 0,
  })
  if (text.trim() === '' && warnings.list().some(({ code }) => code === 'missing_parts')) {
    throw new ExtractTextError(
      'corrupt',
      'The file refers to parts that it does not have, and has no other text. Save the document again and send the new file.',
    )
  }
  return text
}

/** The text of an Office document, which may be within another one. */
function readPackage(bytes: Uint8Array, budgets: Budgets): string {
  const { limits, warnings } = budgets
  const archive = openArchive(bytes, limits, budgets.inflated)
  if (!archive.has('[Content_Types].xml'))
    refuseUnsupported(
      archive.has('mimetype')
        ? 'an OpenDocument or EPUB file'
        : 'a ZIP archive without an Office document',
    )
  const known = new Map<string, readonly Relationship[]>()
  const links = (part: string): readonly Relationship[] => {
    const found = known.get(part) ?? readRelationships(archive, part, limits, warnings)
    known.set(part, found)
    return found
  }
  const main = findMainPart(archive, links(''))
  const file: OfficeFile = {
    archive,
    main,
    limits,
    characters: budgets.characters,
    warnings,
    links,
    readEmbedded: (path) => readEmbeddedFile(archive, path, budgets, readPackage),
  }
  const type = readContentType(archive, main, limits)
  if (type.includes('wordprocessingml') || type.includes('ms-word')) return readDocx(file)
  if (type.includes('presentationml') || type.includes('ms-powerpoint')) return readPptx(file)
  if (type.includes('sheet.binary')) return refuseUnsupported('a binary workbook (XLSB)')
  if (type.includes('spreadsheetml') || type.includes('ms-excel')) return readXlsx(file)
  return refuseUnsupported('an Office package of another kind')
}

const usualMainParts = ['word/document.xml', 'ppt/presentation.xml', 'xl/workbook.xml']

function findMainPart(archive: Archive, links: readonly Relationship[]): string {
  return (
    links.find((link) => link.type === 'officeDocument')?.path ??
    usualMainParts.find((path) => archive.has(path)) ??
    refuseUnsupported('a ZIP archive without an Office document')
  )
}

/** The content type of the part in the package, or else by the folder of the part. */
function readContentType(archive: Archive, part: string, limits: Limits): string {
  let stated: string | undefined
  const name = `/${normalizePartName(part)}`
  readXml(archive, '[Content_Types].xml', 'list of content types', limits, {
    open(element, attributes) {
      if (element === 'Override' && `/${normalizePartName(attributes['PartName'] ?? '')}` === name)
        stated = attributes['ContentType']
    },
  })
  if (stated !== undefined) return stated.toLowerCase()
  if (name.startsWith('/word/')) return 'wordprocessingml'
  if (name.startsWith('/ppt/')) return 'presentationml'
  return name.startsWith('/xl/') ? 'spreadsheetml' : ''
}

function refuseUnsupported(what: string): never {
  throw new ExtractTextError(
    'unsupported_type',
    `The file is ${what}. Accepted are ${acceptedTypes}.`,
  )
}

/** What the files within a file share. */
type Budgets = {
  readonly limits: Limits
  readonly characters: Budget
  readonly inflated: Budget
  readonly warnings: WarningCounter
  /** The nesting level of the file. */
  readonly level: number
}

/** Files within files within a file. Each is a deliberate step of an author; more are an attack. */
const maxLevel = 3

/**
 * The lines of a file within an Office document: an Office document, HTML or plain text. Other and
 * damaged files are counted as unread, since the outer document can still be read.
 */
function readEmbeddedFile(
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
