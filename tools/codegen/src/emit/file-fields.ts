import type { Api } from '../ir/api.js'
import type { Schema } from '../ir/schema.js'
import { propertiesOf } from './properties-of.js'
import { resolveRef } from './resolve.js'

/** The fields of a form that take a file or several; `body` when the body is one. */
export function fileFields(api: Api, schema: Schema): readonly string[] {
  if (takesFile(api, schema)) return ['body']
  return [...new Set(propertiesOf(api, schema, true).flatMap(({ name, schema: property }) => (takesFile(api, property) ? [name] : [])))]
}

function takesFile(api: Api, schema: Schema, seen: Set<Schema> = new Set()): boolean {
  const node = resolveRef(api, schema)
  if (seen.has(node)) return false
  seen.add(node)
  const again = (inner: Schema): boolean => takesFile(api, inner, seen)
  if (node.kind === 'union' || node.kind === 'oneOf') return node.options.some(again)
  if (node.kind === 'intersection') return node.parts.some(again)
  if (node.kind === 'array') return again(node.items) || node.prefix.some(again)
  return node.kind === 'binary'
}
