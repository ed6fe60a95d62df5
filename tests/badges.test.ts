import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { renderBadge } from '@farebox/release/badges'
import { listReadmeFigures } from '@farebox/release/list-published'
import { root } from './tree.js'

type Table = Readonly<Record<string, Readonly<Record<string, number>>>>

const readText = (path: string) => readFileSync(join(root, path), 'utf8')
const readResults = (name: string) =>
  JSON.parse(readText(`tools/internal/bench/results/${name}.json`)) as Table

/** The values of a column: ours, then the best of the others. */
function findOursAndNext(
  table: Table,
  column: string,
  better: (...values: number[]) => number,
  rows = /./,
): readonly [number, number] {
  const values = Object.entries(table).filter(
    ([name, cells]) => rows.test(name) && cells[column] !== undefined,
  )
  const [ours, others] = [true, false].map((isOurs) =>
    values
      .filter(([name]) => /^farebox/i.test(name) === isOurs)
      .map(([, cells]) => cells[column] ?? 0),
  )
  return [better(...(ours ?? [])), better(...(others ?? []))]
}

it('a badge is readable by a screen reader', () => {
  expect(renderBadge({ file: 'a.svg', subject: 'node', fact: 'v20' })).toContain(
    'role="img" aria-label="node: v20"',
  )
})

it('the README states the measured reasons', () => {
  const [faults, nextFaults] = findOursAndNext(readResults('faults'), 'right, of 84', Math.max)
  const [right, nextRight] = findOursAndNext(
    readResults('verdicts-draft2020-12'),
    'right, %',
    Math.max,
  )
  const [cpu, nextCpu] = findOursAndNext(readResults('codegen'), 'user CPU, s', Math.min, /client/)
  const size = listReadmeFigures().find(({ name }) => name === 'farebox')?.kilobytes
  const openai = (readResults('client-sizes')['openai']?.['compressed'] ?? 0) / 1000
  const rows = readText('README.md').split('\n')
  const row = (start: string) => rows.find((line) => line.startsWith(`| ${start}`))
  expect(row('Network and service failures')).toContain(`| ${faults} of 84 | ${nextFaults} `)
  expect(row("JSON Schema's own test suite")).toContain(
    `| ${right.toFixed(1)} % | ${nextRight.toFixed(1)} % `,
  )
  expect(row('Processor time to generate')).toContain(
    `| ${cpu.toFixed(1)} s | ${nextCpu.toFixed(1)} s `,
  )
  expect(row('The whole SDK')).toContain(`| ${size} kB | ${openai.toFixed(1)} kB (openai) |`)
})
