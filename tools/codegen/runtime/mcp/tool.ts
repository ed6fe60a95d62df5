/** A JSON Schema (2020-12) of an object, complete in itself: references point into `$defs`. */
export type ObjectSchema = {
  readonly $schema: string
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** A tool definition of the Model Context Protocol, as in the result of `tools/list`. */
export type Tool = {
  /** At most 64 ASCII letters, digits, `_` and `-`. */
  readonly name: string
  readonly title?: string
  readonly description?: string
  /**
   * The flat input of the operation, whose fields have names that every host accepts. Bytes are
   * base64 in a string. In a large schema, deep parts are left to `describe`.
   */
  readonly inputSchema: ObjectSchema
  /**
   * The schema of `structuredContent`. Absent if a success is text, bytes or empty. A response that
   * is not an object is under `result`.
   */
  readonly outputSchema?: ObjectSchema
  readonly annotations: {
    /** The method is safe (RFC 9110, section 9.2.1). */
    readonly readOnlyHint: boolean
    /** A repeat with the same input has no further effect: `x-idempotent`, else by the method. */
    readonly idempotentHint: boolean
    /** The method replaces or removes (PUT, PATCH, DELETE), and does not merely add. */
    readonly destructiveHint: boolean
  }
}
