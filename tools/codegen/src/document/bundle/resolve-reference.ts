import { show } from '../../diagnostics.js'
import type { Report } from '../../diagnostics.js'
import { findPlace } from './component-names.js'
import type { Spot } from './component-names.js'
import { splitRef } from '../files.js'
import type { Files } from '../files.js'
import { childAt, own, pointerTo, segmentsOf, valueAt } from '../json.js'
import type { Json } from '../json.js'
import type { ReferenceNames } from './reference-names.js'

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
export function referenceResolver(
  files: Files,
  identifiers: ReferenceNames,
  report: Report,
): Resolve {
  return (ref, from, at) => resolve(ref, from, at, 0)

  function resolve(ref: string, from: Spot, at: Spot, hops: number): Target | undefined {
    for (const named of identifiers.findSpots(ref, from)) {
      const target = targetAt(walk(named, at, hops))
      if (target !== undefined) return target
    }
    const { file, pointer } = splitRef(ref)
    const loaded = files.follow(from.source, file)
    if ('refused' in loaded) {
      if (loaded.refused === 'outside')
        report(
          'FB2003',
          findPlace(at),
          show(ref),
          'a file in the folder of the entry file, or below it',
        )
      if (loaded.refused === 'unreadable')
        report('FB2002', findPlace(at), show(ref), 'a file that can be read')
      return undefined
    }
    const isPointer = pointer === '' || pointer.startsWith('/')
    const target = targetAt(
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
    for (const segment of segmentsOf(spot.pointer)) {
      const next = childAt(node, segment)
      if (next !== undefined) {
        pointer = pointerTo(pointer, segment)
        node = next
        continue
      }
      const ref = own(node, '$ref')
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

function targetAt(spot: Spot | undefined): Target | undefined {
  const node = spot && valueAt(spot.source.data, spot.pointer)
  return spot === undefined || node === undefined ? undefined : { spot, node }
}
