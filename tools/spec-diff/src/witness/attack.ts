import type { Schema } from '@farebox/codegen'
import { noteChange, type Setting } from '../note-change.js'

/**
 * Looks for a value that breaks a consumer although no rule says so. A rule may have a hole; a
 * value that one version accepts and the other refuses is a fact. Each pair is attacked once.
 */
export function attack(base: Schema, head: Schema, where: string, setting: Setting): void {
  const { changes, direction, operation } = setting
  const isProven =
    direction === 'request' ? setting.base.within(base, head) : setting.head.within(head, base)
  if (isProven) return
  // what breaks is known, and another operation with the same pair may still be attacked
  if (changes.reported(operation, direction, ({ zod }) => zod === 'major')) return
  const pairs = changes.compared(`attack ${direction}`)
  const known = pairs.get(base) ?? new Map<unknown, boolean>()
  pairs.set(base, known)
  if (known.has(head)) return
  known.set(head, true)
  const [before, after] = [
    { schema: base, resolve: setting.base.resolve },
    { schema: head, resolve: setting.head.resolve },
  ]
  // An open object that names one more property may refuse what it let pass: by convention this is
  // no break. So nothing is tried that only the newer schema names.
  const value =
    direction === 'request'
      ? changes.findWitness(before, after, 'accepting')
      : changes.findWitness(after, before, 'refusing')
  if (value !== undefined)
    noteChange(
      { ...setting, at: [base, head] },
      'values-changed',
      `${where} has other values now, as ${JSON.stringify(value)} shows`,
      head,
    )
}
