import type { SchemaData } from '../../src/emitters/mcp/bound-schema.js'
import type { Tool } from './tool.js'

/** The tools of a document, and what a call of them needs. */
export type Toolbox = {
  readonly tools: readonly Tool[]
  /** The operation of each tool whose name is another. */
  readonly operations: Readonly<Record<string, string>>
  /** What a field of an input is called in the document, if hosts reject that name. */
  readonly fields: Readonly<Record<string, string>>
  /** The tools whose output is under `result`. */
  readonly wrapped: readonly string[]
  /** What definitions leave out: `$defs`, and `inputs` and `outputs` by the names of tools. */
  readonly schemas: {
    readonly $defs: SchemaData
    readonly inputs: SchemaData
    readonly outputs: SchemaData
  }
}

/** Sends an operation with its flat input, and returns what the model reads. */
export type Send = (operation: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The result of `tools/call`. */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}
