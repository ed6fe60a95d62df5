import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { resolve } = createRequire(import.meta.url)

/** The folder of an installed package. Some packages do not export their manifest. */
export function prepareFolder(name: string): string {
  const found = (resolve.paths(name) ?? []).map((path) => join(path, name)).find(existsSync)
  if (found === undefined) throw new Error(`${name} is not installed.`)
  return found
}
