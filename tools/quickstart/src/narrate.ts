import { styleText } from 'node:util'
import { createNarrator } from '@farebox/command-line/narration'

export const { print, step } = createNarrator(process.stdout, paint)

/** A table of text, its columns of numbers aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const numeric = (column: number) =>
    rows.length > 0 && rows.every((row) => /^[-+]?\d+(\.\d+)?$/.test(row[column] ?? ''))
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, column) => (numeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join('  ')}`.trimEnd()
  return [paint('dim', line(head)), ...rows.map(line)].join('\n')
}

/** Colours for a terminal that has them, or where FORCE_COLOR asks for them; none with NO_COLOR. */
export function paint(style: 'green' | 'red' | 'dim' | 'bold', text: string): string {
  return styleText(style, text, { stream: process.stdout })
}
