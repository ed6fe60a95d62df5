import ts from 'typescript'

/** The name of the library that a project moves from. */
export const library = 'openapi-fetch'

/** A node that is written anew. `print` gives its text, with the moves within it. */
export type Move = {
  readonly node: ts.Node
  readonly reason: string
  readonly print: (printNode: (node: ts.Node) => string) => string
}

/** A place that is left to the user. */
export type ManualMove = { readonly node: ts.Node; readonly reason: string }

/** Thrown where a node cannot be moved. The node is what the report points at. */
export class UnmovableError extends Error {
  override readonly name = 'UnmovableError'
  constructor(
    readonly node: ts.Node,
    readonly reason: string,
  ) {
    super(reason)
  }
}

/** Gives the text of a node after the moves, and says which of them it printed. */
export function createPrinter(
  moves: ReadonlyMap<ts.Node, Move>,
  printed: Set<Move>,
): (node: ts.Node) => string {
  const print = (move: Move): string => {
    printed.add(move)
    return move.print(printNode)
  }
  const printNode = (node: ts.Node): string => {
    const own = moves.get(node)
    if (own !== undefined) return print(own)
    const file = node.getSourceFile()
    let [text, done] = ['', node.getStart(file)]
    for (const move of listOutermost(node, moves)) {
      const replacement = print(move)
      text += file.text.slice(done, move.node.getStart(file)) + replacement
      done = move.node.getEnd()
      if (replacement !== '') continue
      // a statement that is gone leaves no empty line
      text = text.replace(/[ \t]+$/, '')
      done += /^\r?\n/.exec(file.text.slice(done))?.[0].length ?? 0
    }
    return text + file.text.slice(done, node.getEnd())
  }
  return printNode
}

/** The moves below a node that are in no other move, in the order of the text. */
function listOutermost(node: ts.Node, moves: ReadonlyMap<ts.Node, Move>): readonly Move[] {
  const found: Move[] = []
  const visit = (child: ts.Node): void => {
    const move = moves.get(child)
    if (move === undefined) ts.forEachChild(child, visit)
    else found.push(move)
  }
  ts.forEachChild(node, visit)
  return found
}

/** The declarations of the library that a name refers to, through imports. */
export function isOfLibrary(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): boolean {
  const target =
    symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
      ? checker.getAliasedSymbol(symbol)
      : symbol
  return (target?.declarations ?? []).some((one) =>
    one.getSourceFile().fileName.includes(`/node_modules/${library}/`),
  )
}

/** The members of an object literal by their names. */
export function readMembers(
  node: ts.Expression | undefined,
  what: string,
): ReadonlyMap<string, ts.ObjectLiteralElementLike> {
  if (node === undefined) return new Map()
  if (!ts.isObjectLiteralExpression(node))
    throw new UnmovableError(node, `${what} is not an object literal`)
  return new Map(
    node.properties.map((member) => {
      const name = readMemberName(member)
      if (name === undefined)
        throw new UnmovableError(member, `${what} has a spread or a computed key`)
      return [name, member]
    }),
  )
}

/** Undefined for a spread and for a computed name. */
export function readMemberName(member: ts.ObjectLiteralElementLike): string | undefined {
  const { name } = member
  if (name === undefined) return undefined
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)
    ? name.text
    : undefined
}

/** The value of a member that has one. Undefined for a method. */
export function readValue(member: ts.ObjectLiteralElementLike): ts.Expression | undefined {
  if (ts.isPropertyAssignment(member)) return member.initializer
  return ts.isShorthandPropertyAssignment(member) ? member.name : undefined
}

/** A property of an object literal, as short as it can be written. */
export function printProperty(name: string, value: string): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name.replaceAll("'", "\\'")}'`
  return key === value ? key : `${key}: ${value}`
}

/** An object literal, in lines of its own if it is long. `indent` is that of its first line. */
export function printObject(members: readonly string[], indent: string): string {
  if (members.length === 0) return '{}'
  const line = `{ ${members.join(', ')} }`
  if (line.length + indent.length <= 80 && !line.includes('\n')) return line
  return `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`
}

/** The white space before the line of a node. */
export function readIndent(node: ts.Node): string {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
  return /^[ \t]*/.exec(file.text.slice(file.getPositionOfLineAndCharacter(line, 0)))?.[0] ?? ''
}
