import type { DeferredSchema, SchemaOf, SchemasOf } from './deferred.js'
import * as z from './zod.js'

/** A rule that a function decides. Other faults of the value are reported too. */
export function createRule<T>(
  holds: (value: T) => boolean,
  message: string,
  kind:
    | { readonly code: 'custom' }
    | { readonly code: 'invalid_format'; readonly format: string } = { code: 'custom' },
): Rule<T> {
  return ({ value, issues }) => {
    if (!holds(value))
      issues.push({ ...kind, message, input: value, continue: true } as z.core.$ZodRawIssue)
  }
}

/** Lengths in code points, as JSON Schema counts them. `length` of a string counts UTF-16 units. */
export function length(min: number, max: number = Infinity): Rule<string> {
  const bounds = [
    ...(min > 0 ? [`at least ${min}`] : []),
    ...(max < Infinity ? [`at most ${max}`] : []),
  ]
  return createRule(
    (text) => isOfLength(text, min, max),
    `Invalid length: expected ${bounds.join(' and ')} characters`,
  )
}

/**
 * JSON Schema integers have no largest value, unlike zod's. Wrapped in a function, since a bundler
 * keeps code that reads a property.
 */
export const integer: Rule<number> = /* @__PURE__ */ createRule(
  (value) => Number.isInteger(value),
  'Invalid input: expected an integer',
)

/** A whole multiple in decimal arithmetic: 0.3 is a multiple of 0.1. */
export function multipleOf(step: number): Rule<number> {
  const [stepDigits, stepExponent] = toDecimal(step)
  const isMultiple = (value: number): boolean => {
    const [digits, exponent] = toDecimal(value)
    const shift = Math.min(exponent, stepExponent)
    return (
      (digits * 10n ** BigInt(exponent - shift)) %
        (stepDigits * 10n ** BigInt(stepExponent - shift)) ===
      0n
    )
  }
  return createRule(isMultiple, `Invalid number: expected a multiple of ${step}`)
}

/** All elements differ, by value. */
export const unique: Rule = (context) => {
  const { value } = context
  if (!Array.isArray(value) || new Set(value.map(canonicalize)).size === value.length) return
  context.issues.push({
    code: 'custom',
    message: 'Invalid array: expected elements that all differ',
    input: value,
  })
}

/** One of some values, compared by value. */
export function oneOfValues<const T>(values: readonly T[]): z.ZodType<T, T> {
  const known = new Set(values.map(canonicalize))
  return z.unknown().check((context) => {
    if (known.has(canonicalize(context.value))) return
    const message = `Invalid value: expected one of ${JSON.stringify(values)}`
    context.issues.push({ code: 'custom', message, input: context.value })
  }) as unknown as z.ZodType<T, T>
}

/** A Date that RFC 3339 can write: it is valid, and its year has four digits. */
/* @__NO_SIDE_EFFECTS__ */
export function date(): z.ZodType<Date, Date> {
  return z.unknown().check(({ value, issues }) => {
    if (value instanceof Date && /^\d{4}-/.test(value.toJSON() ?? '')) return
    issues.push({
      code: 'custom',
      message: 'Invalid input: expected a Date of the years 0 to 9999',
      input: value,
    })
  }) as unknown as z.ZodType<Date, Date>
}

/**
 * Parameters here require only `SomeType`. To check that a schema is a whole `$ZodType`, the
 * compiler would compute all of its types.
 */
export function accepts(schema: z.core.SomeType, value: unknown): boolean {
  return z.safeParse(schema as z.core.$ZodType, value).success
}

/** This many elements match the schema. */
export function contains(schema: z.core.SomeType, min: number, max: number = Infinity): Rule {
  const expected = `at least ${min}${max === Infinity ? '' : ` and at most ${max}`}`
  return (context) => {
    const { value } = context
    if (!Array.isArray(value)) return
    const count = value.filter((item) => accepts(schema, item)).length
    if (count >= min && count <= max) return
    context.issues.push({
      code: 'custom',
      message: `Invalid array: expected ${expected} elements of one kind, found ${count}`,
      input: value,
    })
  }
}

/** An array whose first elements have schemas of their own. It may be shorter. */
export function tuple<const Prefix extends readonly z.core.SomeType[]>(
  prefix: Prefix,
  rest: z.core.SomeType,
): Tuple<Prefix> {
  return z.array(z.unknown()).check((context) => {
    context.value.forEach((value, index) => validate(context, prefix[index] ?? rest, value, index))
  }) as unknown as Tuple<Prefix>
}

/** The result stands in a property, as in zod: the compiler computes it only when it is used. */
export interface Tuple<Prefix extends readonly z.core.SomeType[]> extends z.ZodType<
  unknown,
  unknown,
  TupleInternals<Prefix>
> {}

interface TupleInternals<Prefix extends readonly z.core.SomeType[]>
  extends z.core._$ZodTypeInternals {
  output: Outputs<Prefix>
  input: Outputs<Prefix>
}

type Outputs<Schemas extends readonly z.core.SomeType[]> = {
  -readonly [Index in keyof Schemas]: z.output<Schemas[Index]>
}

/** What `object` validates beside the properties that stand in its shape. */
export type ObjectRules = {
  /** Properties whose names every object inherits. */
  readonly own?: Readonly<Record<string, z.core.SomeType>>
  readonly required?: readonly string[]
  readonly patterns?: readonly (readonly [RegExp, z.core.SomeType])[]
  /** The names to which `additional` does not apply. */
  readonly named?: readonly string[]
  readonly additional?: z.core.SomeType
  readonly names?: z.core.SomeType
  readonly min?: number
  readonly max?: number
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>
  readonly dependentSchemas?: Readonly<Record<string, z.core.SomeType>>
}

/** The argument of a zod check. */
export type Context<T = unknown> = { readonly value: T; readonly issues: z.core.$ZodRawIssue[] }

/**
 * Adds the violations that it finds. A check of unknown values ignores types that are not its own.
 */
export type Rule<T = unknown> = (context: Context<T>) => void

/**
 * A schema, and rules that zod has no word for. They validate the very value that came in, and that
 * comes out: a check on an object or an array of zod would be given a copy, from which zod leaves
 * out properties called `__proto__`.
 */
export function checked<Base>(
  base: Base,
  ...rules: readonly Rule[]
): DeferredSchema<CheckedSchema<Base>> {
  return z.unknown().check((context) => {
    validate(context, base as SchemaOf<Base>, context.value)
    for (const rule of rules) rule(context)
  }) as unknown as DeferredSchema<CheckedSchema<Base>>
}

export interface CheckedSchema<Base> extends z.ZodType<unknown, unknown, CheckedInternals<Base>> {}

interface CheckedInternals<Base> extends z.core._$ZodTypeInternals {
  output: z.output<SchemaOf<Base>>
  input: z.input<SchemaOf<Base>>
}

/**
 * An object whose other properties have a schema of their own, a property called `__proto__`
 * included: zod passes over that one.
 */
export function record<Shape extends z.core.$ZodLooseShape, Rest>(
  shape: Shape,
  rest: Rest,
): DeferredSchema<CheckedSchema<RecordOf<Shape, Rest>>> {
  const names = new Set(Object.keys(shape))
  const known = z.object(shape)
  // not by `checked`: the compiler would compare both types in full
  return z.unknown().check((context) => {
    const { value } = context
    validate(context, known, value)
    if (isRecord(value))
      for (const key of Object.keys(value))
        if (!names.has(key)) validate(context, rest as SchemaOf<Rest>, value[key], key)
  }) as unknown as DeferredSchema<CheckedSchema<RecordOf<Shape, Rest>>>
}

export interface RecordOf<Shape extends z.core.$ZodLooseShape, Rest> extends z.ZodObject<
  Shape,
  z.core.$catchall<SchemaOf<Rest>>
> {}

/** Validates an object. */
export function object(rules: ObjectRules): Rule {
  const { required = [], patterns = [], names, additional, min = 0, max = Infinity } = rules
  const own = Object.entries(rules.own ?? {})
  const named = new Set([...(rules.named ?? []), ...own.map(([name]) => name)])
  const dependentRequired = Object.entries(rules.dependentRequired ?? {})
  const dependentSchemas = Object.entries(rules.dependentSchemas ?? {})
  return (context) => {
    const { value } = context
    if (!isRecord(value)) return
    const keys = Object.keys(value)
    const has = (name: string) => Object.hasOwn(value, name)
    const fault = (message: string, path: readonly PropertyKey[] = []) =>
      void context.issues.push({ code: 'custom', message, input: value, path: [...path] })

    for (const name of required)
      if (!has(name)) fault(`Invalid input: expected a property ${JSON.stringify(name)}`, [name])
    for (const [name, schema] of own) if (has(name)) validate(context, schema, value[name], name)
    for (const key of keys) {
      if (names !== undefined) validate(context, names, key, key)
      const matching = patterns.filter(([pattern]) => pattern.test(key))
      for (const [, schema] of matching) validate(context, schema, value[key], key)
      if (additional !== undefined && matching.length === 0 && !named.has(key))
        validate(context, additional, value[key], key)
    }
    if (keys.length < min) fault(`Too small: expected an object with at least ${min} properties`)
    if (keys.length > max) fault(`Too big: expected an object with at most ${max} properties`)
    for (const [name, others] of dependentRequired) {
      const missing = has(name) ? others.filter((other) => !has(other)) : []
      for (const other of missing)
        fault(
          `Invalid input: a property ${JSON.stringify(other)} is expected beside ${JSON.stringify(name)}`,
          [other],
        )
    }
    for (const [name, schema] of dependentSchemas) if (has(name)) validate(context, schema, value)
  }
}

/** The branch that a function selects. */
export function conditional(
  test: z.core.SomeType,
  then: z.core.SomeType,
  otherwise: z.core.SomeType,
): Rule {
  return (context) =>
    validate(context, accepts(test, context.value) ? then : otherwise, context.value)
}

/** The option that a property of the object selects. Only its violations are reported. */
export function tagged<
  const Options extends readonly (readonly [tags: readonly string[], schema: z.core.SomeType])[],
>(property: string, options: Options): CheckedSchema<Options[number][1]> {
  const byTag = new Map(
    options.flatMap(([tags, schema]) =>
      tags.map((tag): readonly [string, z.core.SomeType] => [tag, schema]),
    ),
  )
  const expected = `Invalid input: expected one of ${[...byTag.keys()].map((tag) => JSON.stringify(tag)).join(', ')}`
  return z.unknown().check((context) => {
    const { value } = context
    const tag = isRecord(value) && Object.hasOwn(value, property) ? value[property] : undefined
    const schema = typeof tag === 'string' ? byTag.get(tag) : undefined
    if (!isRecord(value))
      context.issues.push({ code: 'invalid_type', expected: 'object', input: value })
    else if (schema !== undefined) validate(context, schema, value)
    else context.issues.push({ code: 'custom', message: expected, input: tag, path: [property] })
  }) as unknown as CheckedSchema<Options[number][1]>
}

/** Every part validates the whole value; what comes out is what went in. */
export function all<const Parts>(parts: Parts): DeferredSchema<All<Parts>> {
  return z.unknown().check((context) => {
    for (const part of parts as SchemasOf<Parts>) validate(context, part, context.value)
    dropRepeated(context)
  }) as unknown as DeferredSchema<All<Parts>>
}

export interface All<Parts> extends z.ZodType<unknown, unknown, AllInternals<Parts>> {}

interface AllInternals<Parts> extends z.core._$ZodTypeInternals {
  output: Intersection<Parts>
  input: Intersection<Parts>
}

type Intersection<Parts> = Parts extends readonly [
  infer First extends z.core.SomeType,
  ...infer Rest,
]
  ? z.output<First> & Intersection<Rest>
  : unknown

/** Values of any type except those that a schema accepts. */
export function not(schema: z.core.SomeType): Rule {
  return createRule(
    (value) => !accepts(schema, value),
    'Invalid input: a value that is excluded here',
  )
}

/** Bytes that can be sent or that were received. */
export function binary(): z.ZodType<Blob | Uint8Array, Blob | Uint8Array> {
  return z
    .unknown()
    .check(
      createRule(isBinary, 'Invalid input: expected a Blob, a File or bytes'),
    ) as unknown as z.ZodType<Blob | Uint8Array, Blob | Uint8Array>
}

/** Adds the faults of a part to those of the whole. */
export function validate(
  context: Context,
  schema: z.core.SomeType,
  value: unknown,
  ...path: readonly PropertyKey[]
): void {
  const result = z.safeParse(schema as z.core.$ZodType, value)
  if (result.success) return
  for (const issue of result.error.issues)
    context.issues.push({
      ...issue,
      input: value,
      path: [...path, ...issue.path],
    } as z.core.$ZodRawIssue)
}

/** A violation that several parts report at one place is reported once. */
function dropRepeated({ issues }: Context): void {
  const known = new Set<string>()
  let rest = 0
  for (const issue of issues) {
    const key = JSON.stringify([issue.path?.map(String), issue.message])
    if (!known.has(key)) issues[rest++] = issue
    known.add(key)
  }
  issues.length = rest
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isBinary(value: unknown): boolean {
  return value instanceof Uint8Array || (typeof Blob === 'function' && value instanceof Blob)
}

function isOfLength(text: string, min: number, max: number): boolean {
  if (text.length < min) return false
  if (text.length <= max && text.length >= 2 * min) return true
  const points = countCodePoints(text)
  return points >= min && points <= max
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** The digits and the power of ten of the shortest decimal for this number. */
function toDecimal(value: number): readonly [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

/** One text for all values that are equal as JSON: keys sorted, 1.0 as 1. */
function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join()}]`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? String(value + 0) : (JSON.stringify(value) ?? 'undefined')
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalize(item)}`).join()}}`
}
