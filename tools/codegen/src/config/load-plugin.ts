import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '@farebox/command-line'
import { kitVersion } from '../emit/plugin.js'
import type { Plugin } from '../emit/plugin.js'
import { importModule } from './import-module.js'

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
  return { plugin: asPlugin(callFactory(value, name), `The plugin ${JSON.stringify(name)}`), files }
}

/** Returns the value as a plugin. Throws `UsageError` if it is not one of this kit version. */
export function asPlugin(value: unknown, where: string): Plugin {
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
