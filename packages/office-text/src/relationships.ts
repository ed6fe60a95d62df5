import type { Limits } from './limits.js'
import { resolvePartName } from './part-names.js'
import type { WarningCounter } from './warnings.js'
import { readXml } from './xml.js'
import type { Archive } from './zip.js'

/** A link between parts. `type` is the last word of its URI, the same in strict documents. */
export type Relationship = { readonly id: string; readonly type: string; readonly path: string }

/** The types of relationships whose parts hold text that is read. */
const typesWithText: ReadonlySet<string> = new Set(
  [
    'aFChunk',
    'chart',
    'chartEx',
    'chartsheet',
    'diagramData',
    'drawing',
    'endnotes',
    'footer',
    'footnotes',
    'header',
    'notesSlide',
    'numbering',
    'officeDocument',
    'slide',
    'slideLayout',
    'slideMaster',
    'worksheet',
  ].map((type) => type.toLowerCase()),
)

/**
 * The links of a part, in their order (ECMA-376 part 2, 9.3), without those that lead out of the
 * file or to a part that does not exist. A missing part that would hold text is counted. The empty
 * path names the package itself.
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
  const found: Relationship[] = []
  if (!archive.has(path)) return found

  readXml(archive, path, 'list of relationships', limits, {
    open(name, attributes) {
      const { Id: id, Type: uri, Target: target } = attributes
      if (name !== 'Relationship' || attributes['TargetMode'] === 'External') return
      if (id === undefined || uri === undefined || target === undefined) return
      const type = uri.slice(uri.lastIndexOf('/') + 1)
      const resolved = resolvePartName(folder, target)
      if (archive.has(resolved)) found.push({ id, type, path: resolved })
      else if (typesWithText.has(type.toLowerCase())) warnings.add('missing_parts')
    },
  })
  return found
}

/** The value of `r:id`, with any prefix. A bare `id` is another attribute of the same element. */
export function relationshipId(
  attributes: Readonly<Record<string, string>>,
  name = 'id',
): string | undefined {
  const suffix = `:${name}`
  for (const key in attributes) if (key.endsWith(suffix)) return attributes[key]
  return undefined
}
