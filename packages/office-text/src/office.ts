import { readDocx } from './docx.js'
import { type Budgets, readEmbeddedFile } from './embedded-file.js'
import { characterBudget, createBudget, type Limits } from './limits.js'
import { type OfficeFile, readRelationships, type Relationship } from './package/office-file.js'
import { readPptx } from './pptx.js'
import { type Archive, normalizePartName, openArchive } from './package/zip.js'
import { acceptedTypes, ExtractTextError } from './extract-text-error.js'
import type { WarningCounter } from './warnings.js'
import { readXlsx } from './xlsx.js'
import { readXml } from './package/xml.js'

/**
 * The text of a ZIP archive that is a DOCX, PPTX or XLSX document. The content type of the main
 * part tells which. Throws `unsupported_type` for any other archive, and `corrupt` for one without
 * text that misses parts.
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

/**
 * The content type that the package states for the part. Without one, the folder of the part tells.
 */
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
