/**
 * The zod that makes the validators beside this file: its core alone, with the functions that are
 * needed. A schema has `check` and `safeParse`, and works wherever a schema of `zod/v4/core` does.
 * Only this file differs between the flavours. Load zod's messages on demand with
 * `config(locales.en())` of `zod/v4/core`.
 */
import * as core from 'zod/v4/core'
import { rememberAbsence } from '../absent.js'

export * as core from 'zod/v4/core'
export { safeParse, type input, type output } from 'zod/v4/core'

/** A schema with the two methods of this flavour. */
export type Checkable<Schema extends core.$ZodType> = Schema & {
  readonly check: (...checks: readonly core.CheckFn<core.output<Schema>>[]) => Checkable<Schema>
  readonly safeParse: (value: unknown) => core.util.SafeParseResult<core.output<Schema>>
}

/** The same for a schema of unstated kind, as an interface that others can extend. */
export interface ZodType<
  out Output = unknown,
  out Input = unknown,
  out Internals extends core.$ZodTypeInternals<Output, Input> = core.$ZodTypeInternals<
    Output,
    Input
  >,
> extends core.$ZodType<Output, Input, Internals> {
  readonly check: (...checks: readonly core.CheckFn<core.output<this>>[]) => this
  readonly safeParse: (value: unknown) => core.util.SafeParseResult<core.output<this>>
}

export type ZodObject<
  Shape extends core.$ZodLooseShape = core.$ZodLooseShape,
  Config extends core.$ZodObjectConfig = core.$strip,
> = Checkable<core.$ZodObject<Shape, Config>>

export type ZodExactOptional<Inner extends core.SomeType> = Checkable<core.$ZodExactOptional<Inner>>

/** These functions state the type of the schema, which the constructors of the core do not. */
type Constructor = new (def: never) => core.$ZodType

type Def = { readonly type: core.$ZodTypeDef['type']; readonly checks?: readonly core.$ZodCheck[] }

function createSchema<Schema extends core.$ZodType>(
  Type: Constructor,
  def: Def & Readonly<Record<string, unknown>>,
): Checkable<Schema> {
  const schema = new Type(def as never) as Schema
  return Object.assign(schema, {
    check: (...checks: readonly core.CheckFn<core.output<Schema>>[]) => {
      const added = checks.map((check) => ({
        _zod: { check, def: { check: 'custom' }, onattach: [] },
      }))
      return createSchema<Schema>(Type, { ...def, checks: [...(def.checks ?? []), ...added] })
    },
    safeParse: (value: unknown) => core.safeParse(schema, value),
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function string(): Checkable<core.$ZodString<string>> {
  return createSchema(core.$ZodString, { type: 'string' })
}

/* @__NO_SIDE_EFFECTS__ */
export function number(): Checkable<core.$ZodNumber<number>> {
  return createSchema(core.$ZodNumber, { type: 'number' })
}

/* @__NO_SIDE_EFFECTS__ */
export function boolean(): Checkable<core.$ZodBoolean<boolean>> {
  return createSchema(core.$ZodBoolean, { type: 'boolean' })
}

/* @__NO_SIDE_EFFECTS__ */
export function unknown(): Checkable<core.$ZodUnknown> {
  return createSchema(core.$ZodUnknown, { type: 'unknown' })
}

/* @__NO_SIDE_EFFECTS__ */
export function never(message?: string): Checkable<core.$ZodNever> {
  return createSchema(core.$ZodNever, {
    type: 'never',
    ...(message !== undefined && { error: () => message }),
  })
}

/* @__NO_SIDE_EFFECTS__ */
function nothing(): Checkable<core.$ZodNull> {
  return createSchema(core.$ZodNull, { type: 'null' })
}

/* @__NO_SIDE_EFFECTS__ */
export function literal<const Value extends core.util.Literal | readonly core.util.Literal[]>(
  value: Value,
): Checkable<
  core.$ZodLiteral<
    Value extends readonly core.util.Literal[] ? Value[number] : Value & core.util.Literal
  >
> {
  return createSchema(core.$ZodLiteral, {
    type: 'literal',
    values: Array.isArray(value) ? value : [value],
  })
}

/* @__NO_SIDE_EFFECTS__ */
function oneOf<const Values extends readonly string[]>(
  values: Values,
): Checkable<core.$ZodEnum<core.util.ToEnum<Values[number]>>> {
  return createSchema(core.$ZodEnum, {
    type: 'enum',
    entries: Object.fromEntries(values.map((value) => [value, value])),
  })
}

export { oneOf as enum, nothing as null }

/* @__NO_SIDE_EFFECTS__ */
export function array<Element extends core.SomeType>(
  element: Element,
): Checkable<core.$ZodArray<Element>> {
  return createSchema(core.$ZodArray, { type: 'array', element })
}

/* @__NO_SIDE_EFFECTS__ */
export function object<Shape extends core.$ZodLooseShape>(
  shape: Shape,
): ZodObject<core.util.Writeable<Shape>> {
  return createSchema<core.$ZodObject<core.util.Writeable<Shape>>>(core.$ZodObject, {
    type: 'object',
    shape,
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function looseObject<Shape extends core.$ZodLooseShape>(
  shape: Shape,
): ZodObject<core.util.Writeable<Shape>, core.$loose> {
  return createSchema<core.$ZodObject<core.util.Writeable<Shape>, core.$loose>>(core.$ZodObject, {
    type: 'object',
    shape,
    catchall: unknown(),
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function strictObject<Shape extends core.$ZodLooseShape>(
  shape: Shape,
): ZodObject<core.util.Writeable<Shape>, core.$strict> {
  return createSchema<core.$ZodObject<core.util.Writeable<Shape>, core.$strict>>(core.$ZodObject, {
    type: 'object',
    shape,
    catchall: never(),
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function union<const Options extends readonly core.SomeType[]>(
  options: Options,
): Checkable<core.$ZodUnion<Options>> {
  return createSchema(core.$ZodUnion, { type: 'union', options })
}

/* @__NO_SIDE_EFFECTS__ */
export function xor<const Options extends readonly core.SomeType[]>(
  options: Options,
): Checkable<core.$ZodXor<Options>> {
  return createSchema(core.$ZodXor, { type: 'union', options, inclusive: false })
}

/* @__NO_SIDE_EFFECTS__ */
export function exactOptional<Inner extends core.SomeType>(
  innerType: Inner,
): ZodExactOptional<Inner> {
  return rememberAbsence(
    createSchema<core.$ZodExactOptional<Inner>>(core.$ZodExactOptional, {
      type: 'optional',
      innerType,
    }),
  )
}

/* @__NO_SIDE_EFFECTS__ */
export function nullable<Inner extends core.SomeType>(
  innerType: Inner,
): Checkable<core.$ZodNullable<Inner>> {
  return createSchema(core.$ZodNullable, { type: 'nullable', innerType })
}

/* @__NO_SIDE_EFFECTS__ */
export function lazy<Inner extends core.SomeType>(
  getter: () => Inner,
): Checkable<core.$ZodLazy<Inner>> {
  return createSchema(core.$ZodLazy, { type: 'lazy', getter })
}

/* @__NO_SIDE_EFFECTS__ */
export function gte(minimum: number): core.CheckFn<number> {
  return createCheck((value) => value >= minimum, 'number', {
    code: 'too_small',
    minimum,
    inclusive: true,
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function gt(minimum: number): core.CheckFn<number> {
  return createCheck((value) => value > minimum, 'number', {
    code: 'too_small',
    minimum,
    inclusive: false,
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function lte(maximum: number): core.CheckFn<number> {
  return createCheck((value) => value <= maximum, 'number', {
    code: 'too_big',
    maximum,
    inclusive: true,
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function lt(maximum: number): core.CheckFn<number> {
  return createCheck((value) => value < maximum, 'number', {
    code: 'too_big',
    maximum,
    inclusive: false,
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function minLength(minimum: number): core.CheckFn<readonly unknown[]> {
  return createCheck(({ length }) => length >= minimum, 'array', {
    code: 'too_small',
    minimum,
    inclusive: true,
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function maxLength(maximum: number): core.CheckFn<readonly unknown[]> {
  return createCheck(({ length }) => length <= maximum, 'array', {
    code: 'too_big',
    maximum,
    inclusive: true,
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function regex(pattern: RegExp): core.CheckFn<string> {
  return createCheck((value) => pattern.test(value), 'string', {
    code: 'invalid_format',
    format: 'regex',
    pattern: `${pattern}`,
  })
}

/** One of zod's own checks, without its metadata. Other faults of the value are reported too. */
function createCheck<Value>(
  holds: (value: Value) => boolean,
  origin: string,
  fault: object,
): core.CheckFn<Value> {
  return ({ value, issues }) => {
    if (!holds(value))
      issues.push({ ...fault, origin, input: value, continue: true } as core.$ZodRawIssue)
  }
}
