import type { Budget, Limits } from '../limits.js'
import type { WarningCounter } from '../findings.js'
import { readXml } from './xml.js'
import { type Archive, resolvePartName } from './zip.js'

/** The context of all Office readers. Embedded files share the budgets of the outer one. */
export type OfficeFile = {
  readonly archive: Archive
  /** The main part. */
  readonly main: string
  readonly limits: Limits
  readonly characters: Budget
  readonly warnings: WarningCounter
  /** The relationships of a part. The empty path names the package itself. */
  readonly links: (part: string) => readonly Relationship[]
  /** The lines of a file within this one, such as an embedded workbook or an `altChunk`. */
  readonly readEmbedded: (path: string) => readonly string[]
}

/** A link between parts. `type` is the last word of its URI, the same in strict documents. */
export type Relationship = { readonly id: string; readonly type: string; readonly path: string }

/**
 * The types of relationships that are followed without an element that names them, so that only the
 * relationship tells of a missing part.
 */
const followedTypes: ReadonlySet<string> = new Set(
  'drawing endnotes footer footnotes header notesSlide numbering officeDocument slideLayout slideMaster'.split(
    ' ',
  ),
)

/**
 * The links of a part, in their order (ECMA-376 part 2, 9.3), without those to a part that does not
 * exist. A link to a target outside the file has the type `external` and no path. The empty path
 * names the package itself.
 */
export function readRelationships(
  archive: Archive,
  part: string,
  limits: Limits,
  warnings: WarningCounter,
): readonly Relationship[] {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const path = `${folder}_rels/${part.slice(slash)}.rels`
  const relationships: Relationship[] = []
  if (!archive.has(path)) return relationships

  readXml(archive, path, 'list of relationships', limits, {
    open(name, attributes) {
      const { Id: id, Type: uri, Target: target } = attributes
      if (name !== 'Relationship') return
      if (id === undefined || uri === undefined || target === undefined) return
      if (attributes['TargetMode'] === 'External') {
        relationships.push({ id, type: 'external', path: '' })
        return
      }
      const type = uri.slice(uri.lastIndexOf('/') + 1)
      const resolved = resolvePartName(folder, target)
      if (archive.has(resolved)) relationships.push({ id, type, path: resolved })
      else if (followedTypes.has(type)) warnings.add('missing_parts')
    },
  })
  return relationships
}

/** The value of `r:id`, with any prefix. A bare `id` is another attribute of the same element. */
export function findRelationshipId(
  attributes: Readonly<Record<string, string>>,
  name = 'id',
): string | undefined {
  const suffix = `:${name}`
  for (const key in attributes) if (key.endsWith(suffix)) return attributes[key]
  return undefined
}

/** Counts the comments of a slide or sheet, which are not part of its text. */
export function countComments(file: OfficeFile, path: string): void {
  readXml(file.archive, path, 'list of comments', file.limits, {
    open(name) {
      if (name === 'cm' || name === 'comment') file.warnings.add('comments')
    },
  })
}
