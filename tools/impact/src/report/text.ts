import type { Impact, Touch } from '../find-impact.js'
import { groupTouches, describeKind, summarize, listUntouched } from './summary.js'

/** For a terminal: each place with its line of code, then the counts by change. */
export function textReport(impact: Impact): string {
  const rows = groupTouches(impact).map(
    ({ change, touches }) =>
      `${String(touches.length).padStart(5)}  ${change.id}  ${change.sentence}`,
  )
  const rest = listUntouched(impact).map(({ id, sentence }) => `    0  ${id}  ${sentence}`)
  return [...impact.touches.map(frame), summarize(impact), ...rows, ...rest, ''].join('\n')
}

/** The line with a mark below the touched code. */
function frame(touch: Touch): string {
  const { file, line, column, endColumn, text, change } = touch
  const number = String(line)
  const mark = `${text.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')}${'^'.repeat(Math.max(1, endColumn - column))}`
  return [
    `${file}:${line}:${column} ${describeKind(touch)}`,
    `  ${change.sentence} (${change.id})`,
    `  ${number} | ${text}`,
    `  ${' '.repeat(number.length)} | ${mark}`,
    '',
  ].join('\n')
}
