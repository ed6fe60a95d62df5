/** Where an emitter's files go, and how one output is named in the imports of another. */
export type Target = {
  /** The directory of an emitter, relative to the root, with forward slashes. */
  readonly directory: (emitter: OutputName) => string
  /**
   * The specifier that stands in `from` (a file relative to its emitter's directory) for a module.
   * `#zod/operations` is a module of an output; a package of npm or a file beside `from` stands for
   * itself.
   */
  readonly specifier: (emitter: OutputName, from: string, module: string) => string
  /** What to run instead of editing a generated file. */
  readonly command: string
  /** How imports of generated files end. Default: `js`. */
  readonly importExtension?: ImportExtension
}

/** What an emitter is called: with the folder of this repository that it owns. */
export type OutputName = { readonly name: string; readonly into: string }

/** This repository: each output is a package, and packages import each other by name. */
export const packages: Target = {
  directory: ({ into }) => into,
  specifier: ({ name, into }, from, module) => {
    if (!module.startsWith('#') || outputOf(module) === name) return relativeTo(name, from, module)
    if (!into.startsWith(`packages/${outputOf(module)}/`)) return `@farebox/${module.slice(1)}`
    // two outputs of one package
    const depth = into.split('/').length - 'packages/types/src'.split('/').length + from.split('/').length - 1
    return `${'../'.repeat(depth)}generated/${fileOf(module)}`
  },
  command: 'pnpm generate',
}

/** Any other place: DIR/types, DIR/zod and so on, which import each other by relative paths. */
export function folder(directory: string, command: string, importExtension: ImportExtension = 'js'): Target {
  return {
    importExtension,
    directory: ({ name }) => `${directory}/${name}`,
    specifier: ({ name }, from, module) => relativeTo(name, from, module),
    command,
  }
}

/** `#types` is types/index.js, `#zod/operations` is zod/operations.js. */
function relativeTo(name: string, from: string, module: string): string {
  if (!module.startsWith('#')) return module
  const output = outputOf(module)
  const file = fileOf(module)
  const up = '../'.repeat(from.split('/').length - 1)
  return output === name ? `${up === '' ? './' : up}${file}` : `${up}../${output}/${file}`
}

function outputOf(module: string): string {
  return module.slice(1).split('/', 1)[0] ?? module
}

function fileOf(module: string): string {
  return module.includes('/') ? `${module.slice(module.indexOf('/') + 1)}.js` : 'index.js'
}

export const importExtensions = ['js', 'ts', 'none'] as const

/**
 * How an import of a file beside ends. `js` is what a compiler's output needs, `ts` what Node needs
 * that runs the sources, and `none` what some bundlers want.
 */
export type ImportExtension = (typeof importExtensions)[number]

/**
 * A module with its relative imports ending so. It reads the layout of generated files, in which an
 * import or the end of one begins at the beginning of a line, and no text of a document does.
 */
export function withImportExtension(text: string, extension: ImportExtension): string {
  const end = extension === 'none' ? '' : `.${extension}`
  return extension === 'js' ? text : text.replaceAll(specifiers, (_, start: string, path: string) => `${start}${path}${end}'`)
}

const specifiers = /^((?:import|export (?:type )?[{*]|\})[^'"`\n]*\bfrom '\.{1,2}\/)([^'\n]*)\.js'$/gm
