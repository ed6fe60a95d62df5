import type { Schema } from '../ir/schema.js'

/** What a verdict depends on beside the schema and the value. */
export type ValidationContext = {
  /** Finds the schema that a reference names. */
  readonly lookup: (name: string) => Schema
  /** Whether a value has a format. Default: every value has every format. */
  readonly isFormat?: (format: string, value: string | number) => boolean
  /**
   * Whether a pattern matches somewhere in a text. Default: asks the engine, without a time limit.
   */
  readonly matches?: (pattern: string, text: string) => boolean
}
