import { ts } from 'ts-morph'
import { expectedType } from './expected-type.js'
import { findDeclarations, literalText, propertiesNamed } from './types.js'

/** The declarations that a name or a literal of the consumer's code stands for. */
export function namedBy(node: ts.Node, checker: ts.TypeChecker): readonly ts.Declaration[] {
  const { parent } = node
  const text = literalText(node)
  const inType = (type: ts.Type | undefined, name: string) =>
    type ? ofProperty(type, name, checker) : []
  const literal = literalWith(node)
  if (literal !== undefined) return inType(expectedType(literal, checker), nameText(node))
  if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent)) {
    if (parent.initializer === node || (parent.name === node && parent.propertyName !== undefined))
      return []
    return inType(checker.getTypeAtLocation(parent.parent), nameText(node))
  }
  if (text === undefined)
    return ts.isIdentifier(node) ? findDeclarations(checker.getSymbolAtLocation(node), checker) : []
  if (ts.isElementAccessExpression(parent) && parent.argumentExpression === node)
    return inType(checker.getTypeAtLocation(parent.expression), text)
  if (!ts.isLiteralTypeNode(parent))
    return keyOperands(node, checker).flatMap((type) => inType(type, text))
  const outer = outermostUnion(parent)
  if (ts.isIndexedAccessTypeNode(outer.parent))
    return inType(checker.getTypeAtLocation(outer.parent.objectType), text)
  return pickedFrom(outer, checker).flatMap((type) => inType(type, text))
}

/** The object literal that has a name or a quoted name as a member. */
export function literalWith(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  const name = ts.isComputedPropertyName(node.parent) ? node.parent : node
  const member = name.parent
  const isMember =
    ts.isObjectLiteralElementLike(member) &&
    member.name === name &&
    ts.isObjectLiteralExpression(member.parent)
  return isMember ? member.parent : undefined
}

function ofProperty(
  type: ts.Type,
  name: string,
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  return propertiesNamed(type, name, checker).flatMap((symbol) => findDeclarations(symbol, checker))
}

function nameText(name: ts.Node): string {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : ''
}

function outermostUnion(node: ts.TypeNode): ts.TypeNode {
  return ts.isUnionTypeNode(node.parent) ? node.parent : node
}

/**
 * The object type of a `Pick`, an `Omit` or another type whose parameter is a key of the first one.
 */
function pickedFrom(node: ts.TypeNode, checker: ts.TypeChecker): readonly ts.Type[] {
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
function keyOperands(node: ts.Node, checker: ts.TypeChecker): readonly ts.Type[] {
  return listKeys(findDeclaredType(node, checker), checker)
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
