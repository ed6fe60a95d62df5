import type { Schema } from '@farebox/codegen/model'
import { compareKinds } from './kinds.js'
import {
  compareOnce,
  noteChange,
  type Setting,
  type SettingStart,
  toOwner,
} from '../change/note.js'
import { compareOptions } from './options.js'
import type { Resolve } from '../values/signature.js'

/**
 * Reports how the values of a schema changed, place by place. Returns true when the set of values
 * changed. A change that no other code names is reported as a changed rule, so none is lost.
 */
export function compareSchema(
  base: Schema,
  head: Schema,
  where: string,
  start: SettingStart,
): boolean {
  const setting = { ...start, compare }
  const changed = compare(base, head, where, setting)
  attack(base, head, where, setting)
  return changed
}

function compare(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  if (base.kind !== 'ref' || head.kind !== 'ref') {
    const compareBoth = () => compareHere(base, head, where, setting)
    if (!isJoined([base, head]) || !listAncestors(setting).some(isJoined)) return compareBoth()
    const [before, after] = [setting.base.meaning(base), setting.head.meaning(head)]
    return compareOnce(before, after, setting, compareBoth)
  }
  if (base.name !== head.name)
    return compareOnce(base.name, head.name, setting, () =>
      compareHere(base, head, where, removePlace(setting)),
    )
  compareNotes(base, head, where, setting)
  if (!setting.sameness.touched.has(base.name)) return false
  // a change in a named schema is reported once, under that name, however many schemas refer to it
  return compareOnce(base.name, head.name, setting, () =>
    compare(setting.base.resolve(base.name), setting.head.resolve(head.name), head.name, {
      ...removePlace(setting),
      named: head.name,
    }),
  )
}

/**
 * What `allOf` makes of a named schema has no name, and may contain itself in many ways. Within one
 * that is compared, the others are compared once.
 */
function isJoined(pair: readonly [base: Schema, head: Schema]): boolean {
  return pair.some(({ kind }) => kind === 'ref' || kind === 'intersection')
}

function listAncestors({ at, around = [] }: Setting): readonly (readonly [Schema, Schema])[] {
  return at ? [at, ...around] : around
}

/** A named schema may be reached on several ways, and is compared once. */
function removePlace({
  changes,
  base,
  head,
  sameness,
  changed,
  findDifference,
  compare: again,
  ...rest
}: Setting): Setting {
  const { direction, operation, named } = rest
  return {
    changes,
    base,
    head,
    sameness,
    changed,
    findDifference,
    compare: again,
    direction,
    ...(operation !== undefined && { operation }),
    ...(named !== undefined && { named }),
  }
}

function compareHere(base: Schema, head: Schema, where: string, outer: Setting): boolean {
  if (outer.sameness.isSame(base, head)) return false
  const setting: Setting = { ...outer, at: [base, head], around: listAncestors(outer) }
  compareNotes(
    resolveReference(base, setting.base.resolve),
    resolveReference(head, setting.head.resolve),
    where,
    setting,
  )
  const [before, after] = [setting.base.shape(base), setting.head.shape(head)]
  const [one, other] = [before.options[0], after.options[0]]
  const [mine, theirs] = [unwrapNullable(base), unwrapNullable(head)]
  const isNull =
    before.nullable !== after.nullable &&
    noteChange(
      setting,
      after.nullable ? 'null-added' : 'null-removed',
      `${where} ${after.nullable ? 'may be null' : 'is never null'} now`,
      head,
      { from: before.nullable, to: after.nullable },
    )
  // a named schema that may be null as well is still compared by its name
  if ((mine !== base || theirs !== head) && mine.kind === 'ref' && theirs.kind === 'ref')
    return setting.compare(mine, theirs, where, setting) || isNull
  const isOther =
    one && other && before.options.length === 1 && after.options.length === 1
      ? compareKinds(one, other, where, setting)
      : compareOptions(before, after, head, where, setting)
  return isNull || isOther
}

/** The target of a reference with its notes. Notes beside the reference take precedence. */
function resolveReference(schema: Schema, resolve: Resolve): Schema {
  if (schema.kind !== 'ref') return schema
  let found: Schema = schema
  for (let depth = 0; found.kind === 'ref' && depth < 50; depth++) found = resolve(found.name)
  return { ...found, notes: { ...found.notes, ...schema.notes, origin: schema.notes.origin } }
}

/** The only option beside null, else the schema itself. */
function unwrapNullable(schema: Schema): Schema {
  if (schema.kind !== 'union') return schema
  const [only, ...more] = schema.options.filter(({ kind }) => kind !== 'null')
  return only === undefined || more.length > 0 ? schema : only
}

/**
 * Looks for a value that breaks a consumer although no rule says so. A rule may miss a case; a
 * value that one version accepts and the other rejects is a fact. Each pair is attacked once.
 */
export function attack(base: Schema, head: Schema, where: string, setting: Setting): void {
  const { changes, direction, operation } = setting
  // what breaks is known, and another operation with the same pair may still be attacked
  if (changes.reported(operation, direction, ({ zod }) => zod === 'major')) return
  if (base.kind === 'ref' && head.kind === 'ref' && base.name === head.name) {
    const { name } = head
    if (!setting.sameness.touched.has(name)) return
    const [one, other] = [setting.base.resolve(name), setting.head.resolve(name)]
    attack(one, other, name, { ...setting, named: name })
    return
  }
  changes.compareOnce([setting.base, `attack ${direction}`, base, head], operation, () => {
    const isProven =
      direction === 'request' ? setting.base.within(base, head) : setting.head.within(head, base)
    if (isProven) return false
    const [before, after] = [
      { schema: base, resolve: setting.base.resolve },
      { schema: head, resolve: setting.head.resolve },
    ]
    // An open object that names one more property may reject what it accepted: by convention this
    // does not break callers. So values that only the newer schema names are not tried.
    const value =
      direction === 'request'
        ? changes.findWitness(before, after, 'accepting')
        : changes.findWitness(after, before, 'rejecting')
    return (
      value !== undefined &&
      noteChange(
        { ...setting, at: [base, head] },
        'values-changed',
        `${where} has other values now, as ${JSON.stringify(value)} shows`,
        head,
      )
    )
  })
}

/** Reports changes of a schema that do not affect its values. */
function compareNotes(base: Schema, head: Schema, where: string, setting: Setting): void {
  const [from, to] = [base.notes, head.notes]
  const spot = { side: 'head', origin: to.origin } as const
  const { changes } = setting
  const about = { direction: 'both', ...toOwner(setting) } as const
  if (from.description !== to.description || from.title !== to.title)
    changes.note('description-changed', `${where} has another description`, spot, {
      ...about,
      from: from.description,
      to: to.description,
    })
  if (JSON.stringify(from.examples) !== JSON.stringify(to.examples))
    changes.note('examples-changed', `${where} has other examples`, spot, {
      ...about,
      from: from.examples,
      to: to.examples,
    })
  if (from.deprecated !== to.deprecated) {
    const isNow = to.deprecated === true
    changes.note(
      isNow ? 'field-deprecated' : 'field-undeprecated',
      `${where} is ${isNow ? '' : 'no longer '}deprecated`,
      spot,
      about,
    )
  }
  if (JSON.stringify(from.default) !== JSON.stringify(to.default)) {
    noteChange(
      setting,
      'default-changed',
      `${where}: the default was ${say(from.default)} and is ${say(to.default)} now`,
      head,
      {
        from: from.default,
        to: to.default,
      },
    )
  }
  const [mine, theirs] = [
    readDiscriminator(from.discriminator),
    readDiscriminator(to.discriminator),
  ]
  if (mine !== theirs)
    changes.note('discriminator-changed', `${where} has another discriminator`, spot, {
      ...about,
      from: from.discriminator,
      to: to.discriminator,
    })
  compareKnownValues(base, head, where, setting)
}

/** The property and the mapping, without what holds of every name: that a schema is its own tag. */
function readDiscriminator(written: unknown): string | undefined {
  if (typeof written !== 'object' || written === null) return undefined
  const { propertyName, mapping } = written as { propertyName?: unknown; mapping?: unknown }
  const target = (value: unknown) => String(value).replace(/^.*\//, '')
  const pairs = Object.entries(typeof mapping === 'object' && mapping !== null ? mapping : {})
    .map(([tag, value]) => [tag, target(value)])
    .filter(([tag, name]) => tag !== name)
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return JSON.stringify([propertyName, pairs])
}

/** `x-extensible-enum`: the list may grow, so it is not a rule. Programs still use its values. */
function compareKnownValues(base: Schema, head: Schema, where: string, setting: Setting): void {
  const { knownValues: from } = base.notes
  const { knownValues: to } = head.notes
  if (from === undefined || to === undefined) return
  const listUnknown = (values: readonly unknown[], known: readonly unknown[]) =>
    values.map(say).filter((value) => !known.some((one) => say(one) === value))
  const [added, removed] = [listUnknown(to, from), listUnknown(from, to)]
  if (added.length > 0)
    noteChange(
      setting,
      'known-value-added',
      `${where}: the list that may grow has ${added.join(', ')} now`,
      head,
      { from, to },
    )
  if (removed.length > 0)
    noteChange(
      setting,
      'known-value-removed',
      `${where}: the list that may grow no longer has ${removed.join(', ')}`,
      head,
      { from, to },
    )
}

function say(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
