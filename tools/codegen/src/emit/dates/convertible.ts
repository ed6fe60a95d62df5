import type { Schema } from '../../ir/schema.js'

/** As `Date.prototype.toISOString` writes it. */
const written = '2030-01-31T08:30:00.000Z'.length

/** Whether a node is a text that a Date can stand for: one without further rules for the text. */
export function isDateTime(schema: Schema): boolean {
  if (schema.kind !== 'string' || schema.format !== 'date-time') return false
  const { minLength = 0, maxLength = Infinity, pattern } = schema
  return pattern === undefined && minLength <= written && written <= maxLength
}
