import { show } from '../diagnostics.js'
import { isList, readOwn, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Context, LocatedNode } from './build-context.js'
import { readDeclaredTypes, findValueType } from '../document/types/possible-types.js'
import { canonicalize } from './schema.js'

/**
 * The distinct values that `enum` and `const` allow, without those that other keywords of the
 * schema reject. Undefined without both keywords. `nullable` adds no null to an `enum` (OpenAPI
 * 3.0.3, schema object).
 */
export function readEnumValues(
  context: Context,
  found: LocatedNode<JsonObject>,
): readonly Json[] | undefined {
  const { node, pointer } = found
  const listed = readOwn(node, 'enum')
  const constant = readOwn(node, 'const')
  if (listed === undefined && constant === undefined) return undefined
  if (listed !== undefined && !isList(listed)) {
    context.report('FB3002', pointerTo(pointer, 'enum'), show(listed), 'an array of values')
    return undefined
  }
  if (isList(listed) && listed.length === 0)
    context.report('FB3003', pointerTo(pointer, 'enum'), 'an empty list', 'at least one value')
  const values = listed ?? [constant ?? null]
  const endless = values
    .filter((value) => typeof value === 'number')
    .find((value) => !Number.isFinite(value))
  if (endless !== undefined) {
    const keyword = pointerTo(pointer, listed === undefined ? 'const' : 'enum')
    context.report('FB3002', keyword, String(endless), 'numbers that JSON has')
    return undefined
  }
  const unique = new Map(values.map((value) => [canonicalize(value), value]))
  const target = constant === undefined ? undefined : canonicalize(constant)
  return Object.freeze(
    [...unique]
      .filter(
        ([key, value]) =>
          (target === undefined || key === target) && fitsKeywords(context, node, value),
      )
      .map(([, value]) => value),
  )
}

/** The names of the remaining values. Undefined unless each has its own. */
export function readEnumNames(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  values: readonly Json[],
): readonly string[] | undefined {
  const field = readOwn(node, 'x-enum-varnames') === undefined ? 'x-enumNames' : 'x-enum-varnames'
  const [listed, names] = [readOwn(node, 'enum'), readOwn(node, field)]
  if (names === undefined) return undefined
  if (isList(listed) && isList(names) && names.length === listed.length) {
    const byValue = new Map(listed.map((value, index) => [canonicalize(value), names[index]]))
    const found = values.map((value) => byValue.get(canonicalize(value)))
    const texts = found.filter((name) => typeof name === 'string')
    if (texts.length === found.length && new Set(texts).size === texts.length)
      return Object.freeze(texts)
  }
  context.report(
    'FB3016',
    pointerTo(pointer, field),
    show(names),
    'a name for each value of `enum`, all different',
  )
  return undefined
}

function fitsKeywords(context: Context, schema: JsonObject, value: Json): boolean {
  const types = readDeclaredTypes(context, schema)
  if (types !== undefined && !types.includes(findValueType(value))) return false
  if (typeof value === 'number') return fitsNumber(schema, value)
  return typeof value === 'string' ? fitsString(schema, value) : true
}

function fitsNumber(schema: JsonObject, value: number): boolean {
  const type = readOwn(schema, 'type')
  const types = isList(type) ? type : [type]
  if (types.includes('integer') && !types.includes('number') && !Number.isInteger(value))
    return false
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (
    typeof minimum === 'number' &&
    (exclusiveMinimum === true ? value <= minimum : value < minimum)
  )
    return false
  if (
    typeof maximum === 'number' &&
    (exclusiveMaximum === true ? value >= maximum : value > maximum)
  )
    return false
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false
  return typeof multipleOf !== 'number' || multipleOf <= 0 || isMultiple(value, multipleOf)
}

function isMultiple(value: number, of: number): boolean {
  const ratio = value / of
  return Math.abs(ratio - Math.round(ratio)) <= 1e-9 * Math.max(1, Math.abs(ratio))
}

function fitsString({ minLength, maxLength, pattern }: JsonObject, value: string): boolean {
  const length = Array.from(value).length
  if (typeof minLength === 'number' && length < minLength) return false
  if (typeof maxLength === 'number' && length > maxLength) return false
  if (typeof pattern !== 'string') return true
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}
