import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Group } from './groups.js'
import { root } from '../root.js'

/** A group that a commit runs, and whether the commit changed what it reads. */
export type ChosenGroup = { readonly group: Group; readonly isDue: boolean }

/**
 * The groups in the order in which a commit runs them, while there is time: first those whose
 * inputs it changed, the shortest of them first, then the others, from another one on for each
 * commit. A commit needs nothing but npm, so groups that install Debian packages are left out.
 */
export function chooseGroups(
  groups: readonly Group[],
  isChanged: (inputs: readonly string[]) => boolean,
  seed: number,
): readonly ChosenGroup[] {
  const possible = groups.filter(({ needsDebian }) => needsDebian !== true)
  const due = possible
    .filter(({ inputs }) => isChanged(inputs))
    .toSorted((one, other) => one.seconds - other.seconds)
  const others = possible.filter((group) => !due.includes(group))
  const from = others.length === 0 ? 0 : seed % others.length
  const turned = [...others.slice(from), ...others.slice(0, from)]
  return [
    ...due.map((group) => ({ group, isDue: true })),
    ...turned.map((group) => ({ group, isDue: false })),
  ]
}

/**
 * The next group of a whole run of two at a time, which take from the two ends of the list, or
 * undefined while each that is left is in the way of one that runs.
 */
export function takeNext(
  left: Group[],
  running: readonly Group[],
  isLast: boolean,
): Group | undefined {
  const isFree = (group: Group): boolean => !running.some((other) => areInConflict(group, other))
  const next = isLast ? left.findLast(isFree) : left.find(isFree)
  if (next !== undefined) left.splice(left.indexOf(next), 1)
  return next
}

/** Packages of Debian are installed by one at a time. */
function areInConflict(one: Group, other: Group): boolean {
  return (
    (one.needsDebian === true && other.needsDebian === true) ||
    (one.writesTo !== undefined && one.writesTo === other.writesTo)
  )
}

type SavedProgress = { readonly tree: string; readonly passed: readonly string[] }

/** The groups that passed on this tree as it is: a whole run goes on where it was interrupted. */
export function readPassed(file: string): readonly string[] {
  try {
    const { tree, passed } = JSON.parse(readFileSync(file, 'utf8')) as SavedProgress
    return tree === hashTree() ? passed : []
  } catch {
    return []
  }
}

export function writePassed(file: string, passed: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ tree: hashTree(), passed } satisfies SavedProgress))
}

/** What is committed and what is not. */
function hashTree(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return createHash('sha256')
    .update(git('rev-parse', 'HEAD'))
    .update(git('diff', 'HEAD'))
    .digest('hex')
}
