import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '@farebox/command-line'
import { kitVersion, type Plugin } from '../emit/emitter.js'
import { findProjectCache } from '../pipeline/cache.js'

export type LoadedPlugin = {
  readonly plugin: Plugin
  /** Its files, without those of packages. */
  readonly files: readonly string[]
}

/**
 * Imports a plugin: a file or a package, as seen from a folder, whose default export is a plugin or
 * a function without parameters that returns one. Throws `UsageError`.
 */
export async function loadPlugin(name: string, folder: string): Promise<LoadedPlugin> {
  const path = resolve(folder, name)
  const { value, files } = await importModule(
    existsSync(path) ? path : name,
    folder,
    `The plugin ${JSON.stringify(name)}`,
  )
  return { plugin: toPlugin(callFactory(value, name), `The plugin ${JSON.stringify(name)}`), files }
}

/** Returns the value as a plugin. Throws `UsageError` if it is not one of this kit version. */
export function toPlugin(value: unknown, where: string): Plugin {
  if (!isPlugin(value))
    throw new UsageError(
      `${where} is not a plugin: expected the result of definePlugin of @farebox/codegen/kit.`,
    )
  if (value.kit !== kitVersion) {
    const advice =
      value.kit > kitVersion
        ? 'Install a newer @farebox/codegen'
        : `Install a newer version of "${value.name}"`
    throw new UsageError(
      `${where} is written for version ${value.kit} of @farebox/codegen/kit, and this is version ${kitVersion}. ${advice}.`,
    )
  }
  return value
}

function callFactory(value: unknown, name: string): unknown {
  if (typeof value !== 'function') return value
  try {
    return value() as unknown
  } catch (error) {
    throw new UsageError(
      `The plugin ${JSON.stringify(name)} cannot be created: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false
  const { kit, name, emit } = value as Partial<Plugin>
  return typeof kit === 'number' && typeof name === 'string' && typeof emit === 'function'
}

type ImportedModule = {
  /** The default export. */
  readonly value: unknown
  /** The module and those that it imports, without those of packages. */
  readonly files: readonly string[]
}

/**
 * Imports a module in JavaScript or TypeScript, by a path or by the name of a package, as seen from
 * a folder. Each call reads its files again; compiled files are cached until they change. Throws
 * `UsageError`, whose message begins with `name`.
 */
export async function importModule(
  specifier: string,
  folder: string,
  name: string,
): Promise<ImportedModule> {
  // loaded late: few runs need it
  const { createJiti } = await import('jiti')
  const jiti = createJiti(join(folder, 'farebox.config.js'), {
    fsCache: findProjectCache(folder, 'farebox-codegen-config') ?? false,
    alias: createAliases(folder),
  })
  const before = new Set(Object.keys(jiti.cache))
  const listLoaded = (): readonly string[] =>
    Object.keys(jiti.cache).filter(
      (path) => !before.has(path) && !/[\\/]node_modules[\\/]/.test(path),
    )
  try {
    const value = await jiti.import(specifier, { default: true })
    const files = listLoaded()
    return { value, files: files.length === 0 ? [resolve(folder, specifier)] : files }
  } catch (error) {
    throw new UsageError(`${name} cannot be loaded: ${formatFirstLine(error)}`)
  } finally {
    for (const path of listLoaded()) delete jiti.cache[path]
  }
}

/** With npx this package is not installed: then its name resolves to the running one. */
function createAliases(folder: string): Readonly<Record<string, string>> {
  try {
    createRequire(join(folder, 'farebox.config.js')).resolve('@farebox/codegen/package.json')
    return {}
  } catch {
    const file = (name: string): string => fileURLToPath(new URL(`../${name}.js`, import.meta.url))
    return { '@farebox/codegen': file('index'), '@farebox/codegen/kit': file('kit') }
  }
}

function formatFirstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n')
  return /[.!?]$/.test(line) ? line : `${line.trim()}.`
}
