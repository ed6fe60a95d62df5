import type { Change } from '@farebox/spec-diff'
import type { Fixes } from '../fix/find-fixes.js'
import { rewrite } from '../fix/rewrite.js'
import type { Rewritten } from '../fix/unified-diff.js'

/** The files after a commit, and its message. */
export type FixCommit = {
  readonly files: readonly Rewritten[]
  readonly subject: string
  readonly reasons: readonly string[]
}

/** A commit for each change with edits. Each has the edits of those before it as well. */
export function planCommits({ edits }: Fixes, cwd: string): readonly FixCommit[] {
  const changes = [...new Set(edits.map(({ change }) => change))]
  return changes.map((change, index) => {
    const soFar = new Set(changes.slice(0, index + 1))
    const own = edits.filter((edit) => edit.change === change)
    return {
      files: rewrite(
        edits.filter((edit) => soFar.has(edit.change)),
        cwd,
      ),
      subject: commitSubject(change),
      reasons: [...new Set(own.map(({ reason }) => reason)), '', change.id],
    }
  })
}

/** One line, which ends in time for a list of commits. */
function commitSubject({ sentence }: Change): string {
  const text = `Fix: ${sentence}`.replaceAll(/\s+/g, ' ')
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
