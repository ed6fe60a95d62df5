import type { Schema } from '@farebox/codegen'
import { tell, type Setting } from './tell.js'

/** Reports changes of a schema that do not affect its values. */
export function compareNotes(base: Schema, head: Schema, where: string, setting: Setting): void {
  const [from, to] = [base.notes, head.notes]
  const spot = { side: 'head', origin: to.origin } as const
  const { ledger, operation } = setting
  if (from.description !== to.description || from.title !== to.title)
    ledger.note('description-changed', `${where} is described in other words`, spot, 'both', operation)
  if (JSON.stringify(from.examples) !== JSON.stringify(to.examples))
    ledger.note('examples-changed', `${where} has other examples`, spot, 'both', operation)
  if (from.deprecated !== to.deprecated) {
    const isNow = to.deprecated === true
    ledger.note(
      isNow ? 'field-deprecated' : 'field-undeprecated',
      `${where} is ${isNow ? '' : 'no longer '}deprecated`,
      spot,
      'both',
      operation,
    )
  }
  if (JSON.stringify(from.default) !== JSON.stringify(to.default)) {
    tell(setting, 'default-changed', `${where}: the default was ${say(from.default)} and is ${say(to.default)} now`, head)
  }
}

function say(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
