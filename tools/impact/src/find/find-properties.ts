import type { Change } from '@farebox/spec-diff'
import ts from 'typescript'
import { breaksIfAbsent, breaksIfGone, findCallees } from './find-operations.js'
import { findExpectedType, findDeclarations, listParts, listProperties } from '../code/types.js'
import { isKeyType, findLiteral, findNamedDeclarations } from '../code/naming.js'
import {
  createUse,
  type Finder,
  hasProperty,
  isNaming,
  meet,
  type Target,
  type Use,
} from './targets.js'
import { findSources } from '../code/values.js'

/** Every use of a property. */
export const findProperties: Finder = (node, targets, checker) => [
  ...findNamedProperties(node, targets, checker).map((use) => ({
    ...use,
    compiler: use.compiler && isNaming(node) && breaksIfGone(node, checker),
  })),
  ...setElsewhere(node, targets, checker).map((use) =>
    use.target.change.direction === 'response' ? use : { ...use, compiler: false },
  ),
  ...findAccesses(node, targets, checker),
]

/** `object[name]`, where the type of `name` says which properties it may be. */
function findAccesses(
  node: ts.Node,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  if (!ts.isElementAccessExpression(node) || ts.isStringLiteralLike(node.argumentExpression))
    return []
  const type = checker.getTypeAtLocation(node.argumentExpression)
  const names = (type.isUnion() ? type.types : [type]).flatMap((part) =>
    part.isStringLiteral() ? [part.value] : [],
  )
  // a key of the type itself changes with it
  if (names.length === 0 || isKeyType(type)) return []
  const object = checker.getTypeAtLocation(node.expression)
  return targets
    .filter(({ properties }) =>
      names.some((name) =>
        listProperties(object, name, checker).some((symbol) =>
          meet(findDeclarations(symbol, checker), properties),
        ),
      ),
    )
    .map((target) => createUse(target, node.argumentExpression))
}

/** Code that sets a property. */
export const findWrites: Finder = (node, targets, checker) => [
  ...(isWritten(node) ? findNamedProperties(node, targets, checker) : []),
  ...setElsewhere(node, targets, checker),
]

/** What reads a property, and where its value is put once it may be absent. */
export const findReads: Finder = (node, targets, checker) => {
  const strict =
    ts.isIdentifier(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node)
      ? selectBreaking(node, targets, checker)
      : []
  if (isWritten(node) || isInType(node)) return strict
  const named = findNamedProperties(node, targets, checker)
  return [
    ...strict,
    ...named.map((use) =>
      mayBeAbsent.has(use.target.change.code) ? { ...use, compiler: false } : use,
    ),
  ]
}

const mayBeAbsent = new Set<Change['code']>(['response-property-optional', 'response-null-added'])

function selectBreaking(
  node: ts.Expression,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  const wanted = targets.filter(({ change }) => mayBeAbsent.has(change.code))
  if (wanted.length === 0 || isPropertyName(node)) return []
  const sources = findSources(node, checker)
  return wanted
    .filter((target) => meet(sources, target.properties) && breaksIfAbsent(node, target, checker))
    .map((target) => createUse(target, node, true))
}

/** A name that refers to a part of an expression or to a declaration. */
function isPropertyName(node: ts.Node): boolean {
  const { parent } = node
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.initializer !== node) ||
    findLiteral(node) !== undefined
  )
}

function findNamedProperties(
  node: ts.Node,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  if (!isNaming(node)) return []
  const named = findNamedDeclarations(node, checker)
  return targets
    .filter((target) => meet(named, target.properties) || isField(node, target, checker))
    .map((target) => createUse(target, node))
}

/** A member of the input of a call. */
function isField(
  node: ts.Identifier | ts.StringLiteralLike,
  { fields }: Target,
  checker: ts.TypeChecker,
): boolean {
  const literal = findLiteral(node)
  const call = literal?.parent
  if (
    call === undefined ||
    !ts.isCallExpression(call) ||
    !call.arguments.some((argument) => argument === literal)
  )
    return false
  const wanted = fields.filter(({ name }) => name === node.text)
  return wanted.some(({ callees }) => meet(findCallees(call, checker), callees))
}

/** A member of an object literal, or the left side of an assignment. */
export function isWritten(node: ts.Node): boolean {
  if (findLiteral(node) !== undefined) return true
  const { parent } = node
  const access =
    ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)
      ? parent
      : undefined
  return (
    access !== undefined &&
    ts.isBinaryExpression(access.parent) &&
    access.parent.left === access &&
    isAssignment(access.parent)
  )
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
}

/** The name of a property in a type that is derived from others. `Type['name']` reads its type. */
function isInType(node: ts.Node): boolean {
  return ts.isLiteralTypeNode(node.parent) && !ts.isIndexedAccessTypeNode(node.parent.parent)
}

/**
 * Members of the consumer's own objects and types that reach a property: the object is passed, or
 * spread, where the generated type is expected.
 */
function setElsewhere(
  node: ts.Node,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  const [given, expected] = listPassed(node, checker)
  if (given === undefined || expected === undefined) return []
  return findOwnMembers(given, expected, targets, checker, 0)
}

/** The type of an expression that is not written out here, and the type that its place expects. */
function listPassed(node: ts.Node, checker: ts.TypeChecker): readonly (ts.Type | undefined)[] {
  if (ts.isSpreadAssignment(node))
    return [checker.getTypeAtLocation(node.expression), findExpectedType(node.parent, checker)]
  if (!ts.isExpression(node) || !isPassing(node)) return []
  return [checker.getTypeAtLocation(node), findExpectedType(node, checker)]
}

/** An expression whose object is created elsewhere. */
export function isPassing(node: ts.Expression): boolean {
  return (
    ts.isIdentifier(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isCallExpression(node) ||
    ts.isAwaitExpression(node)
  )
}

function findOwnMembers(
  given: ts.Type,
  expected: ts.Type,
  targets: readonly Target[],
  checker: ts.TypeChecker,
  depth: number,
): readonly Use[] {
  if (depth > 3 || given === expected) return []
  return listParts(given, checker).flatMap((part) =>
    part.getProperties().flatMap((symbol) => {
      const [declared] = symbol.declarations ?? []
      const wanted = targets.filter(({ properties }) =>
        hasProperty(expected, symbol.name, properties, checker),
      )
      const own = declared !== undefined && isMember(declared) ? declared.name : undefined
      const uses = own === undefined ? [] : wanted.map((target) => createUse(target, own))
      if (own === undefined) return uses
      const next = listParts(expected, checker).flatMap(
        (one) => checker.getPropertyOfType(one, symbol.name) ?? [],
      )
      const below = next.flatMap((one) =>
        findOwnMembers(
          checker.getTypeOfSymbol(symbol),
          checker.getTypeOfSymbol(one),
          targets,
          checker,
          depth + 1,
        ),
      )
      return [...uses, ...below]
    }),
  )
}

function isMember(
  node: ts.Declaration,
): node is ts.PropertyAssignment | ts.ShorthandPropertyAssignment | ts.PropertySignature {
  return (
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isPropertySignature(node)
  )
}
