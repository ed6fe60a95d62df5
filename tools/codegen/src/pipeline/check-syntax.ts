/** A rendered file is not TypeScript, or contains injected code: a fault of an emitter. */
export class RenderError extends Error {
  override readonly name = 'RenderError'

  constructor(path: string, line: number, message: string) {
    super(`The output ${path} is not valid TypeScript at line ${line}: ${message}`)
  }
}

/**
 * Parses whole statements of a file, strips their types, and throws at the first syntax error, name
 * declared twice, or statement that does not begin a line of the text. Text of a document stands
 * inside lines, so a statement injected by it is found. Each chunk must be complete in itself.
 * Types are checked by the build, not here. `line` is where the text begins.
 */
export async function checkSyntax(path: string, text: string, line = 1): Promise<void> {
  if (!path.endsWith('.ts')) return
  // Loaded late: a run that the cache answers parses nothing.
  const { transformSync: transform } = await import('oxc-transform')
  const { code, errors } = transform(path, text, { target: 'esnext' })
  const [fault] = errors
  if (fault !== undefined) throw new RenderError(path, line + lineAt(text, fault.labels[0]?.start ?? 0) - 1, fault.message)
  // Types leave no code: where there is none, the text need not be looked through.
  let meant: ReadonlySet<string> | undefined
  for (const found of code.match(anyStatement) ?? []) {
    if (found.startsWith('import') || found.startsWith('export *') || found.startsWith('export {')) continue
    meant ??= new Set(text.match(statement))
    if (!meant.has(found)) throw new RenderError(path, line, `a statement that was not meant: ${found.slice(0, 80)}`)
  }
  let modules: ReadonlySet<string | undefined> | undefined
  for (const [, , name] of code.matchAll(imported)) {
    modules ??= new Set([...text.matchAll(imported)].map(([, , one]) => one))
    if (!modules.has(name)) throw new RenderError(path, line, `an import that was not meant: ${String(name).slice(0, 80)}`)
  }
}

/** How a top-level statement begins, both in emitters and in the parser's printer. */
const statement = /^(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*/gmu

/** The same, or another token that begins a line and is no comment or closing bracket. */
const anyStatement = /^(?:(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*|[^\s})\]/*].*$)/gmu

const imported = /^(?:import|(?:import .*|export [*{].*|\}) from) (['"])([^'"\n]+)\1;?$/gm

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
