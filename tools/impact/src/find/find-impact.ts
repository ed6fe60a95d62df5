import { relative } from 'node:path'
import type { Change } from '@farebox/spec-diff'
import type { ts } from 'ts-morph'
import { findUses, type ImpactOptions } from './find-uses.js'
import { isFormerName } from './use.js'

/** A place of a consumer's code that a change touches. */
export type Touch = {
  readonly change: Change
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly column: number
  /** The end of the touched code, in the same line. */
  readonly endColumn: number
  /** The text of the line. */
  readonly text: string
  /**
   * Whether the code stops compiling against the newer version. Otherwise no compiler reports it.
   */
  readonly compiler: boolean
}

export type Impact = {
  /** By file and line. A change touches a line once. */
  readonly touches: readonly Touch[]
  /** All changes, also those that touch nothing. */
  readonly changes: readonly Change[]
}

/**
 * Finds the places of a consumer's code that changes of a contract touch. Names are resolved by the
 * compiler: through imports, variables, destructuring, spreads and types made of others.
 */
export function findImpact(options: ImpactOptions): Impact {
  const touches = new Map<string, Touch>()
  for (const { target, node, compiler } of findUses(options).uses) {
    if (isFormerName(node)) continue
    const touch = createTouch(node, target.change, compiler)
    const key = `${touch.file}:${touch.line} ${touch.change.id}`
    const known = touches.get(key)
    touches.set(key, known === undefined || (compiler && !known.compiler) ? touch : known)
  }
  return { touches: [...touches.values()].toSorted(byPlace), changes: options.changes }
}

export function createTouch(node: ts.Node, change: Change, compiler: boolean): Touch {
  const file = node.getSourceFile()
  const start = node.getStart(file)
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  const [text = ''] = file.text.slice(file.getPositionOfLineAndCharacter(line, 0)).split(/\r?\n/, 1)
  const end = Math.min(character + node.getEnd() - start, text.length)
  return {
    change,
    file: file.fileName,
    line: line + 1,
    column: character + 1,
    endColumn: end + 1,
    text,
    compiler,
  }
}

/** The same with the files relative to a folder, with slashes. */
export function relativeTo(folder: string, { touches, changes }: Impact): Impact {
  return {
    changes,
    touches: touches.map((touch) => ({
      ...touch,
      file: relative(folder, touch.file).replaceAll('\\', '/'),
    })),
  }
}

type Spot = Pick<Touch, 'file' | 'line' | 'column'>

export function byPlace(one: Spot, other: Spot): number {
  return (
    (one.file < other.file ? -1 : one.file > other.file ? 1 : 0) ||
    one.line - other.line ||
    one.column - other.column
  )
}
