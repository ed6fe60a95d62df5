/** Where the files of outputs go, and how outputs import each other. */
export type Target = {
  /** The directory of an emitter, relative to the root, with forward slashes. */
  readonly directory: (emitter: OutputName) => string
  /**
   * The specifier of a module in `from`, a file relative to its emitter's directory.
   * `#zod/operations` is a module of an output; npm packages and relative paths stay as they are.
   */
  readonly specifier: (emitter: OutputName, from: string, module: string) => string
  /** The command that regenerates the files, for their banners. */
  readonly command: string
  /** Default: `js`. */
  readonly importExtension?: ImportExtension
}

/** The name of an emitter, and its folder in the repository of Farebox. */
type OutputName = { readonly name: string; readonly into: string }

/** The repository of Farebox: each output is a package, imported by name. */
export const packages: Target = {
  directory: ({ into }) => into,
  specifier: ({ name, into }, from, module) => {
    if (!module.startsWith('#') || parseOutputName(module) === name)
      return resolveSpecifier(name, from, module)
    if (!into.startsWith(`packages/${parseOutputName(module)}/`))
      return `@farebox/${module.slice(1)}`
    // two outputs of one package
    const depth =
      into.split('/').length - 'packages/types/src'.split('/').length + from.split('/').length - 1
    return `${'../'.repeat(depth)}generated/${formatFileName(module)}`
  },
  command: 'pnpm generate',
}

/** Outputs side by side (DIR/types, DIR/zod), which import each other by relative paths. */
export function folder(
  directory: string,
  command: string,
  importExtension: ImportExtension = 'js',
): Target {
  return {
    importExtension,
    directory: ({ name }) => `${directory}/${name}`,
    specifier: ({ name }, from, module) => resolveSpecifier(name, from, module),
    command,
  }
}

/** `#types` is types/index.js, `#zod/operations` is zod/operations.js. */
function resolveSpecifier(name: string, from: string, module: string): string {
  if (!module.startsWith('#')) return module
  const output = parseOutputName(module)
  const file = formatFileName(module)
  const up = '../'.repeat(from.split('/').length - 1)
  return output === name ? `${up === '' ? './' : up}${file}` : `${up}../${output}/${file}`
}

function parseOutputName(module: string): string {
  return module.slice(1).split('/', 1)[0] ?? module
}

function formatFileName(module: string): string {
  return module.includes('/') ? `${module.slice(module.indexOf('/') + 1)}.js` : 'index.js'
}

/** How outputs are arranged: side by side in a folder, or as packages of a repository. */
export const layouts = ['folder', 'packages'] as const
export type Layout = (typeof layouts)[number]

export const importExtensions = ['js', 'ts', 'none'] as const

/**
 * The extension of relative imports: `js` for compiled code, `ts` for Node that runs the sources,
 * `none` for some bundlers.
 */
export type ImportExtension = (typeof importExtensions)[number]

/**
 * Changes the extension of the relative imports of a generated module. It relies on the layout of
 * generated code: imports begin at the start of a line, and text of a document never does.
 */
export function setImportExtension(text: string, extension: ImportExtension): string {
  const end = extension === 'none' ? '' : `.${extension}`
  return extension === 'js'
    ? text
    : text.replaceAll(relativeImports, (_, start: string, path: string) => `${start}${path}${end}'`)
}

const relativeImports =
  /^((?:import|export (?:type )?[{*]|\})[^'"`\n]*\bfrom '\.{1,2}\/)([^'\n]*)\.js'$/gm
