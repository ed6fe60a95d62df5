import type { Of } from '@farebox/codegen'
import { compareBounds } from './compare-bounds.js'
import type { Side } from './side.js'
import { noteChange, type Setting } from './note-change.js'

type ArraySchema = Of<'array'>

/** Reports how the elements of an array and the rules for them changed. */
export function compareArray(
  base: ArraySchema,
  head: ArraySchema,
  where: string,
  setting: Setting,
): boolean {
  const found = [
    setting.compare(base.items, head.items, `${where}[]`, setting),
    compareBounds(base, head, where, setting),
  ]
  const length = Math.max(base.prefix.length, head.prefix.length)
  for (let index = 0; index < length; index++) {
    found.push(
      setting.compare(
        base.prefix[index] ?? base.items,
        head.prefix[index] ?? head.items,
        `${where}[${index}]`,
        setting,
      ),
    )
  }
  const [from, to] = [listRules(base, setting.base), listRules(head, setting.head)]
  for (const [index, rule] of to.entries()) {
    const before = from[index]
    if (before === rule) continue
    const suffix =
      before === undefined ? 'rule-added' : rule === undefined ? 'rule-removed' : 'rule-changed'
    found.push(noteChange(setting, suffix, `${where} has another rule for its elements now`, head))
  }
  return found.some(Boolean)
}

/** Rules without a change code of their own, each as text. */
function listRules(
  { unique, contains, unevaluated }: ArraySchema,
  { meaning }: Side,
): readonly (string | undefined)[] {
  return [
    unique ? 'unique' : undefined,
    contains && JSON.stringify([contains.min, contains.max, meaning(contains.schema)]),
    // elements that match `contains` count as evaluated
    unevaluated && JSON.stringify([meaning(unevaluated), contains && meaning(contains.schema)]),
  ]
}
