import ts from 'typescript'

type Member = ts.ObjectLiteralElementLike
type Span = { readonly start: number; readonly end: number }

/** The name of a member as it is written, without quotes. */
export function readMemberName({ name }: Member): string {
  if (name === undefined) return ''
  const inner = ts.isComputedPropertyName(name) ? name.expression : name
  return ts.isStringLiteralLike(inner) || ts.isIdentifier(inner) ? inner.text : ''
}

/** A member of an object. `literal`: the object that it is, if it is written out. */
export function findMember(
  { properties }: ts.ObjectLiteralExpression,
  name: string,
): { readonly literal: ts.ObjectLiteralExpression | undefined } | undefined {
  const member = properties.find((one) => readMemberName(one) === name)
  if (member === undefined) return undefined
  const value = ts.isPropertyAssignment(member) ? member.initializer : undefined
  return { literal: value !== undefined && ts.isObjectLiteralExpression(value) ? value : undefined }
}

/** The spans to delete, so that the other members stay unchanged. */
export function findRemovals(
  { properties }: ts.ObjectLiteralExpression,
  members: ReadonlySet<Member>,
): readonly Span[] {
  const lastKept = properties.findLastIndex((one) => !members.has(one))
  const inner = properties.slice(0, lastKept + 1).flatMap((one, index): Span[] => {
    const next = properties[index + 1]
    return members.has(one) && next ? [{ start: one.getStart(), end: next.getStart() }] : []
  })
  const [kept, next] = [properties[lastKept], properties[lastKept + 1]]
  return kept && next ? [...inner, ...findEnd(properties, kept, next)] : inner
}

/** The deleted spans at the end of an object. A comment behind a kept member is kept. */
function findEnd(properties: ts.NodeArray<Member>, kept: Member, next: Member): readonly Span[] {
  const afterComma = next.getFullStart()
  const comment = ts.getTrailingCommentRanges(next.getSourceFile().text, afterComma)?.at(-1)
  const start = comment?.end ?? afterComma
  if (properties.hasTrailingComma) return [{ start, end: properties.end }]
  const comma = { start: kept.getEnd(), end: afterComma }
  const end = properties.at(-1)?.getEnd() ?? start
  return comment === undefined ? [{ start: comma.start, end }] : [comma, { start, end }]
}

/** Where to insert another member of an object, and the text to insert. */
export function findInsertion(
  literal: ts.ObjectLiteralExpression,
  text: string,
): Span & { readonly text: string } {
  const last = literal.properties.at(-1)
  return last === undefined
    ? { start: literal.getStart() + 1, end: literal.getEnd() - 1, text: ` ${text} ` }
    : { start: last.getEnd(), end: last.getEnd(), text: `,${readSpaceBefore(last)}${text}` }
}

/** The space before a member after this one: a line break, if this one begins a line. */
export function readSpaceBefore(member: ts.Node): string {
  return beginsLine(member) ? readNewline(member) + readIndent(member) : ' '
}

/** A string literal. */
export function quoteString(text: string, quote: string): string {
  return (
    quote +
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(String.raw`\"`, '"')
      .replaceAll(quote, `\\${quote}`) +
    quote
  )
}

/** The white space at the beginning of a node's line. */
export function readIndent(node: ts.Node): string {
  return /^[ \t]*/.exec(readLineBefore(node))?.[0] ?? ''
}

/** Whether a node begins its line. */
export function beginsLine(node: ts.Node): boolean {
  return readLineBefore(node).trim() === ''
}

function readLineBefore(node: ts.Node): string {
  const { text } = node.getSourceFile()
  const start = node.getStart()
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
}

/** The line break of the file. */
export function readNewline(node: ts.Node): string {
  return node.getSourceFile().text.includes('\r\n') ? '\r\n' : '\n'
}

/** Whether a name needs no quotes as a key. */
export function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*$/u.test(name)
}
