import type { Spot } from './component-names.js'
import { splitRef } from './files.js'
import type { Files } from './files.js'
import { baseOf, identifiersOf, resolveUri } from './identifiers.js'
import type { Identifiers, Resource } from './identifiers.js'
import { own } from './json.js'
import type { Json } from './json.js'
import type { Source } from './source.js'

/** How `$id`, `$anchor` and `$dynamicAnchor` of the files of a document are found. */
export type ReferenceNames = {
  /** Whether the same reference may lead to another place from another schema of the same file. */
  readonly depend: boolean
  /** Where a reference may lead by `$id`, best first; files are not looked at. */
  readonly spotsOf: (ref: string, from: Spot) => readonly Spot[]
  /** The place of a plain name in a file, outside of schemas with an `$id`. */
  readonly anchorIn: (source: Source, name: string) => Spot | undefined
  /**
   * Whether a `$dynamicRef` to this schema may lead to another one, by the way that it is reached.
   */
  readonly isDynamic: (ref: string, target: Json) => boolean
}

/** People write a version as a number too. */
function scalarText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

/** Reads the identifiers of each file once, when first needed. OpenAPI 3.0 knows none of them. */
export function referenceNames({ entry, sources }: Files): ReferenceNames {
  const known = new Map<Source, Identifiers>()
  const version = own(entry.data, 'openapi')
  const modern = /^3\.[12]/.test(scalarText(version))
  const identifiers = (source: Source): Identifiers => {
    const found = known.get(source) ?? identifiersOf(source, source === entry ? 'document' : 'schema')
    known.set(source, found)
    return found
  }
  let byUri: ReadonlyMap<string, Resource> | undefined
  const resourceOf = (uri: string | undefined): Resource | undefined => {
    byUri ??= new Map(sources.flatMap((source) => identifiers(source).resources).map((resource) => [resource.uri, resource]))
    return uri === undefined ? undefined : byUri.get(uri)
  }

  return {
    depend: modern,
    spotsOf: (ref, from) => {
      if (!modern) return []
      const around = identifiers(from.source).resourceAt(from.pointer)
      const [written = ''] = ref.split('#', 1)
      const resource = written === '' ? around : resourceOf(resolveUri(written, around?.uri ?? baseOf(from.source)))
      if (resource === undefined) return []
      const { source, pointer: root } = resource
      const { pointer } = splitRef(ref)
      if (pointer === '' || pointer.startsWith('/')) return [{ source, pointer: root + pointer }]
      const named = identifiers(source).anchor(pointer, resource)
      return named === undefined ? [] : [{ source, pointer: named }]
    },
    anchorIn: (source, name) => {
      const pointer = modern ? identifiers(source).anchor(name, undefined) : undefined
      return pointer === undefined ? undefined : { source, pointer }
    },
    isDynamic: (ref, target) => {
      const { pointer: name } = splitRef(ref)
      if (own(target, '$dynamicAnchor') !== name) return false
      return sources.flatMap((source) => identifiers(source).dynamicAnchors).filter((one) => one === name).length > 1
    },
  }
}
