import type { Schema } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import type { ChangeList } from './change-list.js'
import type { Side } from './side.js'

/** The values that are compared, and their operation. */
export type SettingStart = {
  readonly changes: ChangeList
  readonly base: Side
  readonly head: Side
  readonly direction: 'request' | 'response'
  readonly operation?: string
}

/** The context within a schema. `compare` is a field, so that the parts do not import the whole. */
export type Setting = SettingStart & {
  readonly compare: (base: Schema, head: Schema, where: string, setting: Setting) => boolean
}

/** Reports a change for the direction of the values. Always returns true. */
export function noteChange(
  { changes, direction, operation }: Setting,
  suffix: string,
  sentence: string,
  head: Schema,
  gone?: Schema,
): true {
  const spot = gone ? ({ side: 'base', origin: gone.notes.origin } as const) : ({ side: 'head', origin: head.notes.origin } as const)
  const code = `${direction}-${suffix}` as Code
  changes.note(code, sentence, spot, direction, operation)
  return true
}

/** A short description of a schema. */
export function nameOf(schema: Schema): string {
  if (schema.kind === 'ref') return schema.name
  if (schema.kind === 'number') return schema.integer ? 'a whole number' : 'a number'
  const names: Partial<Record<Schema['kind'], string>> = {
    any: 'anything',
    never: 'nothing',
    object: 'an object',
    array: 'a list',
    enum: 'one of a list',
    string: 'a text',
    boolean: 'true or false',
    binary: 'bytes',
  }
  return names[schema.kind] ?? 'something with rules of its own'
}
