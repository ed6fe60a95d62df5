import { spawnSync } from 'node:child_process'
import { median } from '../rounds.js'
import { showTable } from '../show-table.js'
import type { Limit, Setup } from './setup.js'

const processes = 41

/**
 * The time to import each package, in a process of its own each time. The quickest of all counts:
 * the work is the same each time, and other work of the machine only adds to it.
 */
export function importTimes({ place, openai, save }: Setup): readonly Limit[] {
  const modules = {
    'openapi-fetch': 'openapi-fetch',
    '@farebox/client': '@farebox/client',
    '@farebox/client/operations': '@farebox/client/operations',
    farebox: 'farebox',
    openai,
  }
  const parties = Object.entries(modules).map(([name, module]) => ({ name, module, times: [] as number[] }))
  for (let round = 0; round < processes; round++) {
    for (const { module, times } of parties) {
      const source = `const start = performance.now(); await import(${JSON.stringify(module)}); console.log(performance.now() - start)`
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { cwd: place, encoding: 'utf8' })
      times.push(Number(stdout))
    }
  }
  const base = Math.min(...(parties[0]?.times ?? []))
  const rows = parties.map(({ name, times }) => ({ name, ms: Math.min(...times), median: median(times), ratio: Math.min(...times) / base }))
  console.log(
    `Time to import, as published, the quickest of ${processes} processes each that take turns. Target: @farebox/client and its operations at most 1.3 of openapi-fetch.`,
  )
  const figure = (value: number, digits: number) => Number(value.toFixed(digits))
  const table = rows.map((row) => [
    row.name,
    { ms: figure(row.ms, 1), median: figure(row.median, 1), 'to openapi-fetch': figure(row.ratio, 2) },
  ])
  showTable(Object.fromEntries(table), save && 'client-imports')
  return rows
    .filter(({ name }) => name.startsWith('@farebox/client'))
    .map(({ name, ratio }) => ({ what: `the import of ${name}`, found: ratio, most: 1.3 }))
}
