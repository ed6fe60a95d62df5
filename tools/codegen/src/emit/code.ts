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
      const indent = part.text.includes('\n') ? readIndent(text) : ''
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
function readIndent(text: string): string {
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

/** Code between brackets, each item in lines of its own, which end in a comma. */
export function block(items: readonly Code[], brackets: '[]' | '{}'): Code {
  if (items.length === 0) return { text: brackets, imports: [] }
  let imports: readonly Import[] = []
  let text = `${brackets.charAt(0)}\n`
  for (const item of items) {
    text += `  ${item.text.includes('\n') ? item.text.replaceAll('\n', '\n  ') : item.text},\n`
    imports = mergeImports(imports, item.imports)
  }
  return { text: text + brackets.charAt(1), imports }
}

/** Code under a condition. */
export function when(condition: boolean, then: Part): Code {
  return condition ? code`${then}` : nothing
}

export const nothing: Code = { text: '', imports: [] }

/** A file of one output. `generate` adds the banner and the imports of its code. */
export type SourceFile = {
  /** Relative to the emitter's directory, with forward slashes. */
  readonly path: string
  /** The statements. They are read once, so a generator can make each when it is written. */
  readonly body: Iterable<Code>
}

/** A file in another language than TypeScript. It is written unchanged, without a banner. */
export type TextFile = {
  /** Relative to the emitter's directory, with forward slashes. */
  readonly path: string
  readonly text: string
}

export function sourceFile(path: string, body: Iterable<Code>): SourceFile {
  return { path, body }
}

type RenderOptions = {
  /**
   * The comment at the top: the source of the file, and the command that regenerates it.
   */
  readonly banner: string
  /** The specifier of an import in the file. `#zod/operations` is an output of the generator. */
  readonly resolve: (module: string) => string
}

/** Renders a source file: banner, sorted imports, body. Names must not clash. */
export function renderFile(file: SourceFile, options: RenderOptions): string {
  const statements = createStatements(file)
  const body = [...statements].join('')
  return `${renderHead(statements.imports(), options)}${body}`.trimStart()
}

/** The body of a file in pieces of whole statements, and what they import. */
export type Statements = Iterable<string> & {
  /** Complete once all pieces were read. */
  readonly imports: () => readonly Import[]
}

/**
 * Prints statements in pieces of some 100 kB, each behind an empty line, since processing a piece
 * takes many times the memory of its text. `visit` sees each piece.
 */
export function createStatements(
  { path, body }: SourceFile,
  visit?: (piece: Code) => void,
): Statements {
  const known = new Map<string, Import>()
  const print = (lines: readonly string[]): string => {
    const text = lines.join('\n')
    visit?.({ text, imports: [...known.values()] })
    return text
  }
  return {
    *[Symbol.iterator]() {
      let lines = ['']
      let length = 0
      for (const statement of body) {
        const text = statement.text.trimEnd()
        addImports(path, known, statement.imports)
        if (text === '') continue
        if (length > enough) {
          yield print(lines)
          lines = ['']
          length = 0
        }
        lines.push(text, '')
        length += text.length
      }
      yield print(lines)
    },
    imports: () => [...known.values()].sort((a, b) => compare(a.as, b.as)),
  }
}

/** Above 128 kB each piece would be memory that the system has to clear first. */
const enough = 100_000

/** What a file begins with: the banner and the imports. */
export function renderHead(imports: readonly Import[], { banner, resolve }: RenderOptions): string {
  const parts = [banner.trimEnd(), printImports(imports, resolve).join('\n')]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/**
 * One import for each local name. A name that is used as a value anywhere is imported as a value.
 */
function addImports(path: string, known: Map<string, Import>, imports: readonly Import[]): void {
  for (const one of imports) {
    const other = known.get(one.as)
    if (other === one) continue
    if (other !== undefined && (other.module !== one.module || other.name !== one.name))
      throw createAmbiguityError(path, other, one)
    if (other === undefined || other.typeOnly) known.set(one.as, one)
  }
}

function printImports(
  imports: readonly Import[],
  resolve: (module: string) => string,
): readonly string[] {
  const specifiers = [...new Set(imports.map(({ module }) => resolve(module)))].sort(compare)
  return specifiers.flatMap((specifier) => {
    const names = imports.filter(({ module }) => resolve(module) === specifier)
    const whole = names.filter(({ name }) => name === '*')
    return [
      ...whole.map(
        ({ as, typeOnly }) => `import ${typeOnly ? 'type ' : ''}* as ${as} from '${specifier}'`,
      ),
      ...printNamedImports(
        specifier,
        names.filter((one) => !whole.includes(one)),
      ),
    ]
  })
}

function printNamedImports(specifier: string, names: readonly Import[]): readonly string[] {
  if (names.length === 0) return []
  const allTypes = names.every(({ typeOnly }) => typeOnly)
  const list = names.map(
    ({ name, as, typeOnly }) =>
      `${typeOnly && !allTypes ? 'type ' : ''}${name === as ? name : `${name} as ${as}`}`,
  )
  return [`import ${allTypes ? 'type ' : ''}{ ${list.join(', ')} } from '${specifier}'`]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function createAmbiguityError(path: string, one: Import, other: Import): Error {
  return new Error(
    `${path}: the name ${one.as} is imported from ${one.module} as ${one.name} and from ${other.module} as ${other.name}. Give one of the two another local name.`,
  )
}
