import { compareContracts, withRenames, type PossibleRename } from '@farebox/spec-diff'
import { findUses, type ImpactOptions } from '../find-uses.js'
import { confirmedAt, type Ask } from './ask.js'
import { chosenFrom, excludes, collectPossibleRenames } from './possible-renames.js'

export type Confirmed = {
  /** The versions with the confirmed renames, as if the newer document stated them. */
  readonly places: ImpactOptions
  /** The unanswered ones, of names that the consumer's code has. */
  readonly open: readonly PossibleRename[]
  /** All possible renames. */
  readonly all: readonly PossibleRename[]
}

/**
 * Compares two versions with the possible renames that are confirmed: by `given`, and by a person
 * at a terminal. An unconfirmed one changes nothing.
 *
 * @throws UsageError if `given` names an unknown or an ambiguous one.
 */
export async function confirmRenames(
  { base, head, program }: Omit<ImpactOptions, 'changes'>,
  given: readonly string[],
  ask?: Ask,
): Promise<Confirmed> {
  const read = { base, head, program, changes: compareContracts(base, head) }
  const all = collectPossibleRenames(read.changes)
  const chosen = chosenFrom(all, given)
  const used = listUsed(read)
  const confirmed = [...chosen, ...(ask === undefined ? [] : await confirmedAt(ask, used, chosen))]
  const open =
    ask === undefined ? used.filter((one) => !confirmed.some((other) => excludes(one, other))) : []
  if (confirmed.length === 0) return { places: read, open, all }
  const stated = withRenames(head, confirmed)
  return {
    places: { base, head: stated, program, changes: compareContracts(base, stated) },
    open,
    all,
  }
}

/** The possible renames whose older name stands in the code. */
function listUsed(options: ImpactOptions): readonly PossibleRename[] {
  const asked = options.changes.filter(({ possibleRenames = [] }) => possibleRenames.length > 0)
  if (asked.length === 0) return []
  const touched = new Set(findUses(options).uses.map(({ target }) => target.change.id))
  return collectPossibleRenames(asked.filter(({ id }) => touched.has(id)))
}
