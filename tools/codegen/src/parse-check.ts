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
  const { transform } = (await import('oxc-transform')) as typeof Oxc
  const { code, errors } = await transform(path, text, { target: 'esnext' })
  const [fault] = errors
  if (fault !== undefined) throw new RenderError(path, lineAt(text, fault.labels[0]?.start ?? 0), fault.message)
  const meant = new Set(text.match(statement))
  for (const found of code.match(anyStatement) ?? []) {
    const known = found.startsWith('import') || found.startsWith('export *') || found.startsWith('export {') || meant.has(found)
    if (!known) throw new RenderError(path, 1, `a statement that was not meant: ${found.slice(0, 80)}`)
  }
  const modules = new Set([...text.matchAll(imported)].map(([, , name]) => name))
  for (const [, , name] of code.matchAll(imported)) {
    if (!modules.has(name)) throw new RenderError(path, 1, `an import that was not meant: ${String(name).slice(0, 80)}`)
  }
}

/** How a statement that runs begins: emitters begin a line with it, and so does the printer of the parser. */
const statement = /^(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*/gmu

/** The same, or whatever else may stand at the beginning of a line and is neither a comment nor the end of something. */
const anyStatement = /^(?:(?:export )?(?:async )?(?:const|function\*?|class) [\p{ID_Start}$_][\p{ID_Continue}$]*|[^\s})\]/*].*$)/gmu

const imported = /^(?:import|export|\}) .*(['"])([^'"\n]+)\1;?$/gm

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
