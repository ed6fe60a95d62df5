/** A rendered file is not TypeScript, or contains injected code: an error of an emitter. */
export class RenderError extends Error {
  override readonly name = 'RenderError'

  constructor(path: string, line: number, message: string) {
    super(`The output ${path} is not valid TypeScript at line ${line}: ${message}`)
  }
}

/**
 * Parses whole statements of a file and throws a `RenderError` at the first syntax error, duplicate
 * declaration, or statement that does not begin a line of the text. Text of a document is always
 * inside a line, so this finds injected statements. Does not check types. `line` is the line at
 * which the text begins.
 */
export async function checkSyntax(path: string, text: string, line = 1): Promise<void> {
  if (!path.endsWith('.ts')) return
  // loaded late: a run that hits the cache parses nothing
  const { transformSync: transform } = await import('oxc-transform')
  const { code, errors } = transform(path, text, { target: 'esnext' })
  const [error] = errors
  if (error !== undefined)
    throw new RenderError(path, line + lineAt(text, error.labels[0]?.start ?? 0) - 1, error.message)
  // types leave no code, so most texts need no search
  let intended: ReadonlySet<string> | undefined
  for (const start of code.match(anyStatementPattern) ?? []) {
    if (start.startsWith('import') || start.startsWith('export *') || start.startsWith('export {'))
      continue
    intended ??= new Set(text.match(statementPattern))
    if (!intended.has(start))
      throw new RenderError(path, line, `an unexpected statement: ${start.slice(0, 80)}`)
  }
  let modules: ReadonlySet<string | undefined> | undefined
  for (const [, , name] of code.matchAll(importPattern)) {
    modules ??= new Set([...text.matchAll(importPattern)].map(([, , module]) => module))
    if (!modules.has(name))
      throw new RenderError(path, line, `an unexpected import: ${String(name).slice(0, 80)}`)
  }
}

/** How a top-level statement begins, both in emitters and in the parser's printer. */
const statementPattern =
  /^(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*/gmu

/** The same, or any other token that begins a line, except comments and closing brackets. */
const anyStatementPattern =
  /^(?:(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*|[^\s})\]/*].*$)/gmu

const importPattern = /^(?:import|(?:import .*|export [*{].*|\}) from) (['"])([^'"\n]+)\1;?$/gm

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1))
    line++
  return line
}
