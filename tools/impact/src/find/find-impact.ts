import { relative } from 'node:path'
import type { Change, Contract } from '@farebox/spec-diff'
import ts from 'typescript'
import { type Finder, findTargets, isFormerName, type Target, type Use } from './targets.js'
import { findLeftOut } from './find-left-out.js'
import { findCalls, findNamed, findRoutes } from './find-operations.js'
import { findProperties, findReads, findWrites } from './find-properties.js'
import { findBranches, findGoneValues } from './find-values.js'
import { findGeneratedCode } from '../code/generated-code.js'
import type { Reach } from './rules.js'

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
  return { touches: [...touches.values()].toSorted(compareByPlace), changes: options.changes }
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
export function makePathsRelative(folder: string, { touches, changes }: Impact): Impact {
  return {
    changes,
    touches: touches.map((touch) => ({
      ...touch,
      file: relative(folder, touch.file).replaceAll('\\', '/'),
    })),
  }
}

type Spot = Pick<Touch, 'file' | 'line' | 'column'>

export function compareByPlace(one: Spot, other: Spot): number {
  return (
    (one.file < other.file ? -1 : one.file > other.file ? 1 : 0) ||
    one.line - other.line ||
    one.column - other.column
  )
}

export type ImpactOptions = {
  readonly changes: readonly Change[]
  /** The version that the consumer's generated code was made from. */
  readonly base: Contract
  readonly head: Contract
  /** The consumer's program. */
  readonly program: ts.Program
}

const finders: Readonly<Record<Reach, Finder>> = {
  operation: findNamed,
  schema: findNamed,
  calls: findCalls,
  'path-calls': findRoutes,
  property: findProperties,
  writes: findWrites,
  reads: findReads,
  'left-out': findLeftOut,
  'gone-values': findGoneValues,
  branches: findBranches,
}

const reaches = Object.keys(finders) as readonly Reach[]

/** What the changes touch, and every node of the consumer's own files that does so. */
type Uses = { readonly targets: readonly Target[]; readonly uses: readonly Use[] }

export function findUses({ changes, base, head, program }: ImpactOptions): Uses {
  const checker = program.getTypeChecker()
  const code = findGeneratedCode(program)
  const targets = findTargets(changes, { base, head }, code, checker)
  const byReach = new Map(
    reaches.map((reach) => [reach, targets.filter(({ rule }) => rule.reach === reach)]),
  )
  const own = new Set(
    program.getSourceFiles().filter((file) => isOwn(file, program) && !code.files.has(file)),
  )
  const uses = [...own]
    .flatMap((file) => collectUses(file, byReach, checker))
    .filter(({ node }) => own.has(node.getSourceFile()))
  return { targets, uses }
}

/** Whether a file is neither a declaration nor a package. */
export function isOwn(file: ts.SourceFile, program: ts.Program): boolean {
  return (
    !file.isDeclarationFile &&
    !program.isSourceFileFromExternalLibrary(file) &&
    !program.isSourceFileDefaultLibrary(file)
  )
}

function collectUses(
  root: ts.Node,
  byReach: ReadonlyMap<Reach, readonly Target[]>,
  checker: ts.TypeChecker,
): readonly Use[] {
  const uses: Use[] = []
  const visit = (node: ts.Node): void => {
    for (const [reach, targets] of byReach)
      if (targets.length > 0) uses.push(...finders[reach](node, targets, checker))
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(root, visit)
  return uses
}
