import type { Schema } from '@farebox/codegen'
import { noteChange, type Setting } from './note-change.js'

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
  const [before, after] = [from['format'], to['format']]
  if (before !== after) {
    const suffix =
      before === undefined
        ? 'format-added'
        : after === undefined
          ? 'format-removed'
          : 'format-changed'
    found.push(
      noteChange(
        setting,
        suffix,
        `${where}: the format was ${say(before)} and is ${say(after)} now`,
        head,
        { from: before, to: after },
      ),
    )
  }
  return found.some(Boolean)
}

function say(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
