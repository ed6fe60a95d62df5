import { block, code, join, type Code } from '../../emit/code.js'
import { literal, propertyKey } from '../../emit/literal.js'
import type { Json } from '../../ir/schema.js'

/** A property of a printed object. Without a value it is left out. */
export type Entry = readonly [name: string, value: Json | Code | undefined]

/** One property a line. */
export function printObject(entries: readonly Entry[]): Code {
  return block(printProperties(entries), '{}')
}

/** In one line. */
export function printRecord(entries: readonly Entry[]): Code {
  return code`{ ${join(printProperties(entries), ', ')} }`
}

function printProperties(entries: readonly Entry[]): readonly Code[] {
  return entries.flatMap(([name, value]) => {
    if (value === undefined) return []
    const { text, imports } = isCode(value) ? value : literal(value)
    return [{ text: `${propertyKey(name).text}: ${text}`, imports }]
  })
}

export function printList(items: readonly Code[]): Code {
  return code`[${join(items, ', ')}]`
}

function isCode(value: Json | Code): value is Code {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'imports' in value
}
