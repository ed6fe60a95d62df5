import type { Api } from '@farebox/codegen'
import ts from 'typescript'
import { isCreation, moveCreation } from './move-client.js'
import { moveCall, readPathCall } from './move-call.js'
import { looksLikeMiddleware, moveMiddleware } from './move-middleware.js'
import {
  createPrinter,
  isOfLibrary,
  readMemberName,
  type ManualMove,
  type Move,
  UnmovableError,
} from './moves.js'
import { listRemaining, moveType } from './move-types.js'
import { createNames, listUsedNames, writeImports } from './names.js'

/** The folder of the generated client as a file imports it, and the ending of its imports. */
export type GeneratedClient = { readonly importFrom: (file: string, output: string) => string }

/** The new text of a file, what was moved in it, and what is left. */
export type FileMoves = {
  readonly file: ts.SourceFile
  readonly text: string
  readonly moves: readonly Move[]
  readonly left: readonly ManualMove[]
}

/** Finds what a program has of openapi-fetch, and writes it for the generated client. */
export function findMoves(
  program: ts.Program,
  api: Api,
  generated: GeneratedClient,
): readonly FileMoves[] {
  const checker = program.getTypeChecker()
  return program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !program.isSourceFileFromExternalLibrary(file))
    .map((file) => moveFile(file, checker, api, generated))
    .filter(({ moves, left }) => moves.length > 0 || left.length > 0)
}

function moveFile(
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  api: Api,
  generated: GeneratedClient,
): FileMoves {
  const moves = new Map<ts.Node, Move>()
  const left: ManualMove[] = []
  const clients = findUses(file, checker)
  const names = createNames(
    file,
    clients.some(({ creation }) => !isWrittenOut(creation)),
  )
  const move = (made: Move): void => void moves.set(made.node, made)
  /** Moves a node, or leaves it to the user. */
  const attempt = (what: string, create: () => void): void => {
    try {
      create()
    } catch (error) {
      if (!(error instanceof UnmovableError)) throw error
      left.push({ node: error.node, reason: `${what}: ${error.reason}` })
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isObjectLiteralExpression(node) && isMiddleware(node, checker))
      attempt('middleware', () => {
        move(moveMiddleware(node, names, checker))
        const holder = planTypeRemoval(node)
        if (holder !== undefined) move(holder)
      })
    attempt('call', () => {
      const call = readPathCall(node, checker)
      if (call !== undefined) move(moveCall(node, call, api))
    })
    const type = moves.has(node.parent) ? undefined : moveType(node, api, names, checker)
    if (type !== undefined) move(type)
    ts.forEachChild(node, visit)
  }
  visit(file)
  for (const { creation, uses } of clients) {
    const around = uses.filter((use) => {
      const problem = findProblem(use, creation, checker)
      if (problem !== undefined) left.push({ node: use, reason: problem })
      return problem === undefined
    })
    attempt('createClient', () => {
      const list = around.flatMap(({ arguments: args }) =>
        args.map((one) => (printNode: (node: ts.Node) => string) => {
          const text = printNode(one)
          return ts.isIdentifier(one) ? text : `(${text})`
        }),
      )
      const created = moveCreation(creation, list, names, checker)
      move(created.move)
      left.push(...created.left)
      for (const { parent } of around)
        move({ node: parent, reason: 'its middleware is passed to createClient', print: () => '' })
    })
  }
  const printed = new Set<Move>()
  const start = file.getStart(file)
  const text =
    file.text.slice(0, start) + createPrinter(moves, printed)(file) + file.text.slice(file.getEnd())
  const isGone = (node: ts.Node): boolean =>
    (ts.isTypeNode(node) && moves.has(node)) ||
    (ts.isVariableDeclaration(node.parent) &&
      node.parent.type === node &&
      moves.has(node.parent)) ||
    (ts.isCallExpression(node.parent) &&
      moves.has(node.parent) &&
      !node.parent.arguments.some((one) => one === node))
  const used = listUsedNames(ts.createSourceFile(file.fileName, text, ts.ScriptTarget.Latest, true))
  const remaining = listRemaining(file, isGone, checker)
  left.push(...remaining.filter(({ node }) => used.has(node.getText(file))))
  if (moves.size === 0) return { file, text: file.text, moves: [], left }
  return {
    file,
    text: writeImports(file, text, names, (output) => generated.importFrom(file.fileName, output)),
    moves: [...printed].filter(({ reason }) => reason !== ''),
    left,
  }
}

/** Whether the options of a client can be read, and its methods are not taken out of it. */
function isWrittenOut({ arguments: [options], parent }: ts.CallExpression): boolean {
  if (ts.isVariableDeclaration(parent) && !ts.isIdentifier(parent.name)) return false
  return (
    options === undefined ||
    (ts.isObjectLiteralExpression(options) &&
      options.properties.every((member) => readMemberName(member) !== undefined))
  )
}

/** The type of a constant, or `satisfies`, that says that an object is a middleware. */
function planTypeRemoval(node: ts.ObjectLiteralExpression): Move | undefined {
  const { parent } = node
  // it is reported with the middleware
  const reason = ''
  if (ts.isVariableDeclaration(parent) && parent.type)
    return {
      node: parent,
      reason,
      print: (printNode) => `${printNode(parent.name)} = ${printNode(node)}`,
    }
  if (ts.isSatisfiesExpression(parent) || ts.isAsExpression(parent))
    return { node: parent, reason, print: (printNode) => printNode(node) }
  return undefined
}

type Uses = { readonly creation: ts.CallExpression; readonly uses: readonly ts.CallExpression[] }

/** Each creation of a client in a file, with the calls of `use` on the constant that holds it. */
function findUses(file: ts.SourceFile, checker: ts.TypeChecker): readonly Uses[] {
  const creations: ts.CallExpression[] = []
  const calls: { readonly symbol: ts.Symbol | undefined; readonly call: ts.CallExpression }[] = []
  const visit = (node: ts.Node): void => {
    if (isCreation(node, checker)) creations.push(node)
    else if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'use' &&
      isOfLibrary(checker.getSymbolAtLocation(node.expression.name), checker)
    )
      calls.push({ symbol: checker.getSymbolAtLocation(node.expression.expression), call: node })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return creations.map((creation) => {
    const { parent } = creation
    const symbol = ts.isVariableDeclaration(parent)
      ? checker.getSymbolAtLocation(parent.name)
      : undefined
    return {
      creation,
      uses: calls
        .filter((one) => symbol !== undefined && one.symbol === symbol)
        .map(({ call }) => call),
    }
  })
}

/** Why the middleware of a call of `use` cannot be passed where the client is created. */
function findProblem(
  use: ts.CallExpression,
  creation: ts.CallExpression,
  checker: ts.TypeChecker,
): string | undefined {
  const declared = ts.findAncestor(creation, ts.isVariableStatement)
  if (!ts.isExpressionStatement(use.parent) || use.parent.parent !== declared?.parent)
    return 'use: it is not called where the client is created'
  for (const argument of use.arguments) {
    const literal = findLiteral(argument, checker)
    if (literal === undefined) return 'use: the middleware is not an object literal'
    try {
      moveMiddleware(literal, { use: (name) => name }, checker)
    } catch (error) {
      if (!(error instanceof UnmovableError)) throw error
      return 'use: the middleware is left to you'
    }
    const isLater = literal.getSourceFile() === creation.getSourceFile() && literal !== argument
    if (isLater && literal.getStart() > creation.getStart())
      return 'use: the middleware is declared after the client'
  }
  return undefined
}

/** The object literal of a middleware, through constants and imports. */
function findLiteral(
  node: ts.Expression,
  checker: ts.TypeChecker,
): ts.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(node)) return node
  const symbol = checker.getSymbolAtLocation(node)
  if (symbol === undefined) return undefined
  const target =
    (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol
  const declared = target.valueDeclaration
  return declared !== undefined &&
    ts.isVariableDeclaration(declared) &&
    declared.initializer !== undefined &&
    ts.isObjectLiteralExpression(declared.initializer)
    ? declared.initializer
    : undefined
}

/** An object literal where openapi-fetch expects a middleware. */
function isMiddleware(node: ts.ObjectLiteralExpression, checker: ts.TypeChecker): boolean {
  if (!looksLikeMiddleware(node)) return false
  const type = checker.getContextualType(node)
  const parts = type === undefined ? [] : type.isUnion() ? type.types : [type]
  return parts.some((part) =>
    ['onRequest', 'onResponse', 'onError'].some((name) => {
      const member = part.getProperty(name)
      return isOfLibrary(member, checker)
    }),
  )
}
