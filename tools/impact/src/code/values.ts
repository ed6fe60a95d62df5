import ts from 'typescript'
import { findExpectedType, findDeclarations } from './types.js'
import { findDeclaredType, findNamedDeclarations } from './naming.js'

/**
 * The generated properties and named types that the value of an expression comes from: through
 * variables, destructuring, choices and declared types.
 */
export function findSources(
  expression: ts.Expression,
  checker: ts.TypeChecker,
  depth = 0,
): readonly ts.Declaration[] {
  if (depth > 10) return []
  const inner = (one: ts.Expression) => findSources(one, checker, depth + 1)
  const node = unwrap(expression)
  const alias = findDeclarations(checker.getTypeAtLocation(node).aliasSymbol, checker)
  if (ts.isPropertyAccessExpression(node))
    return [...alias, ...findNamedDeclarations(node.name, checker)]
  if (ts.isElementAccessExpression(node))
    return [...alias, ...findNamedDeclarations(node.argumentExpression, checker)]
  if (ts.isConditionalExpression(node)) return [...inner(node.whenTrue), ...inner(node.whenFalse)]
  if (ts.isBinaryExpression(node) && choices.has(node.operatorToken.kind))
    return [...inner(node.left), ...inner(node.right)]
  if (ts.isAwaitExpression(node)) return [...alias, ...inner(node.expression)]
  if (ts.isCallExpression(node)) return [...alias, ...findCallSources(node, checker)]
  if (!ts.isIdentifier(node)) return alias
  const declared = checker.getSymbolAtLocation(node)?.valueDeclaration
  return declared === undefined
    ? alias
    : [...alias, ...findVariableSources(declared, inner, checker)]
}

function unwrap(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
    ? unwrap(node.expression)
    : node
}

function findCallSources(
  call: ts.CallExpression,
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  const returned = checker.getResolvedSignature(call)?.declaration?.type
  return returned && ts.isTypeNode(returned) ? findTypeSources(returned, checker) : []
}

const choices = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
])

function findVariableSources(
  declared: ts.Declaration,
  inner: (one: ts.Expression) => readonly ts.Declaration[],
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  if (ts.isBindingElement(declared))
    return findNamedDeclarations(declared.propertyName ?? declared.name, checker)
  if (ts.isParameter(declared)) return findTypeSources(declared.type, checker)
  if (!ts.isVariableDeclaration(declared)) return []
  if (declared.type !== undefined) return findTypeSources(declared.type, checker)
  if (declared.initializer !== undefined) return inner(declared.initializer)
  const loop = declared.parent.parent
  return ts.isForOfStatement(loop) ? inner(loop.expression) : []
}

/** The named types and properties in a type as it is written. */
export function findTypeSources(
  node: ts.TypeNode | undefined,
  checker: ts.TypeChecker,
  depth = 0,
): readonly ts.Declaration[] {
  if (node === undefined || depth > 10) return []
  const inner = (one: ts.TypeNode | undefined) => findTypeSources(one, checker, depth + 1)
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(inner)
  if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return inner(node.type)
  if (ts.isIndexedAccessTypeNode(node))
    return ts.isLiteralTypeNode(node.indexType)
      ? findNamedDeclarations(node.indexType.literal, checker)
      : []
  if (!ts.isTypeReferenceNode(node)) return []
  const declared = findDeclarations(checker.getSymbolAtLocation(node.typeName), checker)
  const isConsumers = declared.some(
    (one) => ts.isTypeAliasDeclaration(one) && one.typeParameters === undefined,
  )
  const next = isConsumers
    ? declared.flatMap((one) => (ts.isTypeAliasDeclaration(one) ? inner(one.type) : []))
    : (node.typeArguments ?? []).flatMap(inner)
  return [...declared, ...next]
}

/** The same for the place that an expression is put into. */
export function findDestinations(
  expression: ts.Expression,
  checker: ts.TypeChecker,
): readonly ts.Declaration[] {
  const { parent } = expression
  const alias = findDeclarations(findExpectedType(expression, checker)?.aliasSymbol, checker)
  if (ts.isPropertyAssignment(parent) && parent.initializer === expression)
    return [...alias, ...findNamedDeclarations(parent.name, checker)]
  if (
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    parent.right === expression
  )
    return [...alias, ...findSources(parent.left, checker)]
  return [...alias, ...findTypeSources(findDeclaredType(expression, checker), checker)]
}
