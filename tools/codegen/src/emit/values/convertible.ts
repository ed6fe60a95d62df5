import type { NumberNode, Schema, StringNode } from '../../ir/schema.js'
import type { ValueModes } from './modes.js'

/** The representation in programs of a JSON string or number. */
export type Converted = NonNullable<StringNode['as'] | NumberNode['as']>

/** The converted kind of a node. Undefined if it stays as in JSON. */
export function convertedAs(schema: Schema, { dates, int64 }: ValueModes): Converted | undefined {
  if (schema.kind === 'number') return int64 === 'bigint' && isWhole(schema) ? 'bigint' : undefined
  if (schema.kind !== 'string' || dates === 'text') return undefined
  // a day is not an instant, so a Date does not fit
  if (schema.format === 'date')
    return dates === 'temporal' && admits(schema, '2030-01-31'.length) ? 'PlainDate' : undefined
  // as `Date.prototype.toISOString` writes it
  if (schema.format !== 'date-time' || !admits(schema, '2030-01-31T08:30:00.000Z'.length))
    return undefined
  return dates === 'temporal' ? 'Instant' : 'Date'
}

/** A fractional or unsafe `multipleOf` does not work with bigint. */
function isWhole({ integer, format, multipleOf = 1 }: NumberNode): boolean {
  return integer && format === 'int64' && Number.isSafeInteger(multipleOf)
}

/** Whether a string has no further constraints, so that another value can replace it. */
function admits(
  { minLength = 0, maxLength = Infinity, pattern }: StringNode,
  written: number,
): boolean {
  return pattern === undefined && minLength <= written && written <= maxLength
}
