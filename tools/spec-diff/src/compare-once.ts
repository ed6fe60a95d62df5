import type { Schema } from '@farebox/codegen'
import type { Setting } from './note-change.js'

/**
 * Compares two names, or two options that several names may reach, once for each operation and
 * direction. In a recursive schema the second visit finds no further change.
 */
export function compareOnce<T extends string | Schema>(
  base: T,
  head: T,
  { changes, direction, operation }: Setting,
  compare: () => boolean,
): boolean {
  const pairs = changes.compared(`${direction} ${operation ?? ''}`)
  const known = pairs.get(base) ?? new Map<unknown, boolean>()
  pairs.set(base, known)
  const found = known.get(head)
  if (found !== undefined) return found
  known.set(head, false)
  const changed = compare()
  known.set(head, changed)
  return changed
}
