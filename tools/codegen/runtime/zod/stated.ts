import type * as core from 'zod/v4/core'
import type { DeferredSchema } from './deferred.js'
import type * as z from './zod.js'

/**
 * The validator of an object whose type the compiler cannot infer, since the object contains itself:
 * with `extend`, `pick` and `partial`. Each field has the type of its values.
 */
export type LooseObject<T> = DeferredSchema<ObjectOf<T, core.$loose>>
/** The same for an object without other fields. */
export type StrictObject<T> = DeferredSchema<ObjectOf<T, core.$strict>>

export interface ObjectOf<T, Config extends core.$ZodObjectConfig> extends z.ZodObject<
  FieldsOf<T>,
  Config
> {}

/** The named fields only. */
export type FieldsOf<T> = {
  [Name in keyof T as string extends Name ? never : Name]-?: FieldOf<T, Name>
}

type FieldOf<T, Name extends keyof T> =
  Pick<T, Name> extends Required<Pick<T, Name>>
    ? ValueOf<T[Name]>
    : z.ZodExactOptional<ValueOf<Exclude<T[Name], undefined>>>

type ValueOf<Value> = z.ZodType<Value, Value>
