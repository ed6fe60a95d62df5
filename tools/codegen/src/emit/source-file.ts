import type { Code } from './code.js'

/** A file of one output. `generate` adds the banner and the imports of its code. */
export type SourceFile = {
  /** Relative to the emitter's directory, with forward slashes. */
  readonly path: string
  readonly body: readonly Code[]
}

export function sourceFile(path: string, body: readonly Code[]): SourceFile {
  return { path, body }
}
