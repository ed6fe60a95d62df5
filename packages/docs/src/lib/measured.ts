/** What `bench NAME --save` wrote: a row for each project, a number for each column. */
type Table = Readonly<Record<string, Readonly<Record<string, number>>>>

export type Bar = {
  readonly label: string
  readonly value: number
  readonly ours: boolean
  readonly best: boolean
}

const files = import.meta.glob<Table>('../../../../tools/internal/bench/results/*.json', {
  eager: true,
  import: 'default',
})

/** Whether the measurement was kept. */
export function isMeasured(name: string): boolean {
  return findTable(name) !== undefined
}

export function readTable(name: string): Table {
  const table = findTable(name)
  if (table === undefined)
    throw new Error(
      `tools/internal/bench/results/${name}.json is not there. pnpm bench writes it with --save.`,
    )
  return table
}

function findTable(name: string): Table | undefined {
  return files[`../../../../tools/internal/bench/results/${name}.json`]
}

/** One column of a table, best first. `isShown` chooses rows by their names. */
export function listBars(
  name: string,
  column: string,
  better: 'more' | 'less',
  isShown: (label: string) => boolean,
): readonly Bar[] {
  const sign = better === 'more' ? -1 : 1
  const rows = Object.entries(readTable(name))
    .filter(([label, cells]) => isShown(label) && cells[column] !== undefined)
    .map(([label, cells]) => ({ label, value: cells[column] ?? 0 }))
    .toSorted((one, other) => sign * (one.value - other.value))
  return rows.map(({ label, value }) => ({
    label: formatLabel(label),
    value,
    ours: /^@?farebox\b/i.test(label),
    best: value === rows[0]?.value,
  }))
}

/** The name of the project as people write it; what one types stays as it is. */
export function formatLabel(label: string): string {
  return label.replace(/^farebox$/, 'Farebox')
}

/** One number that was kept, as a sentence has it: with `digits` after the point. */
export function figure(name: string, row: string, column: string, digits?: number): string {
  const value = readTable(name)[row]?.[column]
  if (value === undefined)
    throw new Error(`tools/internal/bench/results/${name}.json has no ${column} of "${row}".`)
  return formatNumber(value, digits)
}

/** Our number in a column and the best of the others, as a sentence has them. */
export function oursAndNext(
  name: string,
  column: string,
  better: 'more' | 'less',
  { only = '', digits }: { readonly only?: string; readonly digits?: number } = {},
): { readonly ours: string; readonly next: string; readonly ratio: string } {
  const bars = listBars(name, column, better, (label) => label.includes(only))
  const ours = bars.find((bar) => bar.ours)
  const next = bars.find((bar) => !bar.ours)
  if (ours === undefined || next === undefined)
    throw new Error(`tools/internal/bench/results/${name}.json compares nothing in ${column}.`)
  return {
    ours: formatNumber(ours.value, digits),
    next: formatNumber(next.value, digits),
    ratio: formatNumber(ours.value / next.value, 1),
  }
}

function formatNumber(value: number, digits?: number): string {
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}
