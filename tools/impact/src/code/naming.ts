import ts from 'typescript'
import { findExpectedType, findDeclarations, readLiteral, listProperties } from './types.js'

/** The declarations that a name or a literal of the consumer's code refers to. */
export function findNamedDeclarations(
  node: ts.Node,
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  const { parent } = node
  const text = readLiteral(node)
  const findProperty = (type: ts.Type | undefined, name: string) =>
    type ? findPropertyDeclarations(type, name, checker) : []
  const literal = findLiteral(node)
  if (literal !== undefined) return findProperty(findExpectedType(literal, checker), readName(node))
  if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent)) {
    if (parent.initializer === node || (parent.name === node && parent.propertyName !== undefined))
      return []
    return findProperty(checker.getTypeAtLocation(parent.parent), readName(node))
  }
  if (text === undefined)
    return ts.isIdentifier(node) ? findDeclarations(checker.getSymbolAtLocation(node), checker) : []
  if (ts.isElementAccessExpression(parent) && parent.argumentExpression === node)
    return findProperty(checker.getTypeAtLocation(parent.expression), text)
  if (!ts.isLiteralTypeNode(parent)) {
    const types = new Set([
      ...listDeclaredKeyTypes(node, checker),
      ...listExpectedKeyTypes(node, checker),
    ])
    return [...new Set([...types].flatMap((type) => findProperty(type, text)))]
  }
  const outer = findOutermostUnion(parent)
  if (ts.isIndexedAccessTypeNode(outer.parent))
    return findProperty(checker.getTypeAtLocation(outer.parent.objectType), text)
  return findPicked(outer, checker).flatMap((type) => findProperty(type, text))
}

/** The object literal that has a name or a quoted name as a member. */
export function findLiteral(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  const name = ts.isComputedPropertyName(node.parent) ? node.parent : node
  const member = name.parent
  const isMember =
    ts.isObjectLiteralElementLike(member) &&
    member.name === name &&
    ts.isObjectLiteralExpression(member.parent)
  return isMember ? member.parent : undefined
}

function findPropertyDeclarations(
  type: ts.Type,
  name: string,
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  const uses = listProperties(type, name, checker).flatMap((symbol) =>
    findDeclarations(symbol, checker),
  )
  if (uses.length > 0) return uses
  // `Record<keyof T, …>` has the keys of T, but not its declarations
  return (type.aliasTypeArguments ?? [])
    .flatMap((argument) => listKeyed(argument))
    .flatMap((keyed) => listProperties(keyed, name, checker))
    .flatMap((symbol) => findDeclarations(symbol, checker))
}

function readName(name: ts.Node): string {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : ''
}

function findOutermostUnion(node: ts.TypeNode): ts.TypeNode {
  return ts.isUnionTypeNode(node.parent) ? node.parent : node
}

/**
 * The object type of a `Pick`, an `Omit` or another type whose parameter is a key of the first one.
 */
function findPicked(node: ts.TypeNode, checker: ts.TypeChecker): readonly ts.Type[] {
  const { parent } = node
  if (!ts.isTypeReferenceNode(parent)) return []
  const [first, ...rest] = parent.typeArguments ?? []
  if (first === undefined || first === node) {
    const constraint = findParameter(parent, 0, checker)?.constraint
    return first === node ? listKeys(constraint, checker) : []
  }
  const own = listKeys(findParameter(parent, rest.indexOf(node) + 1, checker)?.constraint, checker)
  return [...own, checker.getTypeFromTypeNode(first)]
}

function findParameter(
  reference: ts.TypeReferenceNode,
  index: number,
  checker: ts.TypeChecker,
): ts.TypeParameterDeclaration | undefined {
  const [declared] = findDeclarations(checker.getSymbolAtLocation(reference.typeName), checker)
  if (
    declared === undefined ||
    !(ts.isTypeAliasDeclaration(declared) || ts.isInterfaceDeclaration(declared))
  )
    return undefined
  return declared.typeParameters?.[index]
}

/** The types whose keys a string may be, as the declared type of its place says. */
function listDeclaredKeyTypes(node: ts.Node, checker: ts.TypeChecker): readonly ts.Type[] {
  return listKeys(findDeclaredType(node, checker), checker)
}

/** The types whose keys a string may be, as the compiler expects it: also in a comparison. */
function listExpectedKeyTypes(node: ts.Node, checker: ts.TypeChecker): readonly ts.Type[] {
  if (!ts.isExpression(node)) return []
  const other = findCompared(node)
  const type =
    other === undefined ? findExpectedType(node, checker) : checker.getTypeAtLocation(other)
  return type === undefined ? [] : listKeyed(type)
}

/** What a value is compared with, by `===` or by `case`. */
export function findCompared(node: ts.Expression): ts.Expression | undefined {
  const { parent } = node
  if (ts.isCaseClause(parent) && parent.expression === node) return parent.parent.parent.expression
  if (!ts.isBinaryExpression(parent) || !comparisons.has(parent.operatorToken.kind))
    return undefined
  return parent.left === node ? parent.right : parent.left
}

export const comparisons = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
])

/**
 * The `T` of a type that the compiler made of `keyof T`. It keeps the origin of a union for its
 * messages; the manifest of this package names the compiler's exact version.
 */
function listKeyed(type: ts.Type, depth = 0): readonly ts.Type[] {
  if (depth > 5) return []
  if ((type.flags & ts.TypeFlags.Index) !== 0) return [(type as ts.IndexType).type]
  const { origin } = type as { readonly origin?: ts.Type }
  if (origin !== undefined) return listKeyed(origin, depth + 1)
  return type.isUnion() ? type.types.flatMap((part) => listKeyed(part, depth + 1)) : []
}

/** Whether the compiler made a type of `keyof T`. */
export function isKeyType(type: ts.Type): boolean {
  return listKeyed(type).length > 0
}

/** The `T` of each `keyof T` in a type, through aliases and constraints. */
function listKeys(
  node: ts.TypeNode | undefined,
  checker: ts.TypeChecker,
  depth = 0,
): readonly ts.Type[] {
  if (node === undefined || depth > 5) return []
  const inner = (one: ts.TypeNode | undefined) => listKeys(one, checker, depth + 1)
  if (ts.isTypeOperatorNode(node))
    return node.operator === ts.SyntaxKind.KeyOfKeyword
      ? [checker.getTypeFromTypeNode(node.type)]
      : inner(node.type)
  if (ts.isArrayTypeNode(node)) return inner(node.elementType)
  if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) return node.types.flatMap(inner)
  if (ts.isParenthesizedTypeNode(node)) return inner(node.type)
  if (!ts.isTypeReferenceNode(node)) return []
  const declared = findDeclarations(checker.getSymbolAtLocation(node.typeName), checker)
  const next = declared.flatMap((one) =>
    ts.isTypeParameterDeclaration(one)
      ? inner(one.constraint)
      : ts.isTypeAliasDeclaration(one)
        ? inner(one.type)
        : [],
  )
  return [...next, ...(node.typeArguments ?? []).flatMap(inner)]
}

/** The type as written that an expression must have. */
export function findDeclaredType(node: ts.Node, checker: ts.TypeChecker): ts.TypeNode | undefined {
  const { parent } = node
  if (
    ts.isVariableDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isPropertyDeclaration(parent)
  )
    return parent.initializer === node ? parent.type : undefined
  if (ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent)) return parent.type
  if (ts.isReturnStatement(parent)) return ts.findAncestor(parent, ts.isFunctionLike)?.type
  if (ts.isArrowFunction(parent) && parent.body === node) return parent.type
  if (ts.isArrayLiteralExpression(parent)) return findDeclaredType(parent, checker)
  if (!ts.isCallExpression(parent)) return undefined
  const index = parent.arguments.findIndex((argument) => argument === node)
  const declared = checker.getResolvedSignature(parent)?.parameters[index]?.valueDeclaration
  return declared && ts.isParameter(declared) ? declared.type : undefined
}
