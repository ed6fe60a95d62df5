import type { ts } from 'ts-morph'

/** A string literal. */
export function quoted(text: string, quote: string): string {
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
  return /^[ \t]*/.exec(lineBefore(node))?.[0] ?? ''
}

/** Whether a node begins its line. */
export function beginsLine(node: ts.Node): boolean {
  return lineBefore(node).trim() === ''
}

function lineBefore(node: ts.Node): string {
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
