import { findShape, type Schema } from '../contract/schema.js'

/** The value that an input of this schema begins with. */
export function blank(schema: Schema): unknown {
  const shape = findShape(schema)
  if (schema.default !== undefined) return schema.default
  if (shape.kind === 'choice') return shape.values[0]
  if (shape.kind === 'list') return []
  if (shape.kind === 'flag') return false
  if (shape.kind === 'text') return ''
  if (shape.kind === 'nothing') return null
  if (shape.kind === 'union')
    return shape.options[0] === undefined ? undefined : blank(shape.options[0])
  if (shape.kind !== 'object') return undefined
  const { properties, required } = shape
  return Object.fromEntries([...required].map((name) => [name, blank(properties[name] ?? {})]))
}

/** Which option of a union a value is an instance of, as far as a form has to know. */
export function findOption(options: readonly Schema[], value: unknown): number {
  const found = options.findIndex((option) => fits(option, value))
  return Math.max(0, found)
}

function fits(schema: Schema, value: unknown): boolean {
  const shape = findShape(schema)
  if (shape.kind === 'choice') return shape.values.includes(value)
  if (shape.kind === 'text') return typeof value === 'string'
  if (shape.kind === 'number') return typeof value === 'number'
  if (shape.kind === 'flag') return typeof value === 'boolean'
  if (shape.kind === 'list') return Array.isArray(value)
  if (shape.kind === 'nothing') return value === null
  if (shape.kind === 'file') return value instanceof Blob
  if (shape.kind === 'union') return shape.options.some((option) => fits(option, value))
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
