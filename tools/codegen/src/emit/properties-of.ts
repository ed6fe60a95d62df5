import type { Api } from '../ir/api.js'
import type { Property, Schema } from '../ir/schema.js'
import { resolveRef } from './resolve.js'

/**
 * The properties that a body has in all its forms or, with `inAnyForm`, in any of them. A part that
 * occurs twice counts once.
 */
export function propertiesOf(
  api: Api,
  schema: Schema,
  inAnyForm = false,
  seen: Set<Schema> = new Set(),
): readonly Property[] {
  const node = resolveRef(api, schema)
  if (seen.has(node)) return []
  seen.add(node)
  const again = (inner: Schema): readonly Property[] => propertiesOf(api, inner, inAnyForm, seen)
  if (node.kind === 'object') return node.properties
  if (node.kind === 'intersection') return node.parts.flatMap(again)
  if (node.kind === 'unevaluated') return again(node.base)
  if (!inAnyForm) return []
  if (node.kind === 'union' || node.kind === 'oneOf') return node.options.flatMap(again)
  return node.kind === 'conditional' ? [node.then, node.otherwise].flatMap(again) : []
}
