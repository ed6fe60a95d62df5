import ts from 'typescript'
import { type Move, readIndent, readMemberName, readMembers, UnmovableError } from './moves.js'
import type { Names } from './names.js'

/** A handler of a middleware, with the names that it takes its arguments by. */
type Handler = {
  readonly body: ts.Block
  /** The argument by its local name. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Writes a middleware of openapi-fetch, `{ onRequest, onResponse }`, as a function around `send`.
 *
 * @throws Unmovable if it does more than read and set headers, and read or replace responses.
 */
export function moveMiddleware(
  literal: ts.ObjectLiteralExpression,
  names: Pick<Names, 'use'>,
  checker: ts.TypeChecker,
): Move {
  const members = readMembers(literal, 'the middleware')
  for (const [name, member] of members)
    if (name !== 'onRequest' && name !== 'onResponse')
      throw new UnmovableError(
        member,
        `${name} has no counterpart: catch what \`next(call)\` throws`,
      )
  const request = readHandler(members.get('onRequest'))
  const response = readHandler(members.get('onResponse'))
  const before = request && moveHandler(request, 'request', response !== undefined, checker)
  const after = response && moveHandler(response, 'response', false, checker)
  return {
    node: literal,
    reason: 'the middleware is a function around send now',
    print: (printNode) => {
      const lines = [
        ...(before?.(printNode) ?? []),
        ...(after ? ['const response = await next(call)', ...after(printNode)] : []),
      ]
      const last = after ? 'return response' : 'return next(call)'
      const whole = lines.at(-1)?.startsWith('return ') === true ? lines : [...lines, last]
      const indent = readIndent(literal)
      const send = names.use('Send')
      return `(next: ${send}): ${send} => async (call) => {\n${whole.map((line) => `${indent}  ${line}\n`).join('')}${indent}}`
    },
  }
}

function readHandler(member: ts.ObjectLiteralElementLike | undefined): Handler | undefined {
  if (member === undefined) return undefined
  const made = ts.isPropertyAssignment(member) ? member.initializer : member
  if (
    !(ts.isMethodDeclaration(made) || ts.isArrowFunction(made) || ts.isFunctionExpression(made)) ||
    made.body === undefined ||
    !ts.isBlock(made.body)
  )
    throw new UnmovableError(member, 'it is not a function with a block')
  const names = new Map<string, string>()
  const [parameter] = made.parameters
  if (parameter === undefined) return { body: made.body, names }
  if (!ts.isObjectBindingPattern(parameter.name))
    throw new UnmovableError(parameter, 'its argument is not destructured')
  for (const element of parameter.name.elements) {
    const name = ts.isIdentifier(element.name) ? element.name.text : ''
    const argument =
      element.propertyName && ts.isIdentifier(element.propertyName)
        ? element.propertyName.text
        : name
    if (name === '' || !['request', 'response', 'schemaPath'].includes(argument))
      throw new UnmovableError(element, `${element.getText()} has no counterpart`)
    names.set(name, argument)
  }
  return { body: made.body, names }
}

/** The statements of a handler, without the return at its end. */
function moveHandler(
  { body, names }: Handler,
  kind: 'request' | 'response',
  isFollowed: boolean,
  checker: ts.TypeChecker,
): (printNode: (node: ts.Node) => string) => readonly string[] {
  const last = body.statements.at(-1)
  const ends = last !== undefined && ts.isReturnStatement(last) && returnsItself(last, names, kind)
  const statements = ends ? body.statements.slice(0, -1) : [...body.statements]
  const replaced = new Map<ts.Node, string>()
  const visit = (node: ts.Node, isNested: boolean): void => {
    if (ts.isIdentifier(node)) readName(node)
    const isInner = isNested || ts.isFunctionLike(node)
    if (ts.isReturnStatement(node) && !isNested) readReturn(node)
    ts.forEachChild(node, (child) => visit(child, isInner))
  }
  const readReturn = (node: ts.ReturnStatement): void => {
    if (returnsItself(node, names, kind)) {
      if (kind === 'request' && isFollowed)
        throw new UnmovableError(node, 'it returns before the end, and onResponse follows')
      replaced.set(node, kind === 'request' ? 'return next(call)' : 'return response')
    } else if (kind === 'request')
      throw new UnmovableError(node, 'it returns another request, or a response in place of one')
    else if (node.expression && mayBeUndefined(node.expression, checker))
      throw new UnmovableError(node, 'it may return undefined, and a send returns a response')
  }
  const readName = (node: ts.Identifier): void => {
    if (isMemberName(node)) return
    if (node.text === 'call' || node.text === 'next')
      throw new UnmovableError(node, `the generated function has a ${node.text} of its own`)
    const argument = names.get(node.text)
    if (argument === undefined) return
    if (ts.isShorthandPropertyAssignment(node.parent))
      throw new UnmovableError(node, `${node.text} is a member of another object`)
    if (argument === 'response') return void replaced.set(node, 'response')
    if (argument === 'schemaPath') return void replaced.set(node, 'call.operation?.path')
    const { parent } = node
    if (ts.isReturnStatement(parent) && kind === 'request') return
    const member = ts.isPropertyAccessExpression(parent) ? parent.name.text : ''
    if (!['headers', 'url', 'method', 'signal'].includes(member))
      throw new UnmovableError(
        parent,
        `a call has no Request: it has url, method, headers and body`,
      )
    replaced.set(node, 'call')
  }
  for (const statement of statements) visit(statement, false)
  // its names are its own where another handler follows
  const isBlock = isFollowed && statements.some((one) => !ts.isExpressionStatement(one))
  return (printNode) => {
    const lines = statements.map(
      (one) => readComments(one) + printReplaced(one, replaced, printNode),
    )
    return isBlock ? ['{', ...lines.map((line) => `  ${line}`), '}'] : lines
  }
}

/** The comments before a statement. */
function readComments(node: ts.Node): string {
  const file = node.getSourceFile()
  const text = file.text.slice(node.getFullStart(), node.getStart(file)).trim()
  return text === '' ? '' : `${text}\n${readIndent(node).slice(2)}`
}

/** `return`, `return undefined`, and `return request` of a handler of requests. */
function returnsItself(
  { expression }: ts.ReturnStatement,
  names: ReadonlyMap<string, string>,
  kind: string,
): boolean {
  if (expression === undefined) return true
  if (!ts.isIdentifier(expression)) return false
  return expression.text === 'undefined' || names.get(expression.text) === kind
}

function mayBeUndefined(node: ts.Expression, checker: ts.TypeChecker): boolean {
  const type = checker.getTypeAtLocation(node)
  const parts = type.isUnion() ? type.types : [type]
  return parts.some(({ flags }) => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0)
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node)
  )
}

function printReplaced(
  node: ts.Node,
  replaced: ReadonlyMap<ts.Node, string>,
  printNode: (node: ts.Node) => string,
): string {
  const own = replaced.get(node)
  if (own !== undefined) return own
  const file = node.getSourceFile()
  const holds = (child: ts.Node): boolean =>
    replaced.has(child) || (ts.forEachChild(child, holds) ?? false)
  if (!holds(node)) return printNode(node)
  let [text, done] = ['', node.getStart(file)]
  ts.forEachChild(node, (child) => {
    text += file.text.slice(done, child.getStart(file)) + printReplaced(child, replaced, printNode)
    done = child.getEnd()
  })
  return text + file.text.slice(done, node.getEnd())
}

/** The names of the members, to tell a middleware from another object. */
export function looksLikeMiddleware(literal: ts.ObjectLiteralExpression): boolean {
  return literal.properties.some((member) =>
    ['onRequest', 'onResponse', 'onError'].includes(readMemberName(member) ?? ''),
  )
}
