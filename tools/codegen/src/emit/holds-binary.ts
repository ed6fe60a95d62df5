import type { Schema } from '../ir/schema.js'
import { listChildren } from './children.js'
import { holder } from './holds.js'

/** Whether the values of a schema contain raw bytes anywhere. */
export const holdsBinary = holder(({ kind }) => kind === 'binary', valueChildren)

/** The children without those that only restrict values. */
function valueChildren(schema: Schema): readonly Schema[] {
  if (schema.kind === 'not') return []
  if (schema.kind === 'conditional') return [schema.then, schema.otherwise]
  if (schema.kind === 'unevaluated') return [schema.base]
  if (schema.kind === 'array') return [...schema.prefix, schema.items]
  if (schema.kind !== 'object') return listChildren(schema)
  return [
    ...[...schema.properties, ...schema.patterns].map((entry) => entry.schema),
    schema.additional,
  ]
}
