import type { SchemaData } from '../../src/emitters/mcp/bound-schema.js'

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

/** The tools of a document, and what a call of them needs. */
export type Toolbox = {
  readonly tools: readonly Tool[]
  /** The operation of each tool whose name is another. */
  readonly operations: Readonly<Record<string, string>>
  /** What a field of an input is called in the document, if hosts reject that name. */
  readonly fields: Readonly<Record<string, string>>
  /** By tool, the fields of its input that are files, in base64. */
  readonly files: Readonly<Record<string, readonly string[]>>
  /** The tools whose output is under `result`. */
  readonly wrapped: readonly string[]
  /** What definitions leave out: `$defs`, and `inputs` and `outputs` by the names of tools. */
  readonly schemas: {
    readonly $defs: SchemaData
    readonly inputs: SchemaData
    readonly outputs: SchemaData
  }
}

/**
 * Sends an operation with its flat input, in which a file is a Blob, and returns what the model
 * reads. A Response becomes its text, or else its bytes as base64, and a stream the list of its
 * items.
 */
export type Send = (operation: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The result of `tools/call`. */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}
