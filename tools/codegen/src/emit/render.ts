import type { Import } from './code.js'
import type { SourceFile } from './source-file.js'

export type RenderOptions = {
  /** The comment above everything: where the file comes from, and what to run instead of editing it. */
  readonly banner: string
  /** How a module is spelt where the file will stand: `#types/operations` is one of our outputs, anything else stays as it is. */
  readonly resolve: (module: string) => string
}

/** A source file as text: banner, sorted imports, body. */
export function renderFile(file: SourceFile, { banner, resolve }: RenderOptions): string {
  const imports = importLines(
    file.body.flatMap((part) => part.imports),
    resolve,
  )
  const body = file.body.map(({ text }) => text.trimEnd()).filter((text) => text !== '')
  return `${[banner.trimEnd(), imports.join('\n'), body.join('\n\n')].filter((part) => part !== '').join('\n\n')}\n`
}

function importLines(imports: readonly Import[], resolve: (module: string) => string): readonly string[] {
  const modules = new Map<string, Map<string, Import>>()
  for (const one of imports) {
    const names = modules.get(one.module) ?? new Map<string, Import>()
    modules.set(one.module, names)
    const known = names.get(one.as)
    // A name that is needed as a value anywhere is imported as one.
    names.set(one.as, known === undefined || known.typeOnly ? one : known)
  }
  return [...modules]
    .map(([module, names]) => [resolve(module), [...names.values()].toSorted((a, b) => compare(a.as, b.as))] as const)
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([specifier, names]) => [
      ...names
        .filter(({ name }) => name === '*')
        .map(({ as, typeOnly }) => `import ${typeOnly ? 'type ' : ''}* as ${as} from '${specifier}'`),
      ...named(
        specifier,
        names.filter(({ name }) => name !== '*'),
      ),
    ])
}

function named(specifier: string, names: readonly Import[]): readonly string[] {
  if (names.length === 0) return []
  const allTypes = names.every(({ typeOnly }) => typeOnly)
  const list = names.map(({ name, as, typeOnly }) => `${typeOnly && !allTypes ? 'type ' : ''}${name === as ? name : `${name} as ${as}`}`)
  return [`import ${allTypes ? 'type ' : ''}{ ${list.join(', ')} } from '${specifier}'`]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
