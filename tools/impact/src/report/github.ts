import { workflowCommand } from '@farebox/spec-diff'
import type { Impact, Touch } from '../find-impact.js'
import { describeKind } from './summary.js'

/** Workflow commands, which GitHub shows as annotations of the touched lines. */
export function githubReport({ touches }: Impact): string {
  return touches.map(annotation).join('\n')
}

function annotation(touch: Touch): string {
  const { change, compiler, ...place } = touch
  const message = `${change.sentence}. ${describeKind(touch)} (${change.id})`
  return workflowCommand({
    level: compiler ? 'error' : 'warning',
    place,
    title: change.code,
    message,
  })
}
