import type { Limits } from './limits.js'
import { readXml } from './xml.js'
import type { Archive } from './zip.js'

/** A link between parts. `type` is the last word of its URI, the same in strict documents. */
export type Relationship = { readonly id: string; readonly type: string; readonly path: string }

/**
 * The links of a part, in their order (ECMA-376 part 2, 9.3), without those that lead out of the
 * file or to a part that does not exist. The empty path names the package itself.
 */
export function readRelationships(
  archive: Archive,
  part: string,
  limits: Limits,
): readonly Relationship[] {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const path = `${folder}_rels/${part.slice(slash)}.rels`
  const found: Relationship[] = []
  if (!archive.has(path)) return found

  readXml(archive, path, 'list of relationships', limits, {
    open(name, attributes) {
      const { Id: id, Type: type, Target: target } = attributes
      if (name !== 'Relationship' || attributes['TargetMode'] === 'External') return
      if (id === undefined || type === undefined || target === undefined) return
      const resolved = resolve(folder, target)
      if (archive.has(resolved))
        found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), path: resolved })
    },
  })
  return found
}

/** The value of `r:id`, with any prefix. A bare `id` is another attribute of the same element. */
export function relationshipId(attributes: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1]
}

function resolve(folder: string, target: string): string {
  const steps: string[] = []
  for (const step of (target.startsWith('/') ? target : `${folder}${target}`).split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}
