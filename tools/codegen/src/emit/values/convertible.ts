import type { NumberNode, Schema, StringNode } from '../../ir/schema.js'
import type { ValueModes } from './modes.js'

/** What programs have in place of a text or a number of JSON. */
export type Converted = NonNullable<StringNode['as'] | NumberNode['as']>

/** What a node is for programs; undefined where it stays as it is in JSON. */
export function convertedAs(schema: Schema, { dates, int64 }: ValueModes): Converted | undefined {
  if (schema.kind === 'number') return int64 === 'bigint' && isWhole(schema) ? 'bigint' : undefined
  if (schema.kind !== 'string' || dates === 'text') return undefined
  // a day has no moment, so a Date does not fit it
  if (schema.format === 'date') return dates === 'temporal' && admits(schema, '2030-01-31'.length) ? 'PlainDate' : undefined
  // as `Date.prototype.toISOString` writes it
  if (schema.format !== 'date-time' || !admits(schema, '2030-01-31T08:30:00.000Z'.length)) return undefined
  return dates === 'temporal' ? 'Instant' : 'Date'
}

/** A step with a fraction, or one that a number cannot hold, has no bigint. */
function isWhole({ integer, format, multipleOf = 1 }: NumberNode): boolean {
  return integer && format === 'int64' && Number.isSafeInteger(multipleOf)
}

/** A text without further rules, for which another value can stand. */
function admits({ minLength = 0, maxLength = Infinity, pattern }: StringNode, written: number): boolean {
  return pattern === undefined && minLength <= written && written <= maxLength
}
