/** A JSON Schema (2020-12) of an object, complete in itself: what it refers to stands in `$defs`. */
export type ObjectSchema = { readonly $schema: string; readonly type: 'object'; readonly [keyword: string]: unknown }

/** The definition of a tool of the Model Context Protocol, as an answer to `tools/list` carries it. */
export type Tool = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** The flat input of the operation. Bytes are base64 in a string. */
  readonly inputSchema: ObjectSchema
  /** What `structuredContent` holds. Not there when a success is text, bytes or nothing; an answer that is no object stands under `result`. */
  readonly outputSchema?: ObjectSchema
  readonly annotations: {
    /** The method is safe (RFC 9110, section 9.2.1). */
    readonly readOnlyHint: boolean
    /** A repetition with the same input has no further effect: `x-idempotent`, else by the method. */
    readonly idempotentHint: boolean
    /** The method replaces or removes (PUT, PATCH, DELETE), and does not merely add. */
    readonly destructiveHint: boolean
  }
}
