import { readDocx } from './docx.js'
import { createCharacterBudget, createBudget, type Limits, type Budget } from './limits.js'
import { type OfficeFile, readRelationships, type Relationship } from './package/office-file.js'
import { readPptx } from './pptx.js'
import { type Archive, normalizePartName, openArchive } from './package/zip.js'
import { acceptedTypes, ExtractTextError, type WarningCounter } from './findings.js'
import { readXlsx } from './xlsx.js'
import { readXml } from './package/xml.js'
import { readHtml } from './html.js'
import { findHtml } from './mhtml.js'
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
    characters: createCharacterBudget(limits),
    inflated: createBudget(limits.inflatedBytes, 'bytes'),
    level: 0,
  })
  const isIncomplete = warnings.list().some(({ code }) => code === 'missing_parts')
  if (text.trim() === '' && isIncomplete) return rejectIncomplete()
  return text
}

/** The text of an Office document, which may be within another one. */
function readPackage(bytes: Uint8Array, budgets: Budgets): string {
  const { limits, warnings } = budgets
  const archive = openArchive(bytes, limits, budgets.inflated)
  if (!archive.has('[Content_Types].xml'))
    rejectUnsupported(
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
  const main = findMainPart(archive, links(''), warnings)
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
  if (type.includes('sheet.binary')) return rejectUnsupported('a binary workbook (XLSB)')
  if (type.includes('spreadsheetml') || type.includes('ms-excel')) return readXlsx(file)
  return rejectUnsupported('an Office package of another kind')
}

const usualMainParts = ['word/document.xml', 'ppt/presentation.xml', 'xl/workbook.xml']

function findMainPart(
  archive: Archive,
  links: readonly Relationship[],
  warnings: WarningCounter,
): string {
  const found =
    links.find((link) => link.type === 'officeDocument')?.path ??
    usualMainParts.find((path) => archive.has(path))
  if (found !== undefined) return found
  return warnings.list().some(({ code }) => code === 'missing_parts')
    ? rejectIncomplete()
    : rejectUnsupported('a ZIP archive without an Office document')
}

function rejectIncomplete(): never {
  throw new ExtractTextError(
    'corrupt',
    'The file refers to parts that it does not have, and has no other text. Save the document again and send the new file.',
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

function rejectUnsupported(what: string): never {
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
  if (level >= maxLevel) return warnUnread()
  const pieces: Uint8Array[] = []
  archive.read(path, (piece) => pieces.push(piece.slice()))
  const bytes = new Uint8Array(Buffer.concat(pieces))
  try {
    if (bytes[0] === 0x50 && bytes[1] === 0x4b)
      return readPackage(bytes, { ...budgets, level: level + 1 }).split('\n')
    const lines = readMarkup(bytes, path, warnings)
    if (lines === undefined) return warnUnread()
    for (const line of lines) characters.spend(line.length + 1)
    return lines
  } catch (error) {
    if (!(error instanceof ExtractTextError) || error.code === 'too_complex') throw error
    return warnUnread()
  }

  function warnUnread(): readonly string[] {
    warnings.add('unread_parts')
    return []
  }
}

/** Undefined for a type that is not read: RTF, other XML, binary data. */
function readMarkup(
  bytes: Uint8Array,
  path: string,
  warnings: WarningCounter,
): readonly string[] | undefined {
  const isMarked =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (!isMarked && !looksLikeText(bytes)) return undefined
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  if (/^\s*\{\\rtf/.test(head)) return undefined
  if (/\.mht(?:ml)?$/i.test(path) || /^(?:[\w-]+: .*\r?\n)*MIME-Version:/i.test(head)) {
    const html = findHtml(bytes)
    return html === undefined ? undefined : readHtml(html, warnings)
  }
  const text = decodePlain(bytes, warnings)
  const start = text.slice(0, 1024)
  const isHtml =
    /\.x?html?$/i.test(path) ||
    /<(?:!doctype html|html|head|body|p|div|span|table|ul|ol|h\d|br)\b/i.test(start)
  if (isHtml) return readHtml(text, warnings)
  if (/^\s*<(?:\?xml|pkg:package)/.test(start)) return undefined
  return text.split(/\r\n?|\n/)
}
