import { readDocx } from './docx.js'
import { createBudget, type Limits } from './limits.js'
import { readPptx } from './pptx.js'
import { readRelationships } from './relationships.js'
import { acceptedTypes, ExtractTextError } from './extract-text-error.js'
import { readXlsx } from './xlsx.js'
import { readXml } from './xml.js'
import { type Archive, openArchive } from './zip.js'

/**
 * The text of a ZIP archive that is a DOCX, PPTX or XLSX document. The content type of the main
 * part tells which. Throws `unsupported_type` for any other archive.
 */
export function readOffice(bytes: Uint8Array, limits: Limits): string {
  const archive = openArchive(bytes, limits, createBudget(limits.inflatedBytes, 'bytes'))
  if (!archive.has('[Content_Types].xml'))
    unsupported(
      archive.has('mimetype')
        ? 'an OpenDocument or EPUB file'
        : 'a ZIP archive without an Office document',
    )
  const main = mainPart(archive, limits)
  const file = { archive, main, limits }
  const type = contentType(archive, main, limits)
  if (type.includes('wordprocessingml') || type.includes('ms-word')) return readDocx(file)
  if (type.includes('presentationml') || type.includes('ms-powerpoint')) return readPptx(file)
  if (type.includes('sheet.binary')) return unsupported('a binary workbook (XLSB)')
  if (type.includes('spreadsheetml') || type.includes('ms-excel')) return readXlsx(file)
  return unsupported('an Office package of another kind')
}

const usualMainParts = ['word/document.xml', 'ppt/presentation.xml', 'xl/workbook.xml']

function mainPart(archive: Archive, limits: Limits): string {
  const linked = readRelationships(archive, '', limits).find(
    (link) => link.type === 'officeDocument',
  )
  return (
    linked?.path ??
    usualMainParts.find((path) => archive.has(path)) ??
    unsupported('a ZIP archive without an Office document')
  )
}

/**
 * The content type that the package states for the part. Without one, the folder of the part tells.
 */
function contentType(archive: Archive, part: string, limits: Limits): string {
  let stated: string | undefined
  readXml(archive, '[Content_Types].xml', 'list of content types', limits, {
    open(name, attributes) {
      if (name === 'Override' && attributes['PartName']?.toLowerCase() === `/${part.toLowerCase()}`)
        stated = attributes['ContentType']
    },
  })
  if (stated !== undefined) return stated
  if (part.startsWith('word/')) return 'wordprocessingml'
  if (part.startsWith('ppt/')) return 'presentationml'
  return part.startsWith('xl/') ? 'spreadsheetml' : ''
}

function unsupported(what: string): never {
  throw new ExtractTextError(
    'unsupported_type',
    `The file is ${what}. Accepted are ${acceptedTypes}.`,
  )
}
