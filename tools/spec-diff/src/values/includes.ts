import type { Schema } from '@farebox/codegen'

/** Finds the schema of a name in one of the documents. */
export type Resolve = (name: string) => Schema

/** Whether it is proven that each value of `part` is one of `whole`. */
export type Includes = (part: Schema, whole: Schema) => boolean

/** How a side reads its schemas. */
export type Reader = {
  readonly resolve: Resolve
  /**
   * A string for the values of a schema. Equal strings in both documents mean equal sets of values:
   * the name of a schema that changed, or that refers to one that did, has a different string on
   * each side.
   */
  readonly meaning: (schema: Schema) => string
}
