import { markdownText, sarifFile, sarifLog, workflowCommand, type Change } from '@farebox/spec-diff'
import type { Impact, Touch } from '../find/find-impact.js'

export const formats = ['text', 'markdown', 'json', 'sarif', 'github'] as const
export type Format = (typeof formats)[number]

/** The impact in a format. `version` is that of this tool. */
export function report(impact: Impact, format: Format, version: string): string {
  if (format === 'text') return formatTextReport(impact)
  if (format === 'markdown') return formatMarkdownReport(impact)
  if (format === 'sarif') return formatSarifReport(impact, version)
  if (format === 'github') return formatGithubReport(impact)
  return JSON.stringify(
    {
      touches: impact.touches.map(toRow),
      untouched: listUntouched(impact).map(({ id }) => id),
      changes: impact.changes,
    },
    undefined,
    2,
  )
}

function toRow({ change, ...place }: Touch) {
  return { change: change.id, ...place }
}

export type Group = { readonly change: Change; readonly touches: readonly Touch[] }

/** The changes that touch code, the one with the most places first. */
function groupTouches({ touches, changes }: Impact): readonly Group[] {
  return changes
    .map((change) => ({ change, touches: touches.filter((touch) => touch.change === change) }))
    .filter((group) => group.touches.length > 0)
    .toSorted((one, other) => other.touches.length - one.touches.length)
}

/** The changes that touch no code. */
function listUntouched({ touches, changes }: Impact): readonly Change[] {
  const touched = new Set(touches.map(({ change }) => change))
  return changes.filter((change) => !touched.has(change))
}

/** The counts in one sentence. */
function summarize({ touches, changes }: Impact): string {
  const breaking = touches.filter(({ compiler }) => compiler).length
  const files = new Set(touches.map(({ file }) => file)).size
  if (touches.length === 0)
    return `None of ${formatCount(changes.length, 'change')} touches this code.`
  return `${formatCount(touches.length, 'place')} in ${formatCount(files, 'file')}: ${breaking} break the compile, ${touches.length - breaking} the compiler does not report.`
}

/** The effect on a place. */
function describeKind({ compiler }: Touch): string {
  return compiler ? 'breaks compile' : 'compiler does not report'
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** For a terminal: each place with its line of code, then the counts by change. */
function formatTextReport(impact: Impact): string {
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

/** The maximum number of listed places for each change. */
const maxPlaces = 50

/** The body of a pull request. */
export function formatMarkdownReport(impact: Impact): string {
  const sections = groupTouches(impact).map(({ change, touches }) => {
    const more =
      touches.length > maxPlaces
        ? [`- and ${formatCount(touches.length - maxPlaces, 'more place')}`]
        : []
    return [
      `### ${markdownText(change.sentence)} (${touches.length})`,
      '',
      ...touches.slice(0, maxPlaces).map(formatItem),
      ...more,
      '',
    ].join('\n')
  })
  const rest = listUntouched(impact)
  const folded =
    rest.length === 0
      ? []
      : [
          `<details><summary>${formatCount(rest.length, 'change')} without a place in this code</summary>\n`,
          ...rest.map(({ sentence }) => `- ${markdownText(sentence)}`),
          '\n</details>\n',
        ]
  return [`## ${summarize(impact)}`, '', ...sections, ...folded].join('\n')
}

function formatItem(touch: Touch): string {
  return `- \`${touch.file}:${touch.line}\` ${describeKind(touch)}: ${formatCodeSpan(touch.text.trim())}`
}

/** A code span, with more backticks than the code contains. */
function formatCodeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${text} ${fence}`
}

/** For code scanning. */
function formatSarifReport({ touches }: Impact, version: string): string {
  return sarifLog(touches, {
    tool: 'impact',
    version,
    print: toSarifResult,
    readCode: ({ change }) => change.code,
  })
}

function toSarifResult(touch: Touch) {
  const { change, file, line, column, endColumn, text, compiler } = touch
  return {
    level: compiler ? 'error' : 'warning',
    message: { text: `${change.sentence}. ${describeKind(touch)}` },
    locations: [
      {
        physicalLocation: sarifFile(file, {
          startLine: line,
          startColumn: column,
          endColumn,
          snippet: { text },
        }),
      },
    ],
    // the line's text keeps a result the same when lines above it change
    partialFingerprints: { 'contractImpact/v1': `${change.id} ${text.trim()}` },
  }
}

/** Workflow commands, which GitHub shows as annotations of the touched lines. */
function formatGithubReport({ touches }: Impact): string {
  return touches.map(formatAnnotation).join('\n')
}

function formatAnnotation(touch: Touch): string {
  const { change, compiler, ...place } = touch
  const message = `${change.sentence}. ${describeKind(touch)} (${change.id})`
  return workflowCommand({
    level: compiler ? 'error' : 'warning',
    place,
    title: change.code,
    message,
  })
}
