import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from '@farebox/command-line'
import { checkConfig } from './check-config.js'
import type { Config } from './config.js'
import { importModule } from './import-module.js'

export type LoadedConfig = {
  readonly config: Config
  /** The folder of the file: the base of its paths. */
  readonly folder: string
  /** The name of the file. Empty without a file. */
  readonly file: string
  /** The file and the modules that it imports, without those of packages. */
  readonly files: readonly string[]
}

/** Reads a configuration file. Throws `UsageError` with the name of the file. */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  const name = basename(path)
  if (!existsSync(path)) throw new UsageError(`--config: ${path} does not exist.`)
  const { value, files } = path.endsWith('.json')
    ? await readJson(path)
    : await importModule(path, dirname(path), name)
  return { config: checkConfig(value, name), folder: dirname(path), file: name, files }
}

async function readJson(
  path: string,
): Promise<{ readonly value: unknown; readonly files: readonly string[] }> {
  try {
    return { value: JSON.parse(await readFile(path, 'utf8')) as unknown, files: [path] }
  } catch (error) {
    throw new UsageError(
      `${basename(path)} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

const configNames = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (extension) => `farebox.config.${extension}`,
)

/**
 * The nearest configuration file, in a folder or above it, up to the root of its package (where a
 * package.json is).
 */
export function findConfig(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const name = configNames.find((candidate) => existsSync(join(folder, candidate)))
    if (name !== undefined) return join(folder, name)
    if (existsSync(join(folder, 'package.json')) || folder === dirname(folder)) return undefined
  }
}
