import type { Group } from './groups.js'

/** A group that a commit runs, and whether the commit changed what it reads. */
export type Chosen = { readonly group: Group; readonly isDue: boolean }

/**
 * The groups in the order in which a commit runs them, while there is time: first those whose
 * inputs it changed, the shortest of them first, then the others, from another one on for each
 * commit.
 */
export function chooseGroups(
  groups: readonly Group[],
  isChanged: (inputs: readonly string[]) => boolean,
  seed: number,
): readonly Chosen[] {
  const due = groups
    .filter(({ inputs }) => isChanged(inputs))
    .toSorted((one, other) => one.seconds - other.seconds)
  const others = groups.filter((group) => !due.includes(group))
  const from = others.length === 0 ? 0 : seed % others.length
  const turned = [...others.slice(from), ...others.slice(0, from)]
  return [
    ...due.map((group) => ({ group, isDue: true })),
    ...turned.map((group) => ({ group, isDue: false })),
  ]
}
