import type { Of, Schema } from '@farebox/codegen'
import { isAsserted } from './formats.js'
import type { Includes, Reader } from './includes.js'

export function includesNumber(part: Of<'number'>, whole: Of<'number'>): boolean {
  if (whole.integer && !part.integer) return false
  const lows = [part.minimum, part.exclusiveMinimum].filter((bound) => bound !== undefined)
  const highs = [part.maximum, part.exclusiveMaximum].filter((bound) => bound !== undefined)
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = whole
  const isAbove = (bound: number) => lows.some((low) => low >= bound)
  const isBelow = (bound: number) => highs.some((high) => high <= bound)
  return (
    (minimum === undefined || isAbove(minimum)) &&
    (maximum === undefined || isBelow(maximum)) &&
    (exclusiveMinimum === undefined ||
      (part.minimum ?? -Infinity) > exclusiveMinimum ||
      (part.exclusiveMinimum ?? -Infinity) >= exclusiveMinimum) &&
    (exclusiveMaximum === undefined ||
      (part.maximum ?? Infinity) < exclusiveMaximum ||
      (part.exclusiveMaximum ?? Infinity) <= exclusiveMaximum) &&
    (multipleOf === undefined ||
      Number.isInteger((part.multipleOf ?? Number.NaN) / multipleOf) ||
      (part.integer && Number.isInteger(1 / multipleOf))) &&
    (hasFormat(part, whole) || isWithin(part, ranges.get(whole.format ?? '')))
  )
}

const ranges: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['int32', [-(2 ** 31), 2 ** 31 - 1]],
  ['int64', [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]],
])

function isWithin(
  { integer, minimum, maximum }: Of<'number'>,
  range: readonly [number, number] | undefined,
): boolean {
  if (range === undefined || !integer || minimum === undefined || maximum === undefined)
    return false
  return minimum >= range[0] && maximum <= range[1]
}

/** A format that no validator knows is an annotation. */
function hasFormat(part: Of<'number' | 'string'>, whole: Of<'number' | 'string'>): boolean {
  return whole.format === part.format || !isAsserted(whole.kind, whole.format)
}

export function includesString(part: Of<'string'>, whole: Of<'string'>): boolean {
  return (
    (part.minLength ?? 0) >= (whole.minLength ?? 0) &&
    (part.maxLength ?? Infinity) <= (whole.maxLength ?? Infinity) &&
    (whole.pattern === undefined || whole.pattern === part.pattern) &&
    hasFormat(part, whole)
  )
}

export function includesArray(
  part: Of<'array'>,
  whole: Of<'array'>,
  includes: Includes,
  [from, to]: readonly [Reader, Reader],
): boolean {
  const most = Math.min(
    part.maxItems ?? Infinity,
    part.items.kind === 'never' ? part.prefix.length : Infinity,
  )
  const item = ({ prefix, items }: Of<'array'>, at: number): Schema => prefix[at] ?? items
  const length = Math.max(part.prefix.length, whole.prefix.length)
  const indexes = Array.from({ length: Math.min(length, most) }, (_, at) => at)
  const { contains, unevaluated } = whole
  const sameContains =
    part.contains !== undefined &&
    contains !== undefined &&
    part.contains.min >= contains.min &&
    contains.max === part.contains.max &&
    from.meaning(part.contains.schema) === to.meaning(contains.schema)
  return (
    (part.minItems ?? 0) >= (whole.minItems ?? 0) &&
    most <= (whole.maxItems ?? Infinity) &&
    (!whole.unique || part.unique || most <= 1) &&
    indexes.every((at) => includes(item(part, at), item(whole, at))) &&
    (most <= length || includes(part.items, whole.items)) &&
    (contains === undefined ||
      (contains.min === 0 && contains.max === undefined) ||
      sameContains) &&
    (unevaluated === undefined || unevaluated.kind === 'any')
  )
}
