import ts from 'typescript'
import { library } from './moves.js'

/** What a file may need of the generated code. */
const exported = ['createClient', 'fetchSend', 'Send', 'Client', 'types'] as const
export type ExportName = (typeof exported)[number]

/** The local names of the generated code in a file, and which of them are used. */
export type Names = {
  readonly use: (name: ExportName) => string
  readonly used: () => ReadonlyMap<ExportName, string>
}

/**
 * Names that nothing else in the file has. The names of openapi-fetch become free, unless a client
 * of openapi-fetch stays.
 */
export function createNames(file: ts.SourceFile, stays: boolean): Names {
  const taken = listIdentifiers(
    file,
    (declaration) => !stays && readModule(declaration) === library,
  )
  const used = new Map<ExportName, string>()
  const choose = (name: ExportName): string => {
    if (!taken.has(name)) return name
    const longer = `generated${name.replace(/^./, (letter) => letter.toUpperCase())}`
    return taken.has(longer) ? `${longer}_` : longer
  }
  return {
    use: (name) => {
      const local = used.get(name) ?? choose(name)
      used.set(name, local)
      return local
    },
    used: () => used,
  }
}

/** The text of an edited file with the imports that it needs, and without those that are unused. */
export function writeImports(
  before: ts.SourceFile,
  text: string,
  names: Names,
  importFrom: (output: string) => string,
): string {
  const file = ts.createSourceFile(before.fileName, text, ts.ScriptTarget.Latest, true)
  const [usedBefore, usedNow] = [listUsedNames(before), listUsedNames(file)]
  const lines = printImports(names, importFrom)
  let result = ''
  let done = 0
  let isWritten = lines.length === 0
  const imports = file.statements.filter(ts.isImportDeclaration)
  const write = (at: number): void => {
    result += text.slice(done, at) + lines.join('\n')
    done = at
    isWritten = true
  }
  for (const declaration of imports) {
    const isGone = (name: string): boolean => usedBefore.has(name) && !usedNow.has(name)
    const replaced = printWithout(declaration, isGone, names, readModule(declaration) === library)
    if (replaced === undefined) continue
    const start = declaration.getStart(file)
    if (!isWritten) {
      write(start)
      if (replaced !== '') result += '\n'
    } else result += text.slice(done, start)
    result += replaced
    done = declaration.getEnd()
    // the line of an import that is gone, too
    if (replaced === '' && result.endsWith('\n'))
      done += /^\r?\n/.exec(text.slice(done))?.[0].length ?? 0
  }
  if (!isWritten) {
    write(imports.at(-1)?.getEnd() ?? file.getStart(file))
    result =
      imports.length > 0 ? result.replace(lines.join('\n'), `\n${lines.join('\n')}`) : `${result}\n`
  }
  return result + text.slice(done)
}

/** Undefined if an import stays as it is; empty if nothing of it is used. */
function printWithout(
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
  isGone: (name: string) => boolean,
  names: Names,
  isLibrary: boolean,
): string | undefined {
  if (importClause === undefined) return undefined
  const replaced = new Set(isLibrary ? names.used().values() : [])
  const isKept = (name: string): boolean => !isGone(name) && !replaced.has(name)
  const { name, namedBindings } = importClause
  const listed = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : []
  const kept = listed.filter((one) => isKept(one.name.text))
  const isDefaultGone = name !== undefined && !isKept(name.text)
  if (!isDefaultGone && kept.length === listed.length) return undefined
  const parts = [
    ...(name && !isDefaultGone ? [name.text] : []),
    ...(kept.length > 0 ? [`{ ${kept.map((one) => one.getText()).join(', ')} }`] : []),
  ]
  if (parts.length === 0) return ''
  const type = importClause.isTypeOnly ? 'type ' : ''
  return `import ${type}${parts.join(', ')} from ${moduleSpecifier.getText()}`
}

function printImports(names: Names, importFrom: (output: string) => string): readonly string[] {
  const used = names.used()
  const values = [...used].filter(([name]) => name !== 'types')
  const printed = values
    .map(([name, local]) => {
      const type = name === 'Send' || name === 'Client' ? 'type ' : ''
      return type + (local === name ? name : `${name} as ${local}`)
    })
    .join(', ')
  const types = used.get('types')
  return [
    ...(values.length > 0 ? [`import { ${printed} } from '${importFrom('client')}'`] : []),
    ...(types === undefined ? [] : [`import type * as ${types} from '${importFrom('types')}'`]),
  ]
}

function readModule(declaration: ts.ImportDeclaration): string {
  return ts.isStringLiteral(declaration.moduleSpecifier) ? declaration.moduleSpecifier.text : ''
}

/** The names in a file, except those of some imports. */
function listIdentifiers(
  file: ts.SourceFile,
  isLeftOut: (declaration: ts.ImportDeclaration) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>()
  const own = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && isLeftOut(node)) {
      const { name, namedBindings } = node.importClause ?? {}
      if (name) own.add(name.text)
      if (namedBindings && ts.isNamedImports(namedBindings))
        for (const one of namedBindings.elements) own.add(one.name.text)
      return
    }
    if (ts.isIdentifier(node) && !isMember(node)) names.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return new Set([...names].filter((name) => !own.has(name)))
}

/** The names that a file uses outside its imports. */
export function listUsedNames(file: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isIdentifier(node) && !isMember(node)) names.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return names
}

function isMember(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isPropertySignature(parent) && parent.name === node)
  )
}
