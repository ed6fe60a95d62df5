/** The zod that the validators beside this file are made with. It alone differs between the flavours. */
import * as classic from 'zod'
import type * as core from 'zod/v4/core'
import type { Deferred, SchemaOf, SchemasOf, ShapeOf, ValueOf } from './deferred.js'

export * from 'zod'

/*
 * Zod's own functions, declared so that the compiler has the least to do with them: nothing is asked of a schema that is given, so that
 * nothing of it is compared, and what comes back is deferred. `never` stands between the declarations, since to compare zod's with ours
 * would cost a tenth of it all.
 */
/* @__NO_SIDE_EFFECTS__ */
export function looseObject<Shape>(shape: Shape): Deferred<LooseObject<Shape>> {
  return classic.looseObject(shape as never) as never
}

/* @__NO_SIDE_EFFECTS__ */
export function strictObject<Shape>(shape: Shape): Deferred<StrictObject<Shape>> {
  return classic.strictObject(shape as never) as never
}

export const exactOptional: <Inner>(inner: Inner) => Deferred<ExactOptional<Inner>> = classic.exactOptional as never
export const nullable: <Inner>(inner: Inner) => Deferred<Nullable<Inner>> = classic.nullable as never
export const array: <Element>(element: Element) => Deferred<List<Element>> = classic.array as never
export const union: <const Options>(options: Options) => Deferred<Union<Options>> = classic.union as never
export const xor: <const Options>(options: Options) => Deferred<Xor<Options>> = classic.xor as never

/* @__NO_SIDE_EFFECTS__ */
export function literal<const Value>(value: Value): Deferred<Literal<Value>> {
  return classic.literal(value as never) as never
}

/* @__NO_SIDE_EFFECTS__ */
function oneOf<Value extends string>(values: Value[]): Deferred<Enum<Value>> {
  return classic.enum(values as never) as never
}

export { oneOf as enum }

// Zod's own types. As interfaces they ask what a parameter is no sooner than when a member is asked for.
export interface LooseObject<Shape> extends classic.ZodObject<ShapeOf<Shape>, core.$loose> {}
export interface StrictObject<Shape> extends classic.ZodObject<ShapeOf<Shape>, core.$strict> {}
export interface ExactOptional<Inner> extends classic.ZodExactOptional<SchemaOf<Inner>> {}
export interface Nullable<Inner> extends classic.ZodNullable<SchemaOf<Inner>> {}
export interface List<Element> extends classic.ZodArray<SchemaOf<Element>> {}
export interface Union<Options> extends classic.ZodUnion<SchemasOf<Options>> {}
export interface Xor<Options> extends classic.ZodXor<SchemasOf<Options>> {}
export interface Literal<Value> extends classic.ZodLiteral<ValueOf<Value>> {}
export interface Enum<Value extends string> extends classic.ZodEnum<{ [Key in Value]: Key }> {}
