import type * as core from 'zod/v4/core'

/**
 * The very type, of which the compiler makes no member before somebody asks for one: it looks into every argument of a generic call, and
 * into each property of one, but not into an intersection. A validator has sixty members.
 */
export type Deferred<Schema> = Schema & Made

/** Says nothing: an interface, since the compiler drops an empty type of an intersection where it has no name. */
export interface Made {}

/** What is known of a parameter only where it stands for a schema. */
export type SchemaOf<T> = T extends core.SomeType ? T : never
export type ShapeOf<T> = T extends core.$ZodLooseShape ? T : never
export type SchemasOf<T> = T extends readonly core.SomeType[] ? T : never
export type ValueOf<T> = T extends readonly core.util.Literal[] ? T[number] : T extends core.util.Literal ? T : never
