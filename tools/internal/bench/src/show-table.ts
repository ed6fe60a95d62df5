import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.js'

/** A row for each project, with a value for each column. */
type Table = Readonly<Record<string, object>>

/** Prints a table. With a name, it also keeps it where the site reads what its charts show. */
export function showTable(table: Table, name: string | false): void {
  console.table(table)
  if (name !== false) keepTable(table, name)
}

/** Keeps a table where the site reads what its charts show. */
export function keepTable(table: Table, name: string): void {
  const folder = join(root, 'tools/internal/bench/results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(table, undefined, 2)}\n`)
}
