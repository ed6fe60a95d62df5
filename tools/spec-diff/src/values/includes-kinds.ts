import { admits, type Of, type Schema } from '@farebox/codegen/model'
import { findFormatRules, findSufficientRules } from './formats.js'
import { includesStrings, type StringRules } from './languages.js'
import { followRefs, type Includes, type Reader } from './signature.js'

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

/** A format that no validator knows is an annotation, and `url` is another name of `uri`. */
function hasFormat(part: Of<'number' | 'string'>, whole: Of<'number' | 'string'>): boolean {
  const rule = (format?: string) => (format === 'url' ? 'uri' : format)
  return rule(whole.format) === rule(part.format) || !isAsserted(whole.kind, whole.format)
}

export function includesString(part: Of<'string'>, whole: Of<'string'>): boolean {
  const known = findFormatRules(part.format)
  const sufficient: StringRules | undefined = hasFormat(part, whole)
    ? {}
    : findSufficientRules(whole.format)
  // strings of any kind are not those of a format
  const isAny = part.pattern === undefined && known === undefined
  return (
    sufficient !== undefined &&
    (sufficient.pattern === undefined || !isAny) &&
    includesStrings(part, sufficient, known) &&
    includesStrings(part, whole, known)
  )
}

export function includesArray(
  part: Of<'array'>,
  whole: Of<'array'>,
  includes: Includes,
  [from, to]: readonly [Reader, Reader],
): boolean {
  const different = part.unique ? countValues(part.items, from) : Infinity
  const most = Math.min(
    part.maxItems ?? Infinity,
    part.prefix.length + (part.items.kind === 'never' ? 0 : different),
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

/** How many values a schema accepts, as far as they are listed. */
function countValues(schema: Schema, { resolve }: Reader): number {
  const found = followRefs(schema, resolve)
  return found.kind === 'enum' ? found.values.length : Infinity
}

type ObjectSchema = Of<'object'>

export function includesObject(
  part: ObjectSchema,
  whole: ObjectSchema,
  includes: Includes,
  sides: readonly [Reader, Reader],
): boolean {
  return (
    includesCounts(part, whole) &&
    includesNamed(part, whole, includes) &&
    includesUnnamed(part, whole, includes) &&
    includesRules(part, whole, includes, sides)
  )
}

/** The members of an object by name. Lists are long, and each name is looked up many times. */
function indexMembers(schema: ObjectSchema): Members {
  const found = indexedMembers.get(schema)
  if (found !== undefined) return found
  const { properties, alsoRequired } = schema
  const required = new Set(properties.filter((one) => one.required).map(({ name }) => name))
  for (const name of alsoRequired) required.add(name)
  const members = {
    required,
    rules: new Map(properties.map((property) => [property.name, [property.schema]])),
  }
  indexedMembers.set(schema, members)
  return members
}

type Members = {
  readonly required: ReadonlySet<string>
  readonly rules: ReadonlyMap<string, readonly Schema[]>
}
const indexedMembers = new WeakMap<ObjectSchema, Members>()

export function listRequired(schema: ObjectSchema): ReadonlySet<string> {
  return indexMembers(schema).required
}

function includesCounts(part: ObjectSchema, whole: ObjectSchema): boolean {
  const [mine, theirs] = [listRequired(part), listRequired(whole)]
  const isClosed = part.additional.kind === 'never' && part.patterns.length === 0
  const most = Math.min(
    part.maxProperties ?? Infinity,
    isClosed ? part.properties.filter(({ schema }) => schema.kind !== 'never').length : Infinity,
  )
  return (
    [...theirs].every((name) => mine.has(name)) &&
    Math.max(part.minProperties ?? 0, mine.size) >= (whole.minProperties ?? 0) &&
    most <= (whole.maxProperties ?? Infinity)
  )
}

/** The schemas that a property must satisfy. */
export function listPropertyRules(schema: ObjectSchema, name: string): readonly Schema[] {
  const stated = indexMembers(schema).rules.get(name) ?? []
  if (schema.patterns.length === 0 && stated.length > 0) return stated
  const rules = [
    ...stated,
    ...schema.patterns
      .filter(({ pattern }) => new RegExp(pattern, 'u').test(name))
      .map((one) => one.schema),
  ]
  return rules.length === 0 ? [schema.additional] : rules
}

function includesNamed(part: ObjectSchema, whole: ObjectSchema, includes: Includes): boolean {
  const names = new Set([...part.properties, ...whole.properties].map(({ name }) => name))
  return [...names].every((name) => {
    const [mine, theirs] = [listPropertyRules(part, name), listPropertyRules(whole, name)]
    return theirs.every((rule) => mine.some((one) => includes(one, rule)))
  })
}

/** Names that neither object lists: each may match any of the patterns. */
function includesUnnamed(part: ObjectSchema, whole: ObjectSchema, includes: Includes): boolean {
  const theirs = new Map(whole.patterns.map(({ pattern, schema }) => [pattern, schema]))
  const mine = new Map(part.patterns.map(({ pattern, schema }) => [pattern, schema]))
  const sources = [...mine.values(), part.additional]
  const holdsPatterns = [...theirs].every(([pattern, rule]) => {
    const same = mine.get(pattern)
    return same === undefined
      ? sources.every((source) => includes(source, rule))
      : includes(same, rule)
  })
  const others = [...mine].flatMap(([pattern, schema]) => (theirs.has(pattern) ? [] : [schema]))
  return (
    holdsPatterns &&
    [...others, part.additional].every((source) => includes(source, whole.additional))
  )
}

function includesRules(
  part: ObjectSchema,
  whole: ObjectSchema,
  includes: Includes,
  [from, to]: readonly [Reader, Reader],
): boolean {
  const required = listRequired(part)
  const { propertyNames } = whole
  return (
    (propertyNames === undefined ||
      (part.propertyNames !== undefined && includes(part.propertyNames, propertyNames))) &&
    whole.dependentRequired.every(({ name, requires }) =>
      requires.every(
        (one) =>
          required.has(one) ||
          part.dependentRequired.some((rule) => rule.name === name && rule.requires.includes(one)),
      ),
    ) &&
    whole.dependentSchemas.every(
      ({ name, schema }) =>
        part.dependentSchemas.some(
          (rule) => rule.name === name && from.meaning(rule.schema) === to.meaning(schema),
        ) || includes(part, schema),
    )
  )
}

/**
 * Whether validators check a format. Others, such as `password`, only describe the value. No string
 * has a known format and is one of the probes at once, as no whole number has `int64` beyond it.
 */
export function isAsserted(kind: 'number' | 'string', format: string | undefined): boolean {
  if (format === undefined) return false
  const notes = { origin: { file: '', pointer: '' } }
  const schema: Schema =
    kind === 'string' ? { kind, notes, format } : { kind, notes, format, integer: false }
  const probes = kind === 'string' ? [' \u0000', '['] : [1e300, 0.5]
  const known = results.get(`${kind} ${format}`)
  if (known !== undefined) return known
  const result = probes.some((value) => !admits(schema, value, () => schema))
  results.set(`${kind} ${format}`, result)
  return result
}

const results = new Map<string, boolean>()
