import type { Schema } from '@farebox/codegen/model'
import { compareOnce, noteChange, describeSchema, type Setting } from '../change/note.js'
import type { Shape } from '../values/shape.js'
import type { Side } from '../difference/side.js'
import { signature } from '../values/signature.js'

/** Reports how the options of a choice changed. */
export function compareOptions(
  before: Shape,
  after: Shape,
  head: Schema,
  where: string,
  setting: Setting,
): boolean {
  if (before.options.length === 0 || after.options.length === 0) {
    if (before.options.length === after.options.length) return false
    return noteChange(
      setting,
      after.options.length > 0 ? 'type-widened' : 'type-narrowed',
      `${where} ${after.options.length > 0 ? 'may be' : 'can no longer be'} more than null`,
      head,
    )
  }
  const matched = match(before.options, after.options, setting)
  const changed = compareMatched(matched, where, setting, head)
  return compareExclusion(before, after, matched, where, setting, head) || changed
}

/**
 * An exclusive choice rejects values that two of its options accept. So an option that accepts more
 * may remove values, one that accepts less may add some, and any change breaks both directions.
 */
function compareExclusion(
  before: Shape,
  after: Shape,
  matched: MatchResult,
  where: string,
  setting: Setting,
  head: Schema,
): boolean {
  if (before.exactlyOne !== after.exactlyOne)
    return noteChange(
      setting,
      after.exactlyOne ? 'rule-added' : 'rule-removed',
      `${where} ${after.exactlyOne ? 'must be exactly one of its options now' : 'may fit several options at once now'}`,
      head,
    )
  const { pairs, added, removed } = matched
  const isSame = pairs.every(
    ([one, other]) => setting.base.within(one, other) && setting.head.within(other, one),
  )
  if (!before.exactlyOne || (isSame && added.length === 0 && removed.length === 0)) return false
  return noteChange(
    setting,
    'rule-changed',
    `${where} must be exactly one of its options, and they overlap in another way now`,
    head,
  )
}

type MatchResult = {
  readonly pairs: readonly (readonly [Schema, Schema])[]
  readonly added: readonly Schema[]
  readonly removed: readonly Schema[]
}

/**
 * Pairs schemas: first those with equal content, then the first of equal name or kind, then a named
 * one with an unnamed one of its kind.
 */
export function match(
  before: readonly Schema[],
  after: readonly Schema[],
  { base, head }: Setting,
): MatchResult {
  const pairs: (readonly [Schema, Schema])[] = []
  let [removed, added] = [before, after]
  for (const key of [signature, toShapeKey, toKindKey]) {
    const free = added.map((schema) => ({ schema, key: key(schema, head) }))
    const left: Schema[] = []
    for (const schema of removed) {
      const wanted = key(schema, base)
      const areNamed = (other: Schema) =>
        key === toKindKey && schema.kind === 'ref' && other.kind === 'ref'
      const at = free.findIndex((one) => one.key === wanted && !areNamed(one.schema))
      const [partner] = at === -1 ? [] : free.splice(at, 1)
      if (partner === undefined) left.push(schema)
      else pairs.push([schema, partner.schema])
    }
    added = free.map(({ schema }) => schema)
    removed = left
  }
  return { pairs, added, removed }
}

/** What `toShapeKey` says of a schema behind its name. */
function toKindKey(schema: Schema, side: Side): string {
  const [only, ...more] = side.shape(schema).options
  return only === undefined || more.length > 0 ? 'several' : toShapeKey(only, side)
}

/** The name of a schema, or its kind with the tags that distinguish objects. */
function toShapeKey(schema: Schema, { shape }: Side): string {
  if (schema.kind === 'ref') return `ref ${schema.name}`
  if (schema.kind === 'enum') return `enum ${typeof schema.values[0]}`
  if (schema.kind !== 'object') return schema.kind
  const tags = schema.properties.filter(
    ({ schema: property }) => shape(property).options[0]?.kind === 'enum',
  )
  return `object ${tags.map(({ name, schema: property }) => `${name}=${signature(property)}`).join(' ')}`
}

function compareMatched(
  { pairs, added, removed }: MatchResult,
  where: string,
  setting: Setting,
  head: Schema,
): boolean {
  const found = pairs.map(([one, other], index) =>
    compareOnce(one, other, setting, () =>
      setting.compare(
        one,
        other,
        pairs.length > 1 ? `${where}, option ${index + 1}` : where,
        setting,
      ),
    ),
  )
  // a single option is compared with all options of the other version
  const beside = (at: readonly [Schema, Schema] | undefined): Setting =>
    at && setting.at ? { ...setting, at, around: [setting.at, ...(setting.around ?? [])] } : setting
  for (const option of added)
    found.push(
      noteChange(
        beside(setting.at && [setting.at[0], option]),
        'option-added',
        `${where} may also be ${describeSchema(option)} now`,
        option,
        { to: describeSchema(option) },
      ),
    )
  for (const option of removed)
    found.push(
      noteChange(
        beside(setting.at && [option, setting.at[1]]),
        'option-removed',
        `${where} can no longer be ${describeSchema(option)}`,
        head,
        {
          gone: option,
          from: describeSchema(option),
        },
      ),
    )
  return found.some(Boolean)
}
