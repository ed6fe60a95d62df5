import type { Change } from '@farebox/spec-diff'
import type { ts } from 'ts-morph'

/** A replaced part of a file, in UTF-16 units. An insertion has an empty span. */
export type Edit = {
  readonly change: Change
  readonly file: string
  readonly start: number
  readonly end: number
  readonly text: string
  /** The edit in words: `createJob is called createTask now`. */
  readonly reason: string
  /** Counted from 1. */
  readonly line: number
  readonly column: number
}

/** Makes the edits of one change. */
export type Editor = (node: ts.Node, text: string, reason: string, span?: Span) => Edit

type Span = { readonly start: number; readonly end: number }

/** Replaces nodes, or spans in the files of nodes. */
export function createEditor(change: Change): Editor {
  return (node, text, reason, span = { start: node.getStart(), end: node.getEnd() }) => {
    const file = node.getSourceFile()
    const { line, character } = file.getLineAndCharacterOfPosition(span.start)
    return {
      change,
      file: file.fileName,
      ...span,
      text,
      reason,
      line: line + 1,
      column: character + 1,
    }
  }
}

/** The text of a file after its edits. They do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let done = 0
  for (const { start, end, text: replacement } of edits.toSorted(
    (one, other) => one.start - other.start,
  )) {
    if (start < done)
      throw new Error(`Two edits overlap at ${start}: ${JSON.stringify(replacement)}`)
    result += text.slice(done, start) + replacement
    done = end
  }
  return result + text.slice(done)
}
