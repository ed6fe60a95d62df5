import type { Import } from './code.js'
import type { SourceFile } from './source-file.js'

export type RenderOptions = {
  /**
   * The comment at the top: the source of the file, and the command that regenerates it.
   */
  readonly banner: string
  /** The specifier of an import in the file. `#zod/operations` is an output of the generator. */
  readonly resolve: (module: string) => string
}

/** Renders a source file: banner, sorted imports, body. Names must not clash. */
export function renderFile(file: SourceFile, options: RenderOptions): string {
  return [...renderPieces(file, options)].join('')
}

/**
 * Renders in chunks of whole statements, of some hundred kilobytes each. Processing a chunk takes
 * many times the memory of its text.
 */
export function* renderPieces(
  file: SourceFile,
  { banner, resolve }: RenderOptions,
): Iterable<string> {
  let parts = [banner.trimEnd(), importLines(distinct(file), resolve).join('\n')].filter(
    (part) => part !== '',
  )
  let length = 0
  for (const { text } of file.body) {
    const part = text.trimEnd()
    if (part === '') continue
    if (length > enough) {
      yield `${parts.join('\n\n')}\n\n`
      parts = []
      length = 0
    }
    parts.push(part)
    length += part.length
  }
  yield `${parts.join('\n\n')}\n`
}

const enough = 200_000

/**
 * One import for each local name. A name that is used as a value anywhere is imported as a value.
 */
function distinct({ path, body }: SourceFile): readonly Import[] {
  const known = new Map<string, Import>()
  for (const { imports } of body) {
    for (const one of imports) {
      const other = known.get(one.as)
      if (other === one) continue
      if (other !== undefined && (other.module !== one.module || other.name !== one.name))
        throw ambiguous(path, other, one)
      if (other === undefined || other.typeOnly) known.set(one.as, one)
    }
  }
  return [...known.values()].toSorted((a, b) => compare(a.as, b.as))
}

function importLines(
  imports: readonly Import[],
  resolve: (module: string) => string,
): readonly string[] {
  const specifiers = [...new Set(imports.map(({ module }) => resolve(module)))].toSorted(compare)
  return specifiers.flatMap((specifier) => {
    const names = imports.filter(({ module }) => resolve(module) === specifier)
    const whole = names.filter(({ name }) => name === '*')
    return [
      ...whole.map(
        ({ as, typeOnly }) => `import ${typeOnly ? 'type ' : ''}* as ${as} from '${specifier}'`,
      ),
      ...importNames(
        specifier,
        names.filter((one) => !whole.includes(one)),
      ),
    ]
  })
}

function importNames(specifier: string, names: readonly Import[]): readonly string[] {
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

function ambiguous(path: string, one: Import, other: Import): Error {
  return new Error(
    `${path}: the name ${one.as} is imported from ${one.module} as ${one.name} and from ${other.module} as ${other.name}. Give one of the two another local name.`,
  )
}
