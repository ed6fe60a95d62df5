import ts from 'typescript'
import { listAdded, listFormer } from '../find/find-values.js'
import type { Use } from '../find/targets.js'
import { createEditor, type Edit } from './edit.js'
import type { RenamedValues } from './renames.js'
import { beginsLine, readIndent, readNewline, quoteString } from './members.js'

/**
 * Adds a case that throws for each new value that is not a renamed one. Undefined: the switch does
 * not name every older value, or its `default` takes the new ones, so that a case could break what
 * works.
 */
export function addCases(
  { node, target }: Use,
  renamed: RenamedValues,
  checker: ts.TypeChecker,
): readonly Edit[] | undefined {
  const statement = ts.isSwitchStatement(node) ? node : switchAround(node)
  const last = statement?.caseBlock.clauses.findLast((clause) => ts.isCaseClause(clause))
  if (statement === undefined || last === undefined) return undefined
  const { clauses } = statement.caseBlock
  const named = new Set(
    clauses.flatMap((clause) => (ts.isCaseClause(clause) ? listValues(clause, checker) : [])),
  )
  const known = new Set(renamed.values())
  const missing = listAdded(target).filter((value) => !named.has(value) && !known.has(value))
  if (missing.length === 0) return []
  const takesAll = clauses.some(
    (clause) => ts.isDefaultClause(clause) && !assertsNever(clause, statement.expression, checker),
  )
  if (
    takesAll ||
    !listFormer(target).every((value) => named.has(value)) ||
    !endsFlow(last.statements.at(-1))
  )
    return undefined
  const end = endWithComments(last)
  const reason = `new in the response: ${missing.map((value) => JSON.stringify(value)).join(', ')}`
  const text = missing.map((value) => printCase(value, last)).join('')
  return [createEditor(target.change)(statement, text, reason, { start: end, end })]
}

/** The switch whose `default` gets the remaining value. */
function switchAround(node: ts.Node): ts.SwitchStatement | undefined {
  const clause = ts.findAncestor(node, ts.isDefaultClause)
  const statement = clause?.parent.parent
  return statement?.expression.getText() === node.getText() ? statement : undefined
}

function listValues({ expression }: ts.CaseClause, checker: ts.TypeChecker): readonly unknown[] {
  // the literal itself: the type of a value that the older version does not know
  if (ts.isStringLiteralLike(expression)) return [expression.text]
  const type = checker.getTypeAtLocation(expression)
  return type.isStringLiteral() || type.isNumberLiteral() ? [type.value] : []
}

/** Whether a `default` asserts that no value is left. */
function assertsNever(
  clause: ts.DefaultClause,
  value: ts.Expression,
  checker: ts.TypeChecker,
): boolean {
  const isLeft = (node: ts.Node): boolean =>
    (node.kind === value.kind &&
      node.getText() === value.getText() &&
      (checker.getTypeAtLocation(node).flags & ts.TypeFlags.Never) !== 0) ||
    (ts.forEachChild(node, isLeft) ?? false)
  const [first] = clause.statements
  return (first !== undefined && ts.isThrowStatement(first)) || clause.statements.some(isLeft)
}

/** Whether the code does not fall through to the next case. */
function endsFlow(statement: ts.Statement | undefined): boolean {
  if (statement === undefined) return false
  if (ts.isBlock(statement)) return endsFlow(statement.statements.at(-1))
  return [
    ts.isReturnStatement,
    ts.isThrowStatement,
    ts.isBreakStatement,
    ts.isContinueStatement,
  ].some((is) => is(statement))
}

function endWithComments(node: ts.Node): number {
  return (
    ts.getTrailingCommentRanges(node.getSourceFile().text, node.getEnd())?.at(-1)?.end ??
    node.getEnd()
  )
}

/** In the style of another case. */
function printCase(value: unknown, model: ts.CaseClause): string {
  const { expression } = model
  const quote = ts.isStringLiteral(expression) ? expression.getText().charAt(0) : "'"
  const label = typeof value === 'string' ? quoteString(value, quote) : JSON.stringify(value)
  const [first] = model.statements
  const statement = first !== undefined && ts.isBlock(first) ? first.statements[0] : first
  const newline = readNewline(model)
  const body =
    statement !== undefined && beginsLine(statement) ? `${newline}${readIndent(statement)}` : ' '
  const semicolon = model.getText().trimEnd().replace(/\}$/, '').trimEnd().endsWith(';') ? ';' : ''
  const placeholder = `throw new Error(${quoteString(`farebox-impact: handle ${String(value)}`, quote)})${semicolon}`
  return `${newline}${readIndent(model)}case ${label}:${body}${placeholder}`
}
