import type { Change, Contract } from '@farebox/spec-diff'
import { ts } from 'ts-morph'
import { findLeftOut } from './find-left-out.js'
import { findCalls, findNamed, findRoutes } from './find-operations.js'
import { findProperties, findReads, findWrites } from './find-properties.js'
import { findBranches, findGoneValues } from './find-values.js'
import { findGeneratedCode } from '../code/generated-code.js'
import type { Reach } from './rules.js'
import { findTargets, type Target } from './targets.js'
import type { Finder, Use } from './use.js'

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
export type Uses = { readonly targets: readonly Target[]; readonly uses: readonly Use[] }

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
  const found: Use[] = []
  const visit = (node: ts.Node): void => {
    for (const [reach, targets] of byReach)
      if (targets.length > 0) found.push(...finders[reach](node, targets, checker))
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(root, visit)
  return found
}
