import ts from 'typescript'
import { findLiteral, findNamedDeclarations } from '../code/naming.js'
import { createUse, type Finder, isNaming, meet, type Target, type Use } from './targets.js'
import { findExpectedType, findDeclarations, listParts, readLiteral } from '../code/types.js'
import { findDestinations, findSources } from '../code/values.js'

/** Every use of the name of an operation or of a schema. */
export const findNamed: Finder = (node, targets, checker) => {
  if (!isNaming(node)) return []
  const named = findNamedDeclarations(node, checker)
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
  const named = findNamedDeclarations(node, checker)
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
    ...(ts.isIdentifier(expression) ? findNamedDeclarations(expression, checker) : []),
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
  const text = readLiteral(node)
  if (text === undefined || !ts.isCallExpression(node.parent)) return []
  const { expression, arguments: args } = node.parent
  const index = args.findIndex((argument) => argument === node)
  const method =
    ts.isPropertyAccessExpression(expression) && index === 0
      ? expression.name.text
      : readLiteral(args[index - 1])
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

/** Whether code fails to compile here if the value of the expression may be absent or null. */
export function breaksIfAbsent(
  node: ts.Expression,
  target: Target,
  checker: ts.TypeChecker,
): boolean {
  const { parent } = node
  const isObject =
    ts.isPropertyAccessExpression(parent) ||
    ts.isElementAccessExpression(parent) ||
    ts.isCallExpression(parent)
  if (isObject && parent.expression === node) return parent.questionDotToken === undefined
  if (ts.isExpressionStatement(parent) || ts.isTemplateSpan(parent)) return false
  const expected = findExpectedType(node, checker)
  if (expected === undefined || meet(findDestinations(node, checker), target.properties))
    return false
  const absent =
    target.change.code === 'response-null-added'
      ? checker.getNullType()
      : checker.getUndefinedType()
  return !checker.isTypeAssignableTo(absent, expected)
}

/** Whether the name of a property no longer compiles when the type lacks the property. */
export function breaksIfGone(
  node: ts.Identifier | ts.StringLiteralLike,
  checker: ts.TypeChecker,
): boolean {
  const { parent } = node
  if (findLiteral(node) !== undefined) return true
  if (ts.isLiteralTypeNode(parent)) return !isOmitted(parent)
  const object =
    ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)
      ? parent.expression
      : parent.parent
  return listParts(checker.getTypeAtLocation(object), checker).some(
    (type) => !isOpen(type) && !hasName(type, node.text, checker),
  )
}

/** `Omit` accepts any key. */
function isOmitted(node: ts.LiteralTypeNode): boolean {
  const outer = ts.isUnionTypeNode(node.parent) ? node.parent.parent : node.parent
  return (
    ts.isTypeReferenceNode(outer) &&
    ts.isIdentifier(outer.typeName) &&
    outer.typeName.text === 'Omit'
  )
}

/** An object with other members than it names, as a validator of an open object returns it. */
function isOpen(type: ts.Type): boolean {
  return type.getStringIndexType() !== undefined
}

/** A type that picks the property by name: the compiler reports only that name. */
function hasName({ aliasSymbol }: ts.Type, name: string, checker: ts.TypeChecker): boolean {
  const holds = (node: ts.Node): boolean =>
    (ts.isStringLiteralLike(node) && node.text === name) || (ts.forEachChild(node, holds) ?? false)
  return findDeclarations(aliasSymbol, checker).some(
    (one) => ts.isTypeAliasDeclaration(one) && holds(one.type),
  )
}

/**
 * Whether a use of a name fails to compile once the name is gone. The compiler reports an import
 * from the generated code, and not what the import is used for.
 */
function breaksWithoutName(
  node: ts.Node,
  declarations: ReadonlySet<ts.Declaration>,
  checker: ts.TypeChecker,
): boolean {
  const { parent } = node
  if (!ts.isIdentifier(node)) return true
  if (!ts.isImportSpecifier(parent) && !ts.isExportSpecifier(parent))
    return !isImported(node, checker)
  const statement = ts.findAncestor(
    parent,
    (one) => ts.isImportDeclaration(one) || ts.isExportDeclaration(one),
  )
  const from =
    statement && (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
      ? statement.moduleSpecifier
      : undefined
  const file = from && checker.getSymbolAtLocation(from)?.valueDeclaration
  if (file === undefined || !ts.isSourceFile(file)) return false
  return file.isDeclarationFile || [...declarations].some((one) => one.getSourceFile() === file)
}

function isImported(node: ts.Identifier, checker: ts.TypeChecker): boolean {
  const isMember =
    (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
    (ts.isQualifiedName(node.parent) && node.parent.right === node)
  return !isMember && ((checker.getSymbolAtLocation(node)?.flags ?? 0) & ts.SymbolFlags.Alias) !== 0
}
