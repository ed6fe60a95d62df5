import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export const configNames = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `farebox.config.${extension}`)

/**
 * The configuration file of a folder: the first that stands in it or in a folder above, up to the
 * root of its package, which is where a package.json is.
 */
export function findConfig(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const name = configNames.find((one) => existsSync(join(folder, one)))
    if (name !== undefined) return join(folder, name)
    if (existsSync(join(folder, 'package.json')) || folder === dirname(folder)) return undefined
  }
}
