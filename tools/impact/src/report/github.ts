import type { Impact, Touch } from '../find-impact.js'
import { kindOf } from './summary.js'

/** Workflow commands, which GitHub shows as annotations of the touched lines. */
export function githubReport({ touches }: Impact): string {
  return touches.map(annotation).join('\n')
}

function annotation(touch: Touch): string {
  const { change, file, line, column, endColumn, compiler } = touch
  const place = `file=${property(file)},line=${line},col=${column},endColumn=${endColumn},title=${property(change.code)}`
  return `::${compiler ? 'error' : 'warning'} ${place}::${data(`${change.sentence}. ${kindOf(touch)} (${change.id})`)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
