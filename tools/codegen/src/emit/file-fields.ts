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

/** The file fields that take other values too, such as an address; `body` for the body. */
export function alsoValueFields(api: Api, schema: Schema): readonly string[] {
  if (takesFile(api, schema)) return isFileOnly(api, schema, new Set()) ? [] : ['body']
  const properties = propertiesOf(api, schema, true)
  return fileFields(api, schema).filter((field) =>
    properties.some(({ name, schema: property }) => name === field && !isFileOnly(api, property, new Set())),
  )
}

/** Whether a schema takes files, lists of files and null alone. */
function isFileOnly(api: Api, schema: Schema, known: Set<Schema>): boolean {
  const node = resolveRef(api, schema)
  if (known.has(node)) return true
  known.add(node)
  const again = (inner: Schema): boolean => isFileOnly(api, inner, known)
  if (node.kind === 'union' || node.kind === 'oneOf') return node.options.every(again)
  if (node.kind === 'intersection') return node.parts.some(again)
  if (node.kind === 'array') return [...node.prefix, ...(node.items.kind === 'any' ? [] : [node.items])].every(again)
  return node.kind === 'binary' || node.kind === 'null' || node.kind === 'never'
}
