import {
  IndentationText,
  Node,
  Project,
  QuoteKind,
  type ObjectLiteralExpression,
  type SourceFile,
} from 'ts-morph'
import { ScaffoldError, type Change, type SourceReader } from './addition.js'
import { isMap, isNode, isScalar, parseDocument } from 'yaml'

/** A TypeScript file after an edit. `pnpm new` formats it when it is written. */
export function editSource(
  path: string,
  read: SourceReader,
  edit: (source: SourceFile) => void,
): Change {
  const manipulationSettings = {
    quoteKind: QuoteKind.Single,
    indentationText: IndentationText.TwoSpaces,
    useTrailingCommas: true,
  }
  const source = new Project({
    useInMemoryFileSystem: true,
    manipulationSettings,
  }).createSourceFile('file.ts', read(path))
  edit(source)
  return { path, text: source.getFullText(), isNew: false }
}

/** Adds an import after the last one. */
export function addImport(source: SourceFile, from: string, name: string): void {
  source.insertImportDeclaration(source.getImportDeclarations().length, {
    moduleSpecifier: from,
    namedImports: [name],
  })
}

/** Adds a line to a table: a constant that is an object literal. */
export function addToTable(source: SourceFile, constant: string, key: string, value: string): void {
  const table = findTable(source, constant)
  const quoted = /^\w+$/.test(key) ? key : `'${key}'`
  if (table.getProperty(quoted) !== undefined)
    throw new ScaffoldError(`The table "${constant}" has ${key} already; choose another name.`)
  if (key === value) table.addShorthandPropertyAssignment({ name: key })
  else table.addPropertyAssignment({ name: quoted, initializer: value })
}

/** Adds another member to a type that is a union. */
export function addToUnion(source: SourceFile, type: string, member: string): void {
  const declared = source.getTypeAliasOrThrow(type)
  declared.setType(`${declared.getTypeNodeOrThrow().getText()} | ${member}`)
}

/** Adds text before or after a text that the file has once. */
export function insert(
  path: string,
  read: SourceReader,
  { before, after }: { readonly before?: string; readonly after?: string },
  added: string,
): Change {
  const text = read(path)
  const anchor = before ?? after ?? ''
  const at = text.indexOf(anchor)
  if (at < 0 || text.includes(anchor, at + 1))
    throw new ScaffoldError(
      `${path} has no single ${JSON.stringify(anchor)}; expected one, to add a line there.`,
    )
  const place = before === undefined ? at + anchor.length : at
  return { path, text: text.slice(0, place) + added + text.slice(place), isNew: false }
}

function findTable(source: SourceFile, constant: string): ObjectLiteralExpression {
  const value = source.getVariableDeclaration(constant)?.getInitializer()
  const table = Node.isSatisfiesExpression(value) ? value.getExpression() : value
  if (Node.isObjectLiteralExpression(table)) return table
  throw new ScaffoldError(`There is no table "${constant}"; expected an object literal.`)
}

/**
 * Adds an entry with a nested line to a block map of a YAML text, after its last entry. Every other
 * character stays as it is. `at` leads from the root to the map.
 */
export function appendToMap(
  text: string,
  at: readonly string[],
  key: string,
  line: string,
): string {
  const map = parseDocument(text).getIn(at)
  const last = isMap(map) ? map.items.at(-1) : undefined
  if (!isMap(map) || last === undefined)
    throw new ScaffoldError(`${at.join('.')} is no map with entries; expected one.`)
  if (map.has(key))
    throw new ScaffoldError(`${at.join('.')} has ${key} already; choose another name.`)
  const start = isScalar(last.key) ? last.key.range?.[0] : undefined
  const end = isNode(last.value) ? last.value.range?.[1] : undefined
  if (start === undefined || end === undefined)
    throw new ScaffoldError(
      `${at.join('.')} is written in a form that cannot be extended; expected a block map.`,
    )
  const indentation = ' '.repeat(start - text.lastIndexOf('\n', start) - 1)
  const before = text.slice(0, end).replace(/\s+$/, '')
  const rest = text.slice(before.length).replace(/^\n/, '')
  return `${before}\n${indentation}${key}:\n${indentation}  ${line}\n${rest}`
}
