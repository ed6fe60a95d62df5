import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The test files below a folder that start a PostgreSQL, themselves or by files that they import:
 * its clock is that of the machine, and does not move with DAYS_AHEAD.
 */
export function findPostgresTests(folder: string): readonly string[] {
  const sources = listSources(folder)
  const importers = new Map<string, string[]>()
  const found = new Set<string>()
  for (const path of sources) {
    for (const [, to = ''] of readFileSync(path, 'utf8').matchAll(
      /(?:from|import\() ?'([^']+)'/g,
    )) {
      if (/^@farebox\/testing\/(?:replicated-)?postgres$/.test(to)) found.add(path)
      if (!to.startsWith('.')) continue
      const target = join(dirname(path), to.replace(/\.js$/, '.ts'))
      importers.set(target, [...(importers.get(target) ?? []), path])
    }
  }
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer)
  return [...found].filter((path) => path.endsWith('.test.ts')).toSorted()
}

/** Links lead out of the folder, and folders such as `.tmp` come and go beside the tests. */
function listSources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isFile()) return entry.name.endsWith('.ts') ? [path] : []
    return entry.isDirectory() && !/^(?:\..*|node_modules|dist|generated)$/.test(entry.name)
      ? listSources(path)
      : []
  })
}
