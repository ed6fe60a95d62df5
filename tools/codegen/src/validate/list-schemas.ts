import type { Api } from '../ir/api.js'
import { listChildren } from '../ir/list-children.js'
import type { Schema } from '../ir/schema.js'

const known = new WeakMap<Api, ReadonlySet<Schema>>()

/** All schemas of a document and the schemas within them, each once. */
export function listSchemas(api: Api): ReadonlySet<Schema> {
  const found = known.get(api) ?? findSchemas(api)
  known.set(api, found)
  return found
}

function findSchemas({ schemas, operations }: Api): ReadonlySet<Schema> {
  const found = new Set<Schema>()
  for (const { schema } of schemas) addSchemas(schema, found)
  for (const { parameters, body, responses } of operations) {
    for (const { schema } of parameters) addSchemas(schema, found)
    for (const { schema } of body?.contents ?? []) addSchemas(schema, found)
    for (const { contents, headers } of responses) {
      for (const { schema } of contents) addSchemas(schema, found)
      for (const { schema } of headers) addSchemas(schema, found)
    }
  }
  return found
}

function addSchemas(schema: Schema, found: Set<Schema>): void {
  if (found.has(schema)) return
  found.add(schema)
  const stack = [schema]
  for (let node = stack.pop(); node !== undefined; node = stack.pop())
    for (const child of listChildren(node)) {
      if (found.has(child)) continue
      found.add(child)
      stack.push(child)
    }
}
