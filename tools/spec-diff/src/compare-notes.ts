import type { Schema } from '@farebox/codegen'
import { noteChange, type Setting } from './note-change.js'

/** Reports changes of a schema that do not affect its values. */
export function compareNotes(base: Schema, head: Schema, where: string, setting: Setting): void {
  const [from, to] = [base.notes, head.notes]
  const spot = { side: 'head', origin: to.origin } as const
  const { changes, operation } = setting
  if (from.description !== to.description || from.title !== to.title)
    changes.note('description-changed', `${where} has another description`, spot, 'both', operation)
  if (JSON.stringify(from.examples) !== JSON.stringify(to.examples))
    changes.note('examples-changed', `${where} has other examples`, spot, 'both', operation)
  if (from.deprecated !== to.deprecated) {
    const isNow = to.deprecated === true
    changes.note(
      isNow ? 'field-deprecated' : 'field-undeprecated',
      `${where} is ${isNow ? '' : 'no longer '}deprecated`,
      spot,
      'both',
      operation,
    )
  }
  if (JSON.stringify(from.default) !== JSON.stringify(to.default)) {
    noteChange(setting, 'default-changed', `${where}: the default was ${say(from.default)} and is ${say(to.default)} now`, head)
  }
}

function say(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
