/**
 * A name that the code needs from another module. An output of the generator has a logical name
 * (`#types`, `#zod/operations`); npm packages and relative files have their specifiers (`zod`,
 * `./checks.js`).
 */
export type Import = {
  readonly module: string
  /** The exported name, or `*` for the whole namespace. */
  readonly name: string
  /** The local name. */
  readonly as: string
  readonly typeOnly: boolean
}

/** A piece of a source file, with the imports that it needs. */
export type Code = { readonly text: string; readonly imports: readonly Import[] }

type Part = Code | string | number | undefined | false

/**
 * Interpolates values into code. A part that is code adds its imports, and its lines are indented
 * like the line that it is in; `undefined` and `false` are empty.
 */
export function code(strings: TemplateStringsArray, ...parts: readonly Part[]): Code {
  let imports: readonly Import[] = []
  let text = strings[0] ?? ''
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    if (typeof part === 'object') {
      const indent = part.text.includes('\n') ? lineIndent(text) : ''
      text += indent === '' ? part.text : part.text.replaceAll('\n', `\n${indent}`)
      imports = mergeImports(imports, part.imports)
    } else if (part !== undefined && part !== false) {
      text += String(part)
    }
    text += strings[index + 1] ?? ''
  }
  return { text, imports }
}

/** The union of both lists. */
function mergeImports(some: readonly Import[], more: readonly Import[]): readonly Import[] {
  if (more.length === 0 || some === more) return some
  if (some.length === 0) return more
  const fresh = more.filter((one) => !some.some((other) => isSameImport(one, other)))
  return fresh.length === 0 ? some : [...some, ...fresh]
}

function isSameImport(one: Import, other: Import): boolean {
  return (
    one.as === other.as &&
    one.name === other.name &&
    one.module === other.module &&
    one.typeOnly === other.typeOnly
  )
}

/** The indentation of the last line. */
function lineIndent(text: string): string {
  const start = text.lastIndexOf('\n') + 1
  let end = start
  while (text.charCodeAt(end) === 0x20) end++
  return text.slice(start, end)
}

/** A name of another module. Printing it imports it. */
export function symbol(name: string, module: string, { typeOnly = false, as = name } = {}): Code {
  return { text: as, imports: [{ module, name, as, typeOnly }] }
}

/** The whole of another module under one name. */
export function namespace(as: string, module: string, { typeOnly = false } = {}): Code {
  return { text: as, imports: [{ module, name: '*', as, typeOnly }] }
}

export function join(parts: readonly Part[], separator: string): Code {
  let imports: readonly Import[] = []
  const texts: string[] = []
  for (const part of parts) {
    if (part === undefined || part === false) continue
    if (typeof part === 'object') imports = mergeImports(imports, part.imports)
    texts.push(typeof part === 'object' ? part.text : String(part))
  }
  return { text: texts.join(separator), imports }
}

/** Code under a condition. */
export function when(condition: boolean, then: Part): Code {
  return condition ? code`${then}` : nothing
}

export const nothing: Code = { text: '', imports: [] }
