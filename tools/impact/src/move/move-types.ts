import type { Api } from '@farebox/codegen'
import ts from 'typescript'
import { isOfLibrary, type ManualMove, library, type Move } from './moves.js'
import type { Names } from './names.js'

/**
 * Writes a type of openapi-fetch or of openapi-typescript by its generated name:
 * `components['schemas']['Pet']`, `Client<paths>` and `Middleware`. Undefined for another node.
 */
export function moveType(
  node: ts.Node,
  api: Api,
  names: Names,
  checker: ts.TypeChecker,
): Move | undefined {
  if (ts.isIndexedAccessTypeNode(node)) return moveSchema(node, api, names, checker)
  if (!ts.isTypeReferenceNode(node) || !ts.isIdentifier(node.typeName)) return undefined
  const symbol = checker.getSymbolAtLocation(node.typeName)
  if (!isOfLibrary(symbol, checker)) return undefined
  const name = resolve(symbol, checker)?.name
  if (name === 'Client')
    return {
      node,
      reason: 'Client is that of the generated client now',
      print: () => names.use('Client'),
    }
  // the type of an object that stays
  const { parent } = node
  const holder = ts.isVariableDeclaration(parent)
    ? parent.initializer
    : ts.isSatisfiesExpression(parent) || ts.isAsExpression(parent)
      ? parent.expression
      : undefined
  const isObject = holder !== undefined && ts.isObjectLiteralExpression(holder)
  if (name === 'Middleware' && !isObject)
    return {
      node,
      reason: 'Middleware is a function around send now',
      print: () => `(next: ${names.use('Send')}) => ${names.use('Send')}`,
    }
  return undefined
}

function moveSchema(
  node: ts.IndexedAccessTypeNode,
  { schemas }: Api,
  names: Names,
  checker: ts.TypeChecker,
): Move | undefined {
  const key = readKey(node)
  const { objectType } = node
  if (key === undefined || !ts.isIndexedAccessTypeNode(objectType)) return undefined
  if (readKey(objectType) !== 'schemas' || !ts.isTypeReferenceNode(objectType.objectType))
    return undefined
  const { typeName } = objectType.objectType
  const declared = resolve(checker.getSymbolAtLocation(typeName), checker)
  const schema = schemas.find((one) => one.key === key)
  if (declared?.name !== 'components' || schema === undefined) return undefined
  return {
    node,
    reason: `the schema ${key} is the generated type ${schema.name} now`,
    print: () => `${names.use('types')}.${schema.name}`,
  }
}

const documentTypes = new Set(['paths', 'operations', 'components', 'webhooks'])

/** The names of openapi-fetch and of openapi-typescript that a file still has after the moves. */
export function listRemaining(
  file: ts.SourceFile,
  isGone: (node: ts.Node) => boolean,
  checker: ts.TypeChecker,
): readonly ManualMove[] {
  const moves: ManualMove[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || isGone(node)) return
    if (ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node.parent)) {
      const symbol = checker.getSymbolAtLocation(node)
      const isImport = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
      if (isImport && isOfLibrary(symbol, checker))
        moves.push({ node, reason: `${node.text} of ${library} is still used` })
      else if (isImport && isDocumentType(resolve(symbol, checker)))
        moves.push({
          node,
          reason: `${node.text} is a type of openapi-typescript; the output paths has it too`,
        })
    }
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(file, visit)
  return moves
}

function isDocumentType(symbol: ts.Symbol | undefined): boolean {
  return (
    symbol !== undefined &&
    documentTypes.has(symbol.name) &&
    (symbol.declarations ?? []).some(
      (one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one),
    )
  )
}

function readKey({ indexType }: ts.IndexedAccessTypeNode): string | undefined {
  return ts.isLiteralTypeNode(indexType) && ts.isStringLiteralLike(indexType.literal)
    ? indexType.literal.text
    : undefined
}

function resolve(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): ts.Symbol | undefined {
  return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
    ? checker.getAliasedSymbol(symbol)
    : symbol
}
