import type { Schema } from '@farebox/codegen'

/** Finds the schema of a name in one of the documents. */
export type Resolve = (name: string) => Schema
