import { admits, type Of, type Schema } from '@farebox/codegen/model'
import { compareBounds } from './bounds.js'
import { compareObject } from './object.js'
import { match } from './options.js'
import { noteChange, describeSchema, toOwner, type Setting } from '../change/note.js'
import { findPossibleRenames, type LoneName } from '../change/possible-renames.js'
import type { Side } from '../difference/side.js'

/** Reports how one kind of values changed, or that another kind replaced it. */
export function compareKinds(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  if (base.kind === 'intersection' || head.kind === 'intersection')
    return compareParts(base, head, where, setting)
  if (base.kind === 'ref' || head.kind === 'ref') return setting.compare(base, head, where, setting)
  return base.kind === head.kind
    ? compareSameKind(base, head, where, setting)
    : compareOthers(base, head, where, setting)
}

/** Compares two schemas of one kind. */
function compareSameKind(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  if (base.kind === 'object' && head.kind === 'object')
    return compareObject(base, head, where, setting)
  if (base.kind === 'array' && head.kind === 'array')
    return compareArray(base, head, where, setting)
  if (base.kind === 'enum' && head.kind === 'enum') return compareEnum(base, head, where, setting)
  if (base.kind === 'number' && head.kind === 'number' && base.integer !== head.integer) {
    const changed = noteChange(
      setting,
      head.integer ? 'type-narrowed' : 'type-widened',
      `${where} is ${head.integer ? 'a whole' : 'any'} number now`,
      head,
      { from: describeSchema(base), to: describeSchema(head) },
    )
    return compareBounds(base, head, where, setting) || changed
  }
  if (!asRules.has(base.kind)) {
    if (base.kind === 'string' && head.kind === 'string') compareContent(base, head, where, setting)
    return compareBounds(base, head, where, setting)
  }
  if (setting.base.meaning(base) === setting.head.meaning(head)) return false
  return noteChange(setting, 'rule-changed', `${where} has another rule now`, head)
}

/** The content of a string does not affect its validity (JSON Schema 2020-12, validation, 8.5). */
function compareContent(
  base: Of<'string'>,
  head: Of<'string'>,
  where: string,
  setting: Setting,
): void {
  const describeContent = ({ content, encoding }: Of<'string'>, side: Side) =>
    `${encoding ?? ''} ${content ? side.meaning(content) : ''}`
  if (describeContent(base, setting.base) === describeContent(head, setting.head)) return
  const spot = { side: 'head', origin: head.notes.origin } as const
  setting.changes.note(
    'content-changed',
    `${where}: the content of the text is described otherwise now`,
    spot,
    {
      direction: setting.direction,
      ...toOwner(setting),
    },
  )
}

/** Kinds that are compared as a whole: the effect of one part on the set of values is not clear. */
const asRules = new Set<Schema['kind']>(['not', 'conditional', 'unevaluated'])

function compareOthers(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  const [from, to] = [describeSchema(base), describeSchema(head)]
  const became = `${where} was ${from} and is ${to} now`
  if (base.kind === 'any' || head.kind === 'never')
    return noteChange(setting, 'type-narrowed', became, head, { from, to })
  if (head.kind === 'any' || base.kind === 'never')
    return noteChange(setting, 'type-widened', became, head, { from, to })
  if (base.kind === 'enum' && takesAll(head, base, setting.head))
    return noteChange(
      setting,
      'type-widened',
      `${where} was an enum and may be ${to} of any kind now`,
      head,
      {
        from: base.values,
        to,
      },
    )
  if (head.kind === 'enum' && takesAll(base, head, setting.base))
    return noteChange(
      setting,
      'type-narrowed',
      `${where} was ${from} of any kind and is an enum now`,
      head,
      {
        from,
        to: head.values,
      },
    )
  return noteChange(setting, 'type-changed', became, head, { from, to })
}

function takesAll(schema: Schema, { values }: Of<'enum'>, { resolve }: Side): boolean {
  return values.every((value) => admits(schema, value, resolve))
}

/** Parts that all must hold: an added one rejects values, a removed one accepts more. */
function compareParts(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  const { pairs, added, removed } = match(listParts(base), listParts(head), setting)
  const found = pairs.map(([one, other]) => setting.compare(one, other, where, setting))
  if (added.length > 0)
    found.push(
      noteChange(setting, 'rule-added', `${where} has one more rule now`, added[0] ?? head),
    )
  if (removed.length > 0)
    found.push(
      noteChange(
        setting,
        'rule-removed',
        `${where} has one rule fewer now`,
        head,
        removed[0] && { gone: removed[0] },
      ),
    )
  return found.some(Boolean)
}

function listParts(schema: Schema): readonly Schema[] {
  return schema.kind === 'intersection' ? schema.parts : [schema]
}

function compareEnum(base: Of<'enum'>, head: Of<'enum'>, where: string, setting: Setting): boolean {
  const toStrings = (values: Of<'enum'>['values']) => values.map((value) => JSON.stringify(value))
  const [from, to] = [toStrings(base.values), toStrings(head.values)]
  const added = to.filter((value) => !from.includes(value))
  const removed = from.filter((value) => !to.includes(value))
  const list = (values: readonly string[]) =>
    values.length > 5
      ? `${values.slice(0, 5).join(', ')} and ${values.length - 5} more`
      : values.join(', ')
  const values = { from: base.values, to: head.values }
  const wider =
    added.length > 0 &&
    noteChange(setting, 'enum-widened', `${where} may also be ${list(added)} now`, head, values)
  if (removed.length === 0) return wider
  const [gone, fresh] = [listLoneValues(base, head), listLoneValues(head, base)]
  const renames = findPossibleRenames({ kind: 'value', owner: where }, gone, fresh)
  const narrowed = { ...values, possibleRenames: gone.flatMap(({ name }) => renames(name)) }
  return noteChange(
    setting,
    'enum-narrowed',
    `${where} can no longer be ${list(removed)}`,
    head,
    narrowed,
  )
}

/** The strings and numbers that the other list lacks. */
function listLoneValues({ values, notes }: Of<'enum'>, other: Of<'enum'>): readonly LoneName[] {
  return values.flatMap((name) =>
    (typeof name === 'string' || typeof name === 'number') && !other.values.includes(name)
      ? [
          {
            name,
            shape: typeof name,
            origin: notes.origin,
            renamedFrom: notes.renamedValues?.[String(name)],
          },
        ]
      : [],
  )
}

type ArraySchema = Of<'array'>

/** Reports how the elements of an array and the rules for them changed. */
function compareArray(
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
