import type { Types } from '../document/types/possible-types.js'
import type { Context, Found } from './build-context.js'
import type { Schema } from './schema.js'

/** Where a schema is read from, and the facts that are already known about its value. */
export type Site = SchemaStart & {
  /** JSON types still possible given the enclosing schemas. */
  readonly assumed?: Types
  /**
   * Translates a schema within this one. A field to avoid an import cycle.
   */
  readonly build: (site: Site, found: Found) => Schema
}

/** Where the translation of a schema starts. */
export type SchemaStart = {
  readonly context: Context
  /** The component that is being built, if one is. */
  readonly within?: string
}

/** The site of a part that describes another value, such as a property. */
export function dropAssumption(site: Site): Site {
  const { assumed: _, ...rest } = site
  return rest
}
