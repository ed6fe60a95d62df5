import type { Change } from '@farebox/spec-diff'
import type { Impact, Touch } from '../find-impact.js'

export type Group = { readonly change: Change; readonly touches: readonly Touch[] }

/** The changes that touch code, the one with the most places first. */
export function groupTouches({ touches, changes }: Impact): readonly Group[] {
  return changes
    .map((change) => ({ change, touches: touches.filter((touch) => touch.change === change) }))
    .filter((group) => group.touches.length > 0)
    .toSorted((one, other) => other.touches.length - one.touches.length)
}

/** The changes that touch no code. */
export function listUntouched({ touches, changes }: Impact): readonly Change[] {
  const touched = new Set(touches.map(({ change }) => change))
  return changes.filter((change) => !touched.has(change))
}

/** The counts in one sentence. */
export function summarize({ touches, changes }: Impact): string {
  const breaking = touches.filter(({ compiler }) => compiler).length
  const files = new Set(touches.map(({ file }) => file)).size
  if (touches.length === 0) return `None of ${counted(changes.length, 'change')} touches this code.`
  return `${counted(touches.length, 'place')} in ${counted(files, 'file')}: ${breaking} break the compile, ${touches.length - breaking} the compiler does not report.`
}

/** What becomes of a place. */
export function describeKind({ compiler }: Touch): string {
  return compiler ? 'breaks compile' : 'compiler does not report'
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
