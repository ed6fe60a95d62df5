import type { Change } from '../change/change.js'
import { strictest, type Verdict } from '../change/verdict.js'
import { formatWitness } from './group.js'

const levels: Readonly<Record<Verdict, WorkflowCommand['level']>> = {
  major: 'error',
  minor: 'warning',
  patch: 'notice',
  none: 'notice',
}

/** Workflow commands, which GitHub shows as annotations of the changed lines. */
export function formatAnnotations(changes: readonly Change[]): string {
  return changes.map(formatAnnotation).join('\n')
}

function formatAnnotation(change: Change): string {
  const witness = formatWitness(change)
  const message = `${change.sentence}.${witness === undefined ? '' : ` ${witness}.`} (${change.id})`
  return workflowCommand({
    level: levels[strictest(change.verdicts)],
    place: change.place,
    title: change.code,
    message,
  })
}

/** An annotation of a line on GitHub. */
export type WorkflowCommand = {
  readonly level: 'error' | 'warning' | 'notice'
  readonly place: {
    readonly file: string
    readonly line: number
    readonly column: number
    readonly endColumn?: number
  }
  readonly title: string
  readonly message: string
}

/** The command by which a workflow of GitHub annotates a line. */
export function workflowCommand({ level, place, title, message }: WorkflowCommand): string {
  const { file, line, column, endColumn } = place
  const end = endColumn === undefined ? '' : `,endColumn=${endColumn}`
  return `::${level} file=${escapeProperty(file)},line=${line},col=${column}${end},title=${escapeProperty(title)}::${escapeData(message)}`
}

/** The text of a document as Markdown, without markup and without mentions. */
export function markdownText(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]<>#|~]/g, (mark) => `\\${mark}`)
    .replaceAll('@', '@<!-- -->')
    .replaceAll(/\s+/g, ' ')
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
