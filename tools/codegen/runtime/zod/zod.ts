/**
 * The zod that makes the validators beside this file. Only this file differs between the flavours.
 */
import * as classic from 'zod'
import type * as core from 'zod/v4/core'
import { rememberAbsence } from './absent.js'
import type { DeferredSchema, SchemaOf, SchemasOf, ShapeOf, ValueOf } from './deferred.js'

export * from 'zod'

/*
 * Zod's own functions with types that cost the compiler little: an argument is not compared with a
 * schema type, and the result is deferred. The `never` assertion keeps the compiler from comparing
 * these declarations with zod's, which would cost a tenth of the whole.
 */
/* @__NO_SIDE_EFFECTS__ */
export function looseObject<Shape>(shape: Shape): DeferredSchema<LooseObject<Shape>> {
  return classic.looseObject(shape as never) as never
}

/* @__NO_SIDE_EFFECTS__ */
export function strictObject<Shape>(shape: Shape): DeferredSchema<StrictObject<Shape>> {
  return classic.strictObject(shape as never) as never
}

/* @__NO_SIDE_EFFECTS__ */
export function exactOptional<Inner>(inner: Inner): DeferredSchema<ExactOptional<Inner>> {
  return rememberAbsence(classic.exactOptional(inner as never)) as never
}

export const nullable: <Inner>(inner: Inner) => DeferredSchema<Nullable<Inner>> =
  classic.nullable as never
export const array: <Element>(element: Element) => DeferredSchema<List<Element>> =
  classic.array as never
export const union: <const Options>(options: Options) => DeferredSchema<Union<Options>> =
  classic.union as never
export const xor: <const Options>(options: Options) => DeferredSchema<Xor<Options>> =
  classic.xor as never

/* @__NO_SIDE_EFFECTS__ */
export function literal<const Value>(value: Value): DeferredSchema<Literal<Value>> {
  return classic.literal(value as never) as never
}

/* @__NO_SIDE_EFFECTS__ */
function oneOf<Value extends string>(values: Value[]): DeferredSchema<Enum<Value>> {
  return classic.enum(values as never) as never
}

export { oneOf as enum }

// Zod's own types as interfaces: the compiler computes a parameter only when a member is used.
export interface LooseObject<Shape> extends classic.ZodObject<ShapeOf<Shape>, core.$loose> {}
export interface StrictObject<Shape> extends classic.ZodObject<ShapeOf<Shape>, core.$strict> {}
export interface ExactOptional<Inner> extends classic.ZodExactOptional<SchemaOf<Inner>> {}
export interface Nullable<Inner> extends classic.ZodNullable<SchemaOf<Inner>> {}
export interface List<Element> extends classic.ZodArray<SchemaOf<Element>> {}
export interface Union<Options> extends classic.ZodUnion<SchemasOf<Options>> {}
export interface Xor<Options> extends classic.ZodXor<SchemasOf<Options>> {}
export interface Literal<Value> extends classic.ZodLiteral<ValueOf<Value>> {}
export interface Enum<Value extends string> extends classic.ZodEnum<{ [Key in Value]: Key }> {}
