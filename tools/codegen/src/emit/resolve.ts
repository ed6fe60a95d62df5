import type { Api } from '../ir/api.js'
import type { Property, Schema } from '../ir/schema.js'

/** Finds the schema of a name. Throws for an unknown name, which is a bug. */
export function createLookup({ schemas }: Api): (name: string) => Schema {
  const byName = indexByName(schemas)
  return (name) => {
    const schema = byName.get(name)
    if (schema === undefined) throw new Error(`No schema has the name ${name}.`)
    return schema
  }
}

/** The schema at the end of a chain of references. */
export function resolveRef(api: Api, schema: Schema): Schema {
  let found = schema
  for (let hops = 0; found.kind === 'ref' && hops < api.schemas.length + 1; hops++) {
    const target = indexByName(api.schemas).get(found.name)
    if (target === undefined) return found
    found = target
  }
  return found
}

/** The default of a schema, else of its target. */
export function findDefault(api: Api, schema: Schema): Schema['notes']['default'] {
  return schema.notes.default ?? resolveRef(api, schema).notes.default
}

function indexByName(schemas: Api['schemas']): ReadonlyMap<string, Schema> {
  const known = tables.get(schemas)
  if (known !== undefined) return known
  const table = new Map(schemas.map(({ name, schema }) => [name, schema]))
  tables.set(schemas, table)
  return table
}

/** Cached for an API, as every emitter resolves each reference. */
const tables = new WeakMap<Api['schemas'], ReadonlyMap<string, Schema>>()

/**
 * The properties that a body has in all its forms or, with `inAnyForm`, in any of them. A part that
 * occurs twice counts once.
 */
export function listProperties(
  api: Api,
  schema: Schema,
  inAnyForm = false,
  seen: Set<Schema> = new Set(),
): readonly Property[] {
  const node = resolveRef(api, schema)
  if (seen.has(node)) return []
  seen.add(node)
  const again = (inner: Schema): readonly Property[] => listProperties(api, inner, inAnyForm, seen)
  if (node.kind === 'object') return node.properties
  if (node.kind === 'intersection') return node.parts.flatMap(again)
  if (node.kind === 'unevaluated') return again(node.base)
  if (!inAnyForm) return []
  if (node.kind === 'union' || node.kind === 'oneOf') return node.options.flatMap(again)
  return node.kind === 'conditional' ? [node.then, node.otherwise].flatMap(again) : []
}
