import { createRequire } from 'node:module'
import { moduleRunnerTransformSync, transformSync } from 'oxc-transform'

const require = createRequire(import.meta.url)

/** Modules by the names that imports have for them. */
export type Modules = ReadonlyMap<string, unknown>

/**
 * Runs a module written in TypeScript and returns its exports. An import resolves to one of these
 * modules, else to a package. The module takes the form that Vite runs, because Node loads a module
 * only from a file and asynchronously.
 */
export function runModule(text: string, modules: Modules = new Map()): unknown {
  const { code, errors } = transformSync('module.ts', text, { target: 'es2022' })
  if (errors.length > 0) throw new SyntaxError(errors.map(({ message }) => message).join('\n'))
  const body = moduleRunnerTransformSync('module.js', code).code.replaceAll(
    'await __vite_ssr_import__(',
    '__vite_ssr_import__(',
  )
  const exports: Record<string, unknown> = {}
  // oxlint-disable-next-line no-implied-eval, no-new-func
  new Function('__vite_ssr_exports__', '__vite_ssr_import__', '__vite_ssr_exportAll__', body)(
    exports,
    (name: string) => modules.get(name) ?? require(name),
    // what the module declares itself has precedence
    (all: object) => {
      for (const [name, value] of Object.entries(all)) if (!(name in exports)) exports[name] = value
    },
  )
  return exports
}
