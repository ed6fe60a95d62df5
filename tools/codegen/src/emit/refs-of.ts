import type { Schema } from '../ir/schema.js'
import { childrenOf } from './children.js'

/** The names that a schema refers to by itself, without those that they refer to in turn. */
export function refsOf(schema: Schema): readonly string[] {
  return schema.kind === 'ref' ? [schema.name] : childrenOf(schema).flatMap(refsOf)
}
