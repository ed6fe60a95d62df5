import { spawnSync } from 'node:child_process'
import { median } from '../rounds.js'
import { showTable } from '../show-table.js'
import type { Limit, Setup } from './setup.js'

const processes = 41

/**
 * The processor time to import each package, in a process of its own each time: other work of the
 * machine makes a wait longer, and hardly the work. The lower quartile counts, since what disturbs
 * a process only adds, and the least of all is chance.
 */
export function importTimes({ place, openai, save }: Setup): readonly Limit[] {
  const modules = {
    'openapi-fetch': 'openapi-fetch',
    '@farebox/client': '@farebox/client',
    '@farebox/client/operations': '@farebox/client/operations',
    farebox: 'farebox',
    openai,
  }
  const parties = Object.entries(modules).map(([name, module]) => ({
    name,
    module,
    times: [] as number[],
  }))
  for (let round = 0; round < processes; round++) {
    for (const { module, times } of parties) {
      const source = `const start = process.cpuUsage(); await import(${JSON.stringify(module)}); const { user, system } = process.cpuUsage(start); console.log((user + system) / 1000)`
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
        cwd: place,
        encoding: 'utf8',
      })
      times.push(Number(stdout))
    }
  }
  const rows = parties.map(({ name, times }) => ({
    name,
    ms: lowerQuartile(times),
    median: median(times),
  }))
  const base = rows[0]?.ms ?? NaN
  console.log(
    `Processor time to import, as published, lower quartile of ${processes} processes each that take turns. Target: @farebox/client and its operations at most 1.3 of openapi-fetch.`,
  )
  const figure = (value: number, digits: number) => Number(value.toFixed(digits))
  const table = rows.map((row) => [
    row.name,
    {
      ms: figure(row.ms, 1),
      median: figure(row.median, 1),
      'to openapi-fetch': figure(row.ms / base, 2),
    },
  ])
  showTable(Object.fromEntries(table), save && 'client-imports')
  return rows
    .filter(({ name }) => name.startsWith('@farebox/client'))
    .map(({ name, ms }) => ({ what: `the import of ${name}`, found: ms / base, most: 1.3 }))
}

function lowerQuartile(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 2] ?? NaN
}
