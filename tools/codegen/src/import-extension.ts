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
