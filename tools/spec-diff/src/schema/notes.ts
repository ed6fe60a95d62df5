import type { Schema } from '@farebox/codegen'
import { noteChange, toOwner, type Setting } from '../change/note.js'

/** Reports changes of a schema that do not affect its values. */
export function compareNotes(base: Schema, head: Schema, where: string, setting: Setting): void {
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
  const beyond = (values: readonly unknown[], known: readonly unknown[]) =>
    values.map(say).filter((value) => !known.some((one) => say(one) === value))
  const [added, removed] = [beyond(to, from), beyond(from, to)]
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
