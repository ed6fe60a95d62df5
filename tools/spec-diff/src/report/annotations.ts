import type { Change } from '../change.js'
import { strictest, type Verdict } from '../verdict.js'
import { workflowCommand, type WorkflowCommand } from './for-github.js'
import { formatWitness } from './group.js'

const levels: Readonly<Record<Verdict, WorkflowCommand['level']>> = {
  major: 'error',
  minor: 'warning',
  patch: 'notice',
  none: 'notice',
}

/** Workflow commands, which GitHub shows as annotations of the changed lines. */
export function annotations(changes: readonly Change[]): string {
  return changes.map(annotation).join('\n')
}

function annotation(change: Change): string {
  const witness = formatWitness(change)
  const message = `${change.sentence}.${witness === undefined ? '' : ` ${witness}.`} (${change.id})`
  return workflowCommand({
    level: levels[strictest(change.verdicts)],
    place: change.place,
    title: change.code,
    message,
  })
}
