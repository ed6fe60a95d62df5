/** What `bench NAME --save` wrote: a row for each project, a number for each column. */
type Table = Readonly<Record<string, Readonly<Record<string, number>>>>

export type Bar = { readonly label: string; readonly value: number; readonly ours: boolean; readonly best: boolean }

const files = import.meta.glob<Table>('../../../../tools/bench/results/*.json', { eager: true, import: 'default' })

export function measured(name: string): Table {
  const table = files[`../../../../tools/bench/results/${name}.json`]
  if (table === undefined) throw new Error(`tools/bench/results/${name}.json is not there. pnpm bench writes it with --save.`)
  return table
}

/** One column of a table, best first. `isShown` chooses rows by their names. */
export function barsOf(name: string, column: string, better: 'more' | 'less', isShown: (label: string) => boolean): readonly Bar[] {
  const sign = better === 'more' ? -1 : 1
  const found = Object.entries(measured(name))
    .filter(([label, cells]) => isShown(label) && cells[column] !== undefined)
    .map(([label, cells]) => ({ label, value: cells[column] ?? 0 }))
    .toSorted((one, other) => sign * (one.value - other.value))
  return found.map(({ label, value }) => ({
    label: label.replace(/^farebox\b/, 'Farebox'),
    value,
    ours: /^farebox\b/i.test(label),
    best: value === found[0]?.value,
  }))
}
