import ts from 'typescript'
import {
  findExpectedType,
  findDeclarations,
  listParts,
  listProperties,
  findTypesAt,
} from '../code/types.js'
import { findCallees, findRoutes, findName } from './find-operations.js'
import { isPassing } from './find-properties.js'
import { createUse, type Finder, hasProperty, meet, type Target, type Use } from './targets.js'

/** Objects that lack a property, where they are made, and calls without it. */
export const findLeftOut: Finder = (node, targets, checker) => {
  const calls = ts.isCallExpression(node) ? findCallsWithoutInput(node, targets, checker) : []
  if (
    !ts.isExpression(node) ||
    !(ts.isObjectLiteralExpression(node) || isPassing(node)) ||
    isSpread(node)
  )
    return calls
  const expected = findExpectedType(node, checker)
  if (expected === undefined) return calls
  const given = checker.getTypeAtLocation(node)
  const candidates = listFitting(given, expected, checker)
  const found = targets.filter(
    (target) =>
      candidates.some((type) => isOwner(type, target, checker)) &&
      lacks(node, given, target, checker),
  )
  // an assertion takes an object that lacks fields
  return [
    ...calls,
    ...found.map((target) =>
      createUse(target, node, target.rule.compiler && !ts.isAsExpression(node.parent)),
    ),
  ]
}

/** A part of another object, as in `{ ...(isLoud && { volume: 9 }) }`. */
function isSpread({ parent }: ts.Expression): boolean {
  if (ts.isSpreadAssignment(parent)) return true
  const isInner =
    ts.isParenthesizedExpression(parent) ||
    ts.isBinaryExpression(parent) ||
    ts.isConditionalExpression(parent)
  return isInner && isSpread(parent)
}

/** The members of a union that the object may be meant as. */
function listFitting(
  given: ts.Type,
  expected: ts.Type,
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  const parts = listParts(expected, checker)
  const assignable = parts.filter((part) => checker.isTypeAssignableTo(given, part))
  return assignable.length > 0 ? assignable : parts
}

/** Whether the property belongs into an object of this type. */
function isOwner(type: ts.Type, { lacking, properties }: Target, checker: ts.TypeChecker): boolean {
  if (lacking === undefined) return false
  if (!lacking.isNew) return hasProperty(type, lacking.name, properties, checker)
  if (type.aliasSymbol !== undefined && lacking.inputs.has(type.aliasSymbol)) return true
  // a part of the type that names its properties does not gain one
  if (type.aliasSymbol !== undefined && namesItsProperties.has(type.aliasSymbol.name)) return false
  return type
    .getProperties()
    .some((symbol) => meet(findDeclarations(symbol, checker), lacking.siblings))
}

const namesItsProperties = new Set(['Pick', 'Partial'])

/**
 * Whether an object may be without the property. An object that comes from elsewhere with the
 * generated type is found where it is made.
 */
function lacks(
  node: ts.Expression,
  given: ts.Type,
  { lacking, properties }: Target,
  checker: ts.TypeChecker,
): boolean {
  if (lacking === undefined) return false
  const found = listProperties(given, lacking.name, checker)
  if (
    !ts.isObjectLiteralExpression(node) &&
    listParts(given, checker).some((part) => isTyped(part, lacking, properties, checker))
  )
    return false
  if (
    found.some((symbol) => meet(findDeclarations(symbol, checker), properties)) &&
    !writesName(node, lacking.name)
  )
    return false
  if (
    ts.isObjectLiteralExpression(node) &&
    lacking.isNew &&
    spreadsTyped(node, lacking, properties, checker)
  )
    return false
  return found.length === 0 || found.some(({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0)
}

function writesName(node: ts.Expression, name: string): boolean {
  return (
    ts.isObjectLiteralExpression(node) &&
    node.properties.some(
      (one) => one.name !== undefined && ts.isIdentifier(one.name) && one.name.text === name,
    )
  )
}

function isTyped(
  type: ts.Type,
  lacking: NonNullable<Target['lacking']>,
  properties: Target['properties'],
  checker: ts.TypeChecker,
): boolean {
  return type.getProperties().some((symbol) => {
    const declared = findDeclarations(symbol, checker)
    return meet(declared, lacking.siblings) || meet(declared, properties)
  })
}

/** `{ ...request, input }` of a typed `request`. */
function spreadsTyped(
  node: ts.ObjectLiteralExpression,
  lacking: NonNullable<Target['lacking']>,
  properties: Target['properties'],
  checker: ts.TypeChecker,
): boolean {
  return node.properties.some(
    (one) =>
      ts.isSpreadAssignment(one) &&
      listParts(checker.getTypeAtLocation(one.expression), checker).some(
        (part) =>
          !namesItsProperties.has(part.aliasSymbol?.name ?? '') &&
          isTyped(part, lacking, properties, checker),
      ),
  )
}

/** Calls without any input, and inputs whose type a wrapper declares again. */
function findCallsWithoutInput(
  call: ts.CallExpression,
  targets: readonly Target[],
  checker: ts.TypeChecker,
): readonly Use[] {
  const called = findCallees(call, checker)
  const [first] = call.arguments
  return targets.flatMap((target) => {
    const { lacking, fields } = target
    if (lacking === undefined) return []
    const wanted = fields.filter(
      ({ name, callees }) => name === lacking.name && meet(called, callees),
    )
    if (wanted.length > 0) {
      const input = findInput(call, called, wanted[0]?.callees)
      if (input === undefined) return [createUse(target, findName(call.expression))]
      return isInput(input, target, checker)
        ? []
        : lacks(input, checker.getTypeAtLocation(input), target, checker)
          ? [createUse(target, input)]
          : []
    }
    const isRoute = first !== undefined && findRoutes(first, [target], checker).length > 0
    return isRoute && lacksParameter(call, target, checker) ? [createUse(target, first)] : []
  })
}

/** A function takes the context before the input. */
function findInput(
  call: ts.CallExpression,
  called: readonly ts.Declaration[],
  callees: ReadonlySet<ts.Declaration> | undefined,
): ts.Expression | undefined {
  const isFunction = called.some(
    (one) => ts.isFunctionDeclaration(one) && callees?.has(one) === true,
  )
  return call.arguments[isFunction ? 1 : 0]
}

/** An input with the generated type is found where it is made. */
function isInput(node: ts.Expression, { lacking }: Target, checker: ts.TypeChecker): boolean {
  const { aliasSymbol } = checker.getTypeAtLocation(node)
  return aliasSymbol !== undefined && lacking?.inputs.has(aliasSymbol) === true
}

function lacksParameter(
  call: ts.CallExpression,
  { parameters }: Target,
  checker: ts.TypeChecker,
): boolean {
  const init = call.arguments[1]
  return parameters.some(({ in: group, name }) => {
    const groups =
      init === undefined
        ? []
        : findTypesAt([checker.getTypeAtLocation(init)], ['params', group], checker)
    return !groups.some((type) => listProperties(type, name, checker).length > 0)
  })
}
