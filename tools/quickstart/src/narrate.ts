/** Prints one numbered step: its title at once, its outcome and time when it is done. */
export async function step<T>(title: string, work: () => Promise<T>, outcome: (value: T) => string): Promise<T> {
  const start = performance.now()
  const terminal = process.stdout.isTTY
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`
  process.stdout.write(`  ${title} ... `)
  const ticker = terminal ? setInterval(() => process.stdout.write(`\r  ${title} ... ${seconds()}`), 100) : undefined
  try {
    const value = await work()
    print(`${terminal ? `\r  ${title} ... ` : ''}done in ${seconds()}`)
    for (const line of outcome(value).split('\n')) print(`      ${line}`)
    return value
  } finally {
    clearInterval(ticker)
  }
}

/** A table of text, its last columns of numbers aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const numeric = (column: number) => rows.length > 0 && rows.every((row) => /^[-+]?\d+(\.\d+)?$/.test(row[column] ?? ''))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (numeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
