import type * as core from 'zod/v4/core'

/**
 * The same type, with members that the compiler computes only when they are used. It looks into
 * every argument of a generic call and each of its properties, but not into an intersection. A
 * validator has sixty members.
 */
export type DeferredSchema<Schema> = Schema & DeferralMarker

/**
 * Empty. It is an interface, since the compiler drops an unnamed empty type from an intersection.
 */
export interface DeferralMarker {}

/** A constraint that applies only where the parameter stands for a schema. */
export type SchemaOf<T> = T extends core.SomeType ? T : never
export type ShapeOf<T> = T extends core.$ZodLooseShape ? T : never
export type SchemasOf<T> = T extends readonly core.SomeType[] ? T : never
export type ValueOf<T> = T extends readonly core.util.Literal[]
  ? T[number]
  : T extends core.util.Literal
    ? T
    : never
