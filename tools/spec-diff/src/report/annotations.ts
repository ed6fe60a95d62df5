import type { Change } from '../change.js'
import { strictest, type Verdict } from '../verdict.js'
import { witnessIn } from './group.js'

const commands: Readonly<Record<Verdict, string>> = { major: 'error', minor: 'warning', patch: 'notice', none: 'notice' }

/** Workflow commands, which GitHub shows as annotations of the changed lines. */
export function annotations(changes: readonly Change[]): string {
  return changes.map(annotation).join('\n')
}

function annotation(change: Change): string {
  const { file, line, column } = change.place
  const witness = witnessIn(change)
  const message = `${change.sentence}.${witness === undefined ? '' : ` ${witness}.`} (${change.id})`
  const properties = `file=${property(file)},line=${line},col=${column},title=${property(change.code)}`
  return `::${commands[strictest(change.verdicts)]} ${properties}::${data(message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
