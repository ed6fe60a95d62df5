import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { installPacked } from '@farebox/release/install-packed'
import { isRight, play, scenarios, type Make, type Scenario } from '@farebox/testing/fault-server'
import { cache } from '@farebox/testing/install-package'
import { createMakers } from './faults/makers.js'
import { showTable } from './measure.js'

/** Scenarios that run at the same time. */
const workers = 6

/** Plays every scenario to every client. The exit code is 0 when ours does right in all of them. */
export async function benchmarkFaults(args: Arguments): Promise<void> {
  const place = join(cache, 'faults')
  await installPacked(place)
  // some clients leave rejections behind that no caller can catch; they show in the counts
  process.on('unhandledRejection', () => undefined)
  process.on('warning', () => undefined).removeAllListeners('warning')

  const makers = Object.entries(createMakers(place))
  const names = makers.map(([name]) => name)
  const rows = await playScenarios(makers.map(([, make]) => make))
  const rights = names.map((_, column) => rows.filter((row) => row[column] === 'right').length)
  const width = Math.max(...scenarios.map(({ title }) => title.length))
  const line = (title: string, cells: readonly string[]): string =>
    `${title.padEnd(width)}  ${cells.map((cell) => cell.padEnd(20)).join('')}`.trimEnd()
  console.log(line('', names))
  for (const [index, { title }] of scenarios.entries()) console.log(line(title, rows[index] ?? []))
  const right = `right, of ${scenarios.length}`
  showTable(
    Object.fromEntries(names.map((name, column) => [name, { [right]: rights[column] ?? 0 }])),
    args.has('save') && 'faults',
  )
  process.exit(rights[0] === scenarios.length ? 0 : 1)
}

/** A row for each scenario with a cell for each client. */
async function playScenarios(makers: readonly Make[]): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = []
  const numbered = [...scenarios.entries()]
  for (const [index, scenario] of numbered.filter(([, { heavy }]) => heavy)) {
    const row: string[] = []
    for (const make of makers) row.push(await runCell(scenario, make))
    rows[index] = row
  }
  const light = numbered.filter(([, { heavy }]) => !heavy).values()
  const work = async (): Promise<void> => {
    for (const [index, scenario] of light)
      rows[index] = await Promise.all(makers.map((make) => runCell(scenario, make)))
  }
  await Promise.all(Array.from({ length: workers }, work))
  return rows
}

async function runCell(scenario: Scenario, make: Make): Promise<string> {
  const seen = await play(scenario, make)
  if (isRight(scenario, seen)) return 'right'
  const { heard, outcome, ms, leaks } = seen
  const end = outcome === 'still waiting' ? 'no end' : outcome
  return `${heard.length}x ${end} ${(ms / 1000).toFixed(1)}s${leaks > 0 ? ` +${leaks}` : ''}`
}
