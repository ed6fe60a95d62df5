import { ts } from 'ts-morph'
import type { Target } from './targets.js'

/** A node that a change touches. */
export type Use = { readonly target: Target; readonly node: ts.Node; readonly compiler: boolean }

/** Finds what the changes of one kind touch at a node. */
export type Finder = (
  node: ts.Node,
  targets: readonly Target[],
  checker: ts.TypeChecker,
) => readonly Use[]

/** A use with the compiler verdict of the rule, unless the place overrides it. */
export function createUse(target: Target, node: ts.Node, compiler = target.rule.compiler): Use {
  return { target, node, compiler }
}

export function meet(
  declarations: readonly ts.Declaration[],
  wanted: ReadonlySet<ts.Declaration>,
): boolean {
  return declarations.some((one) => wanted.has(one))
}

/** An identifier or a string that can name something. Quotes of imports name a module. */
export function isNaming(node: ts.Node): node is ts.Identifier | ts.StringLiteralLike {
  return (
    ts.isIdentifier(node) ||
    (ts.isStringLiteralLike(node) &&
      !ts.isImportDeclaration(node.parent) &&
      !ts.isExportDeclaration(node.parent))
  )
}

/** `a` in `import { a as b }`: `b` refers to the same declaration. */
export function isFormerName(node: ts.Node): boolean {
  return (
    (ts.isImportSpecifier(node.parent) || ts.isExportSpecifier(node.parent)) &&
    node.parent.propertyName === node
  )
}
