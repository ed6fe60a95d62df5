import type { Schema } from '@farebox/codegen/model'
import { noteChange, toOwner, type Setting } from '../change/note.js'
import { isAsserted } from '../values/includes-kinds.js'

/** Bounds from below: a larger one is tighter. */
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
/** Bounds from above: a smaller one is tighter. */
const upper = [
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxBytes',
] as const
const rules = ['pattern', 'multipleOf'] as const

/** Reports changed bounds, formats and patterns. */
export function compareBounds(
  base: Schema,
  head: Schema,
  where: string,
  setting: Setting,
): boolean {
  const [from, to] = [
    base as Partial<Record<string, unknown>>,
    head as Partial<Record<string, unknown>>,
  ]
  const found: boolean[] = []
  for (const [names, tightens] of [
    [lower, (a: number, b: number) => b > a],
    [upper, (a: number, b: number) => b < a],
  ] as const) {
    for (const name of names) {
      const [before, after] = [from[name], to[name]]
      if (before === after) continue
      const tighter =
        typeof before !== 'number' || (typeof after === 'number' && tightens(before, after))
      const sentence = `${where}: ${name} was ${say(before)} and is ${say(after)} now`
      found.push(
        noteChange(setting, tighter ? 'bound-tightened' : 'bound-loosened', sentence, head, {
          from: before,
          to: after,
        }),
      )
    }
  }
  for (const name of rules) {
    const [before, after] = [from[name], to[name]]
    if (before === after) continue
    const suffix =
      before === undefined ? 'rule-added' : after === undefined ? 'rule-removed' : 'rule-changed'
    found.push(
      noteChange(
        setting,
        suffix,
        `${where}: ${name} was ${say(before)} and is ${say(after)} now`,
        head,
        { from: before, to: after },
      ),
    )
  }
  found.push(compareFormat(base, head, where, setting))
  return found.some(Boolean)
}

/** A format that no validator checks is part of the description. */
function compareFormat(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  const format = (schema: Schema) =>
    schema.kind === 'string' || schema.kind === 'number' ? schema.format : undefined
  const [from, to] = [format(base), format(head)]
  if (from === to) return false
  const isChecked = (schema: Schema) =>
    (schema.kind === 'string' || schema.kind === 'number') && isAsserted(schema.kind, schema.format)
  const sentence = `${where}: the format was ${say(from)} and is ${say(to)} now`
  if (!isChecked(base) && !isChecked(head)) {
    const spot = { side: 'head', origin: head.notes.origin } as const
    const about = { direction: 'both', ...toOwner(setting), from, to } as const
    setting.changes.note('format-described', sentence, spot, about)
    return false
  }
  const suffix = !isChecked(base)
    ? 'format-added'
    : !isChecked(head)
      ? 'format-removed'
      : 'format-changed'
  return noteChange(setting, suffix, sentence, head, { from, to })
}

function say(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
