import type * as Oxc from 'oxc-transform'

/** A rendered file that is not TypeScript, or says more than was meant: a fault of an emitter, never of the document. */
export class RenderError extends Error {
  override readonly name = 'RenderError'

  constructor(path: string, line: number, message: string) {
    super(`The generator wrote ${path}, which is not valid TypeScript at line ${line}: ${message}`)
  }
}

/**
 * Parses a whole file, strips its types, and throws at the first syntactic fault, name declared twice, or statement of the program
 * that the text did not begin a line with. Text of a document stands inside lines, so a statement made of it is found out. Nothing is
 * type-checked: that is the build's part.
 */
export async function checkSyntax(path: string, text: string): Promise<void> {
  if (!path.endsWith('.ts')) return
  // Loaded late: a run that the cache answers parses nothing.
  const { transformSync } = await import('oxc-transform')
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start)
    checkPiece(path, text.slice(start, end), lineAt(text, start), transformSync)
    start = end
  }
}

/** A piece must be right by itself: what is left open in one is not closed by the next. */
function checkPiece(path: string, text: string, line: number, transform: typeof Oxc.transformSync): void {
  const { code, errors } = transform(path, text, { target: 'esnext' })
  const [fault] = errors
  if (fault !== undefined) throw new RenderError(path, line + lineAt(text, fault.labels[0]?.start ?? 0) - 1, fault.message)
  const meant = new Set(text.match(statement))
  for (const found of code.match(anyStatement) ?? []) {
    const known = found.startsWith('import') || found.startsWith('export *') || found.startsWith('export {') || meant.has(found)
    if (!known) throw new RenderError(path, line, `a statement that was not meant: ${found.slice(0, 80)}`)
  }
  const modules = new Set([...text.matchAll(imported)].map(([, , name]) => name))
  for (const [, , name] of code.matchAll(imported)) {
    if (!modules.has(name)) throw new RenderError(path, line, `an import that was not meant: ${String(name).slice(0, 80)}`)
  }
}

/** Whole statements, some hundred kilobytes of them: a syntax tree takes many times the room of its text. */
function endOfPiece(text: string, start: number): number {
  if (text.length - start <= piece) return text.length
  betweenStatements.lastIndex = start + piece
  return betweenStatements.test(text) ? betweenStatements.lastIndex : text.length
}

/** Comments and literals of several lines do not begin a line with anything but white space. */
const betweenStatements = /\n\n(?=\S)/g

const piece = 300_000

/** How a statement that runs begins: emitters begin a line with it, and so does the printer of the parser. */
const statement = /^(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*/gmu

/** The same, or whatever else may stand at the beginning of a line and is neither a comment nor the end of something. */
const anyStatement = /^(?:(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*|[^\s})\]/*].*$)/gmu

const imported = /^(?:import|(?:import .*|export [*{].*|\}) from) (['"])([^'"\n]+)\1;?$/gm

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
