import { ts } from 'ts-morph'
import { literalWith } from './naming.js'
import { expectedType } from './expected-type.js'
import type { Target } from './targets.js'
import { findDeclarations, listParts } from './types.js'
import { meet } from './use.js'
import { findDestinations } from './values.js'

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
  const expected = expectedType(node, checker)
  if (expected === undefined || meet(findDestinations(node, checker), target.properties))
    return false
  const absent =
    target.change.code === 'response-null-added'
      ? checker.getNullType()
      : checker.getUndefinedType()
  return !checker.isTypeAssignableTo(absent, expected)
}

/** Whether a name of a property fails to compile once the type lacks the property. */
export function breaksIfGone(
  node: ts.Identifier | ts.StringLiteralLike,
  checker: ts.TypeChecker,
): boolean {
  const { parent } = node
  if (literalWith(node) !== undefined) return true
  if (ts.isLiteralTypeNode(parent)) return !isOmitted(parent)
  const object =
    ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)
      ? parent.expression
      : parent.parent
  return listParts(checker.getTypeAtLocation(object), checker).some(
    (type) => !isOpen(type) && !hasName(type, node.text, checker),
  )
}

/** `Omit` takes any key. */
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

/** A type that picks the property by name: the compiler reports that name alone. */
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
export function breaksWithoutName(
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
