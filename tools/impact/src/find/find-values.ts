import ts from 'typescript'
import { findExpectedType } from '../code/types.js'
import { findCompared, comparisons } from '../code/naming.js'
import { createUse, type Finder, meet, type Target, type Use } from './targets.js'
import { findDestinations, findTypeSources, findSources } from '../code/values.js'

/** Code that sets or compares with a value that the list no longer has. */
export const findGoneValues: Finder = (node, targets, checker) => {
  if (!ts.isExpression(node)) return []
  const type = checker.getTypeAtLocation(node)
  const isLiteral = ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)
  if (!isLiteral && !(ts.isIdentifier(node) || ts.isPropertyAccessExpression(node))) return []
  return targets
    .filter((target) => listLiterals(type).some((value) => listRemoved(target).has(value)))
    .filter((target) => {
      const compared = findCompared(node)
      const meets = (declarations: readonly ts.Declaration[]) => isFrom(declarations, target)
      if (compared !== undefined) return isLiteral && meets(findSources(compared, checker))
      return (
        meets(findDestinations(node, checker)) && (isLiteral || !meets(findSources(node, checker)))
      )
    })
    .map((target) => createUse(target, node))
}

/** Code that depends on a value whose list grew. */
export const findBranches: Finder = (node, targets, checker) => {
  if (ts.isSwitchStatement(node)) return findUsesOfSource(node.expression, node, targets, checker)
  if (ts.isTypeReferenceNode(node) || ts.isMappedTypeNode(node))
    return findKeyed(node, targets, checker)
  if (!ts.isExpression(node)) return []
  if (ts.isBinaryExpression(node) && comparisons.has(node.operatorToken.kind)) {
    const sides = [node.left, node.right]
    const literal = sides.find(
      (side) =>
        listLiterals(checker.getTypeAtLocation(side)).length > 0 && ts.isLiteralExpression(side),
    )
    return literal === undefined
      ? []
      : sides.flatMap((side) =>
          side === literal ? [] : findUsesOfSource(side, node, targets, checker),
        )
  }
  if (ts.isElementAccessExpression(node))
    return findUsesOfSource(node.argumentExpression, node, targets, checker)
  return findNarrowed(node, targets, checker)
}

function findUsesOfSource(
  value: ts.Expression,
  node: ts.Node,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  const sources = findSources(value, checker)
  return targets
    .filter((target) => isFrom(sources, target))
    .map((target) => createUse(target, node))
}

function isFrom(declarations: readonly ts.Declaration[], { properties, aliases }: Target): boolean {
  return meet(declarations, properties) || meet(declarations, aliases)
}

/** `Record<Status, …>` and `{ [key in Status]: … }` must have a member for each value. */
function findKeyed(
  node: ts.TypeReferenceNode | ts.MappedTypeNode,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  const isRecord =
    ts.isTypeReferenceNode(node) &&
    ts.isIdentifier(node.typeName) &&
    node.typeName.text === 'Record'
  const key = ts.isMappedTypeNode(node)
    ? node.typeParameter.constraint
    : isRecord
      ? node.typeArguments?.[0]
      : undefined
  const sources = findTypeSources(key, checker)
  return targets
    .filter((target) => isFrom(sources, target))
    .map((target) => createUse(target, node, true))
}

/** A value in a place that accepts only some of the values, including `never`. */
function findNarrowed(
  node: ts.Expression,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) return []
  const expected = findExpectedType(node, checker)
  if (expected === undefined) return []
  const isNever = (expected.flags & ts.TypeFlags.Never) !== 0
  const allowed = listLiterals(expected)
  if (!isNever && allowed.length === 0) return []
  const to = findDestinations(node, checker)
  return findUsesOfSource(node, node, targets, checker)
    .filter(
      ({ target }) =>
        isNever ||
        (!isFrom(to, target) && listAdded(target).some((value) => !allowed.includes(value))),
    )
    .map((use) => ({ ...use, compiler: true }))
}

/** The literals of a type. A type that also has other values has none. */
function listLiterals(type: ts.Type): readonly unknown[] {
  const parts = (type.isUnion() ? type.types : [type]).filter(
    ({ flags }) => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) === 0,
  )
  const values = parts.map((part) =>
    part.isStringLiteral() || part.isNumberLiteral() ? part.value : undefined,
  )
  return values.includes(undefined) ? [] : values
}

function listRemoved({ change: { from: before, to } }: Target): ReadonlySet<unknown> {
  const left = new Set(toList(to))
  return new Set(toList(before).filter((value) => !left.has(value)))
}

/** The values that only the newer version has. */
export function listAdded({ change: { from: before, to } }: Target): readonly unknown[] {
  const known = new Set(toList(before))
  return toList(to).filter((value) => !known.has(value))
}

/** The values of the older version. */
export function listFormer({ change }: Target): readonly unknown[] {
  return toList(change.from)
}

/** The values of a fact that may be an array. */
export function toList(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : []
}
