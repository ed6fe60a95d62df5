import type { Spot } from './component-names.js'
import { splitRef } from '../files.js'
import type { Files } from '../files.js'
import { baseUri, readIdentifiers, resolveUri } from './identifiers.js'
import type { Identifiers, Resource } from './identifiers.js'
import { own } from '../json.js'
import type { Json } from '../json.js'
import type { Source } from '../source.js'

/** A reference in a schema. */
export type Reference = { readonly spot: Spot; readonly ref: string; readonly dynamic: boolean }

/** Finds `$id`, `$anchor` and `$dynamicAnchor` in the files of a document. */
export type ReferenceNames = {
  /** Whether a reference may have different targets in different schemas of a file. */
  readonly isContextual: boolean
  /** The possible targets of a reference by `$id`, best first. Ignores files. */
  readonly findSpots: (ref: string, from: Spot) => readonly Spot[]
  /** The place of a plain name in a file, outside of schemas with an `$id`. */
  readonly findAnchor: (source: Source, name: string) => Spot | undefined
  /** The names from `$dynamicAnchor` in a file. */
  readonly dynamicAnchors: (
    source: Source,
  ) => readonly { readonly name: string; readonly spot: Spot }[]
  /** The references of the schemas in a file. */
  readonly references: (source: Source) => readonly Reference[]
  /** The schema that scopes the anchors of a place: one with an `$id`, or an outermost one. */
  readonly findUnit: (spot: Spot) => Spot
}

/** Some documents have the version as a number. */
function scalarText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

/** Reads the identifiers of each file once, on first use. OpenAPI 3.0 has no identifiers. */
export function referenceNames({ entry, sources }: Files): ReferenceNames {
  const known = new Map<Source, Identifiers>()
  const version = own(entry.data, 'openapi')
  const modern = /^3\.[12]/.test(scalarText(version))
  const identifiers = (source: Source): Identifiers => {
    const found =
      known.get(source) ?? readIdentifiers(source, source === entry ? 'document' : 'schema')
    known.set(source, found)
    return found
  }
  let byUri: ReadonlyMap<string, Resource> | undefined
  const findResource = (uri: string | undefined): Resource | undefined => {
    byUri ??= new Map(
      sources
        .flatMap((source) => identifiers(source).resources)
        .map((resource) => [resource.uri, resource]),
    )
    return uri === undefined ? undefined : byUri.get(uri)
  }

  const findUnit = ({ source, pointer }: Spot): Spot => {
    const { resourceAt, schemaAt } = identifiers(source)
    return { source, pointer: resourceAt(pointer)?.pointer ?? schemaAt(pointer) }
  }
  /** In a file without an `$id` two schemas may have the same plain name. */
  const byUnit = new Map<Source, ReadonlyMap<string, string>>()
  const namesByUnit = (source: Source): ReadonlyMap<string, string> => {
    const unitKey = ({
      name,
      pointer,
    }: {
      readonly name: string
      readonly pointer: string
    }): string => `${findUnit({ source, pointer }).pointer}#${name}`
    const found =
      byUnit.get(source) ??
      new Map(identifiers(source).dynamicAnchors.map((anchor) => [unitKey(anchor), anchor.pointer]))
    byUnit.set(source, found)
    return found
  }
  const nearest = (name: string, from: Spot): readonly Spot[] => {
    const { source } = from
    const isName =
      name !== '' && !name.startsWith('/') && identifiers(source).dynamicAnchors.length > 1
    const pointer = isName
      ? namesByUnit(source).get(`${findUnit(from).pointer}#${name}`)
      : undefined
    return pointer === undefined ? [] : [{ source, pointer }]
  }

  return {
    isContextual: modern,
    findSpots: (ref, from) => {
      if (!modern) return []
      const around = identifiers(from.source).resourceAt(from.pointer)
      const [written = ''] = ref.split('#', 1)
      const resource =
        written === ''
          ? around
          : findResource(resolveUri(written, around?.uri ?? baseUri(from.source)))
      if (resource === undefined) return written === '' ? nearest(splitRef(ref).pointer, from) : []
      const { source, pointer: root } = resource
      const { pointer } = splitRef(ref)
      if (pointer === '' || pointer.startsWith('/')) return [{ source, pointer: root + pointer }]
      const named = identifiers(source).anchor(pointer, resource)
      return named === undefined ? [] : [{ source, pointer: named }]
    },
    findAnchor: (source, name) => {
      const pointer = modern ? identifiers(source).anchor(name, undefined) : undefined
      return pointer === undefined ? undefined : { source, pointer }
    },
    dynamicAnchors: (source) =>
      modern
        ? identifiers(source).dynamicAnchors.map(({ name, pointer }) => ({
            name,
            spot: { source, pointer },
          }))
        : [],
    references: (source) =>
      identifiers(source).references.map(({ pointer, ...rest }) => ({
        spot: { source, pointer },
        ...rest,
      })),
    findUnit,
  }
}
