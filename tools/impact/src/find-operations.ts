import { ts } from 'ts-morph'
import { breaksWithoutName } from './breaks.js'
import { namedBy } from './naming.js'
import type { Target } from './targets.js'
import { literalText } from './types.js'
import { isNaming, meet, createUse, type Finder, type Use } from './use.js'
import { findSources } from './values.js'

/** Every use of the name of an operation or of a schema. */
export const findNamed: Finder = (node, targets, checker) => {
  if (!isNaming(node)) return []
  const named = namedBy(node, checker)
  const routed = targets.filter(({ change }) => change.code === 'operation-removed')
  return [
    ...targets
      .filter((target) => meet(named, target.named))
      .map((target) => createUse(target, node, breaksWithoutName(node, target.named, checker))),
    ...findRoutes(node, routed, checker),
  ]
}

/** Calls of an operation, and its method where it is passed on. */
export const findCalls: Finder = (node, targets, checker) => {
  const called = ts.isCallExpression(node) ? matchCall(node, targets, checker) : []
  if (!isNaming(node)) return called
  const named = namedBy(node, checker)
  const passed = isPassedOn(node) ? targets.filter(({ callees }) => meet(named, callees)) : []
  return [...passed.map((target) => createUse(target, node)), ...findRoutes(node, targets, checker)]
}

/** What a call calls, through variables. */
export function findCallees(
  { expression }: ts.CallExpression,
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  return [
    ...findSources(expression, checker),
    ...(ts.isIdentifier(expression) ? namedBy(expression, checker) : []),
  ]
}

function matchCall(
  call: ts.CallExpression,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  const called = findCallees(call, checker)
  return targets
    .filter(({ callees }) => meet(called, callees))
    .map((target) => createUse(target, findName(call.expression)))
}

/** The last name of the callee. */
export function findName(expression: ts.Expression): ts.Node {
  return ts.isPropertyAccessExpression(expression) ? expression.name : expression
}

/** A use of a method that is neither called here nor bound to a variable whose calls are found. */
function isPassedOn(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node))
    return !ts.isElementAccessExpression(node.parent) || isPassedOn(node.parent)
  const { parent } = node
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isBindingElement(parent))
    return false
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return isPassedOn(parent)
  if (ts.isVariableDeclaration(parent)) return false
  return !(ts.isCallExpression(parent) && parent.expression === node)
}

/** Calls of the path-typed client: the path of the operation, under the method that it has. */
export const findRoutes: Finder = (node, targets, checker) => {
  const text = literalText(node)
  if (text === undefined || !ts.isCallExpression(node.parent)) return []
  const { expression, arguments: given } = node.parent
  const index = given.findIndex((argument) => argument === node)
  const method =
    ts.isPropertyAccessExpression(expression) && index === 0
      ? expression.name.text
      : literalText(given[index - 1])
  const isKey = isOneOfSeveral(checker.getContextualType(node as ts.Expression), text)
  return targets
    .filter(
      ({ routes }) =>
        isKey &&
        routes.some((route) => route.path === text && route.method === method?.toUpperCase()),
    )
    .map((target) => createUse(target, node))
}

/** The argument is typed by the paths of the contract, and not any string. */
function isOneOfSeveral(type: ts.Type | undefined, text: string): boolean {
  const parts = type?.isUnion() === true ? type.types : type === undefined ? [] : [type]
  return parts.some((part) => part.isStringLiteral() && part.value === text)
}
