import type { Schema } from '@farebox/codegen'
import { compareKinds } from './compare-kinds.js'
import { compareNotes } from './compare-notes.js'
import { compareOptions } from './compare-options.js'
import type { Resolve } from './side.js'
import { tell, type Setting } from './tell.js'

/**
 * Tells how the values of a schema changed, place by place. Says true when it told of any change of the set of values; what it cannot name it
 * tells as a changed rule, never nothing.
 */
export function compareSchema(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  if (base.kind !== 'ref' || head.kind !== 'ref') return compareHere(base, head, where, setting)
  if (base.name !== head.name) return once(base.name, head.name, setting, () => compareHere(base, head, where, setting))
  compareNotes(base, head, where, setting)
  // what changed in a named schema is told once, by its name, whoever uses it
  return once(base.name, head.name, setting, () =>
    compareSchema(setting.base.resolve(base.name), setting.head.resolve(head.name), head.name, setting),
  )
}

/**
 * Compares two names, or two options that may be reached by several names, once for an operation
 * and a way that values go. In a circle the second visit tells nothing more.
 */
export function once<T extends string | Schema>(
  base: T,
  head: T,
  { ledger, direction, operation }: Setting,
  compare: () => boolean,
): boolean {
  const pairs = ledger.compared(`${direction} ${operation ?? ''}`)
  const known = pairs.get(base) ?? new Map<unknown, boolean>()
  pairs.set(base, known)
  const found = known.get(head)
  if (found !== undefined) return found
  known.set(head, false)
  const told = compare()
  known.set(head, told)
  return told
}

function compareHere(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  compareNotes(through(base, setting.base.resolve), through(head, setting.head.resolve), where, setting)
  const [before, after] = [setting.base.shape(base), setting.head.shape(head)]
  const [one, other] = [before.options[0], after.options[0]]
  const isNull =
    before.nullable !== after.nullable &&
    tell(setting, after.nullable ? 'null-added' : 'null-removed', `${where} ${after.nullable ? 'may be null' : 'is never null'} now`, head)
  const isOther =
    one && other && before.options.length === 1 && after.options.length === 1
      ? compareKinds(one, other, where, setting)
      : compareOptions(before, after, head, where, setting)
  return isNull || isOther
}

/** Where a reference leads, for its notes; those beside the reference win. */
function through(schema: Schema, resolve: Resolve): Schema {
  let found = schema
  for (let depth = 0; found.kind === 'ref' && depth < 50; depth++) found = resolve(found.name)
  return { ...found, notes: { ...found.notes, ...schema.notes, origin: schema.notes.origin } }
}
