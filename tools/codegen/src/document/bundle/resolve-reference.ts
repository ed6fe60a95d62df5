import { show, type Report } from '../../diagnostics.js'
import { splitRef, type Files } from '../files.js'
import { childAt, readOwn, pointerTo, parsePointer, valueAt, type Json } from '../json.js'
import type { Source } from '../source.js'
import { findPlace, type Spot } from './component-names.js'
import {
  resolveBaseUri,
  readIdentifiers,
  resolveUri,
  type Identifiers,
  type Resource,
} from './identifiers.js'

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
function formatScalar(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

/** Reads the identifiers of each file once, on first use. OpenAPI 3.0 has no identifiers. */
export function createReferenceNames({ entry, sources }: Files): ReferenceNames {
  const known = new Map<Source, Identifiers>()
  const version = readOwn(entry.data, 'openapi')
  const modern = /^3\.[12]/.test(formatScalar(version))
  const readSourceIdentifiers = (source: Source): Identifiers => {
    const found =
      known.get(source) ?? readIdentifiers(source, source === entry ? 'document' : 'schema')
    known.set(source, found)
    return found
  }
  let byUri: ReadonlyMap<string, Resource> | undefined
  const findResource = (uri: string | undefined): Resource | undefined => {
    byUri ??= new Map(
      sources
        .flatMap((source) => readSourceIdentifiers(source).resources)
        .map((resource) => [resource.uri, resource]),
    )
    return uri === undefined ? undefined : byUri.get(uri)
  }

  const findUnit = ({ source, pointer }: Spot): Spot => {
    const { resourceAt, schemaAt } = readSourceIdentifiers(source)
    return { source, pointer: resourceAt(pointer)?.pointer ?? schemaAt(pointer) }
  }
  /** In a file without an `$id` two schemas may have the same plain name. */
  const byUnit = new Map<Source, ReadonlyMap<string, string>>()
  const readUnitNames = (source: Source): ReadonlyMap<string, string> => {
    const unitKey = ({
      name,
      pointer,
    }: {
      readonly name: string
      readonly pointer: string
    }): string => `${findUnit({ source, pointer }).pointer}#${name}`
    const found =
      byUnit.get(source) ??
      new Map(
        readSourceIdentifiers(source).dynamicAnchors.map((anchor) => [
          unitKey(anchor),
          anchor.pointer,
        ]),
      )
    byUnit.set(source, found)
    return found
  }
  const findNearest = (name: string, from: Spot): readonly Spot[] => {
    const { source } = from
    const isName =
      name !== '' &&
      !name.startsWith('/') &&
      readSourceIdentifiers(source).dynamicAnchors.length > 1
    const pointer = isName
      ? readUnitNames(source).get(`${findUnit(from).pointer}#${name}`)
      : undefined
    return pointer === undefined ? [] : [{ source, pointer }]
  }

  return {
    isContextual: modern,
    findSpots: (ref, from) => {
      if (!modern) return []
      const around = readSourceIdentifiers(from.source).resourceAt(from.pointer)
      const [written = ''] = ref.split('#', 1)
      const resource =
        written === ''
          ? around
          : findResource(resolveUri(written, around?.uri ?? resolveBaseUri(from.source)))
      if (resource === undefined)
        return written === '' ? findNearest(splitRef(ref).pointer, from) : []
      const { source, pointer: root } = resource
      const { pointer } = splitRef(ref)
      if (pointer === '' || pointer.startsWith('/')) return [{ source, pointer: root + pointer }]
      const anchor = readSourceIdentifiers(source).anchor(pointer, resource)
      return anchor === undefined ? [] : [{ source, pointer: anchor }]
    },
    findAnchor: (source, name) => {
      const pointer = modern ? readSourceIdentifiers(source).anchor(name, undefined) : undefined
      return pointer === undefined ? undefined : { source, pointer }
    },
    dynamicAnchors: (source) =>
      modern
        ? readSourceIdentifiers(source).dynamicAnchors.map(({ name, pointer }) => ({
            name,
            spot: { source, pointer },
          }))
        : [],
    references: (source) =>
      readSourceIdentifiers(source).references.map(({ pointer, ...rest }) => ({
        spot: { source, pointer },
        ...rest,
      })),
    findUnit,
  }
}

/** The target of a reference, and its place. */
export type Target = { readonly spot: Spot; readonly node: Json }

/** Finds the target of a `$ref` in `from`. `at` is the place of the `$ref`, for diagnostics. */
export type Resolve = (ref: string, from: Spot, at: Spot) => Target | undefined

/** Longer chains of references within one pointer are rejected: they may be endless. */
const maxHops = 20

/**
 * Resolves by `$id` and anchor first, then by file and pointer. Reports a reference without a
 * target and returns undefined.
 */
export function createResolver(files: Files, identifiers: ReferenceNames, report: Report): Resolve {
  return (ref, from, at) => resolve(ref, from, at, 0)

  function resolve(ref: string, from: Spot, at: Spot, hops: number): Target | undefined {
    for (const spot of identifiers.findSpots(ref, from)) {
      const target = findTarget(walk(spot, at, hops))
      if (target !== undefined) return target
    }
    const { file, pointer } = splitRef(ref)
    const loaded = files.follow(from.source, file)
    if ('rejected' in loaded) {
      if (loaded.rejected === 'outside')
        report(
          'FB2003',
          findPlace(at),
          show(ref),
          'a file in the folder of the entry file, or below it',
        )
      if (loaded.rejected === 'unreadable')
        report('FB2002', findPlace(at), show(ref), 'a file that can be read')
      return undefined
    }
    const isPointer = pointer === '' || pointer.startsWith('/')
    const target = findTarget(
      isPointer
        ? walk({ source: loaded.source, pointer }, at, hops)
        : identifiers.findAnchor(loaded.source, pointer),
    )
    if (target === undefined)
      report('FB2001', findPlace(at), show(ref), `a value at this place of ${loaded.source.name}`)
    return target
  }

  /** Follows references within a pointer: `#/a/b` may cross a `$ref` at `#/a`. */
  function walk(spot: Spot, at: Spot, hops: number): Spot | undefined {
    if (spot.pointer === '') return spot
    let source = spot.source
    let pointer = ''
    let node: Json | undefined = source.data
    for (const segment of parsePointer(spot.pointer)) {
      const next = childAt(node, segment)
      if (next !== undefined) {
        pointer = pointerTo(pointer, segment)
        node = next
        continue
      }
      const ref = readOwn(node, '$ref')
      if (typeof ref !== 'string' || hops > maxHops) return undefined
      const through = resolve(ref, { source, pointer }, at, hops + 1)
      if (through === undefined) return undefined
      source = through.spot.source
      pointer = pointerTo(through.spot.pointer, segment)
      node = childAt(through.node, segment)
      if (node === undefined) return undefined
    }
    return { source, pointer }
  }
}

function findTarget(spot: Spot | undefined): Target | undefined {
  const node = spot && valueAt(spot.source.data, spot.pointer)
  return spot === undefined || node === undefined ? undefined : { spot, node }
}
