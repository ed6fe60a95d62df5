import { isList, isObject } from '../document/json.js'
import { canonicalize, type Json, type Kind, type Of, type Schema } from '../ir/schema.js'

/** The property names and element indexes of a value that a schema has evaluated. */
type EvaluatedKeys = ReadonlySet<string | number>

/** Undefined if the schema rejects the value. */
type Verdict = EvaluatedKeys | undefined

const none: EvaluatedKeys = new Set()

const memoizeVerdict = cachePerReference<Verdict>()

/** Whether a pattern matches somewhere in a string. */
export function matches(
  { matches: ask }: ValidationContext,
  pattern: string,
  text: string,
): boolean {
  return ask === undefined ? new RegExp(pattern, 'u').test(text) : ask(pattern, text)
}

/**
 * Whether a schema accepts a value (JSON Schema 2020-12). This is the reference implementation:
 * tests compare every emitter with it, and examples are validated by it.
 */
export function accepts(schema: Schema, value: Json, context: ValidationContext): boolean {
  return evaluate(schema, value, context) !== undefined
}

/** A function for each kind: closures would be made anew for each value. */
type Judges = {
  readonly [K in Kind]: (node: Of<K>, value: Json, context: ValidationContext) => Verdict
}

function evaluate(schema: Schema, value: Json, context: ValidationContext): Verdict {
  const judge = judges[schema.kind] as (
    node: Schema,
    value: Json,
    context: ValidationContext,
  ) => Verdict
  return judge(schema, value, context)
}

function toVerdict(condition: boolean): Verdict {
  return condition ? none : undefined
}

function isFormat(
  format: string | undefined,
  value: string | number,
  context: ValidationContext,
): boolean {
  return format === undefined || (context.isFormat?.(format, value) ?? true)
}

function findMatches(
  parts: readonly Schema[],
  value: Json,
  context: ValidationContext,
): readonly EvaluatedKeys[] {
  return parts.map((part) => evaluate(part, value, context)).filter((seen) => seen !== undefined)
}

const judges: Judges = {
  any: () => none,
  never: () => undefined,
  null: (_, value) => toVerdict(value === null),
  boolean: (_, value) => toVerdict(typeof value === 'boolean'),
  number: (node, value, context) =>
    toVerdict(
      typeof value === 'number' && isNumber(node, value) && isFormat(node.format, value, context),
    ),
  string: (node, value, context) =>
    toVerdict(
      typeof value === 'string' &&
        isString(node, value, context) &&
        isFormat(node.format, value, context),
    ),
  binary: () => undefined,
  enum: ({ values }, value) =>
    toVerdict(values.some((one) => canonicalize(one) === canonicalize(value))),
  array: (node, value, context) =>
    isList(value) ? evaluateArray(node, value, context) : undefined,
  object: (node, value, context) =>
    isObject(value) ? evaluateObject(node, value, context) : undefined,
  union: ({ options }, value, context) => {
    const matches = findMatches(options, value, context)
    return matches.length === 0 ? undefined : mergeSeen(matches)
  },
  oneOf: ({ options }, value, context) => {
    const matches = findMatches(options, value, context)
    return matches.length === 1 ? matches[0] : undefined
  },
  intersection: ({ parts }, value, context) => {
    const matches = findMatches(parts, value, context)
    return matches.length === parts.length ? mergeSeen(matches) : undefined
  },
  not: ({ schema }, value, context) => toVerdict(!accepts(schema, value, context)),
  conditional: ({ when: test, then, otherwise }, value, context) => {
    const tested = evaluate(test, value, context)
    const branch = evaluate(tested === undefined ? otherwise : then, value, context)
    return branch && mergeSeen([tested ?? none, branch])
  },
  unevaluated: ({ base, properties, items }, value, context) => {
    const seen = evaluate(base, value, context)
    if (seen === undefined) return undefined
    if (properties !== undefined && isObject(value)) {
      const rest = Object.keys(value).filter((name) => !seen.has(name))
      return rest.every((name) => accepts(properties, value[name] ?? null, context))
        ? new Set([...seen, ...rest])
        : undefined
    }
    if (items !== undefined && isList(value)) {
      const rest = [...value.keys()].filter((index) => !seen.has(index))
      return rest.every((index) => accepts(items, value[index] ?? null, context))
        ? new Set([...seen, ...rest])
        : undefined
    }
    return seen
  },
  ref: ({ name }, value, context) =>
    memoizeVerdict(context, name, value, () => evaluate(context.lookup(name), value, context)),
}

function evaluateArray(
  node: Of<'array'>,
  value: readonly Json[],
  context: ValidationContext,
): Verdict {
  const holds = (part: Schema, item: Json): boolean => accepts(part, item, context)
  if (value.length < (node.minItems ?? 0) || value.length > (node.maxItems ?? Infinity))
    return undefined
  if (node.unique && new Set(value.map(canonicalize)).size !== value.length) return undefined
  const seen = new Set<number>()
  for (const [index, item] of value.entries()) {
    const part = node.prefix[index] ?? node.items
    if (!holds(part, item)) return undefined
    if (index < node.prefix.length || node.items.kind !== 'any' || node.itemsStated === true)
      seen.add(index)
  }
  if (node.contains !== undefined) {
    const { schema, min, max = Infinity } = node.contains
    const indices = [...value.keys()].filter((index) => holds(schema, value[index] ?? null))
    if (indices.length < min || indices.length > max) return undefined
    for (const index of indices) seen.add(index)
  }
  if (node.unevaluated === undefined) return seen
  const { unevaluated } = node
  const rest = [...value.keys()].filter((index) => !seen.has(index))
  return rest.every((index) => holds(unevaluated, value[index] ?? null))
    ? new Set(value.keys())
    : undefined
}

function evaluateObject(
  node: Of<'object'>,
  value: Readonly<Record<string, Json>>,
  context: ValidationContext,
): Verdict {
  const holds = (part: Schema, item: Json): boolean => accepts(part, item, context)
  const names = Object.keys(value)
  const has = (name: string): boolean => Object.hasOwn(value, name)
  if (names.length < (node.minProperties ?? 0) || names.length > (node.maxProperties ?? Infinity))
    return undefined
  if (
    !node.alsoRequired.every(has) ||
    !node.properties.every(({ name, required }) => !required || has(name))
  )
    return undefined
  if (!node.dependentRequired.every(({ name, requires }) => !has(name) || requires.every(has)))
    return undefined
  const { propertyNames } = node
  if (propertyNames !== undefined && !names.every((name) => holds(propertyNames, name)))
    return undefined
  const seen = new Set<string | number>()
  const properties = indexByName(node.properties)
  for (const name of names) {
    const item = value[name] ?? null
    const property = properties.get(name)
    const patterns = node.patterns.filter(({ pattern }) => matches(context, pattern, name))
    if (property !== undefined && !holds(property.schema, item)) return undefined
    if (!patterns.every(({ schema }) => holds(schema, item))) return undefined
    const known = property !== undefined || patterns.length > 0
    if (!known && !holds(node.additional, item)) return undefined
    if (known || node.additional.kind !== 'any' || node.additionalStated === true) seen.add(name)
  }
  for (const { name, schema } of node.dependentSchemas) {
    if (!has(name)) continue
    const inner = evaluate(schema, value, context)
    if (inner === undefined) return undefined
    for (const one of inner) seen.add(one)
  }
  return seen
}

type Properties = Of<'object'>['properties']
const propertiesByName = new WeakMap<Properties, ReadonlyMap<string, Properties[number]>>()

/** Cached, since a schema may validate many values. */
function indexByName(properties: Properties): ReadonlyMap<string, Properties[number]> {
  const found =
    propertiesByName.get(properties) ??
    new Map(properties.map((property) => [property.name, property]))
  propertiesByName.set(properties, found)
  return found
}

function isNumber(node: Of<'number'>, value: number): boolean {
  return (
    (!node.integer || Number.isInteger(value)) &&
    value >= (node.minimum ?? -Infinity) &&
    value <= (node.maximum ?? Infinity) &&
    value > (node.exclusiveMinimum ?? -Infinity) &&
    value < (node.exclusiveMaximum ?? Infinity) &&
    (node.multipleOf === undefined || isMultiple(value, node.multipleOf))
  )
}

/** Uses decimal arithmetic: 0.3 is a multiple of 0.1, but their binary quotient is not whole. */
function isMultiple(value: number, step: number): boolean {
  const [digits, exponent] = parseDecimal(value)
  const [stepDigits, stepExponent] = parseDecimal(step)
  const shift = Math.min(exponent, stepExponent)
  return (
    (digits * 10n ** BigInt(exponent - shift)) %
      (stepDigits * 10n ** BigInt(stepExponent - shift)) ===
    0n
  )
}

function parseDecimal(value: number): readonly [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

function isString(node: Of<'string'>, value: string, context: ValidationContext): boolean {
  const length = Array.from(value).length
  return (
    length >= (node.minLength ?? 0) &&
    length <= (node.maxLength ?? Infinity) &&
    (node.pattern === undefined || matches(context, node.pattern, value))
  )
}

function mergeSeen(all: readonly EvaluatedKeys[]): EvaluatedKeys {
  return new Set(all.flatMap((seen) => [...seen]))
}

/** What a verdict depends on beside the schema and the value. */
export type ValidationContext = {
  /** Finds the schema that a reference names. */
  readonly lookup: (name: string) => Schema
  /** Whether a value has a format. Default: every value has every format. */
  readonly isFormat?: (format: string, value: string | number) => boolean
  /**
   * Whether a pattern matches somewhere in a string. Default: without a time limit.
   */
  readonly matches?: (pattern: string, text: string) => boolean
}

/**
 * Caches a result for each reference and value. References that nest, such as `anyOf` within
 * `anyOf`, can reach the same schema on exponentially many paths; this visits it once for each
 * value.
 */
export function cachePerReference<T>(): (
  context: ValidationContext,
  reference: string,
  value: Json,
  find: () => T,
) => T {
  const memories = new WeakMap<ValidationContext, Map<string, Map<Json, T>>>()
  return (context, reference, value, find) => {
    const memory = memories.get(context) ?? new Map<string, Map<Json, T>>()
    memories.set(context, memory)
    const known = memory.get(reference) ?? new Map<Json, T>()
    memory.set(reference, known)
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const fresh = find()
    known.set(value, fresh)
    return fresh
  }
}
