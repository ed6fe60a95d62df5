import type { Api } from '../ir/api.js'
import type { Schema } from '../ir/schema.js'

/** The schema that a chain of references ends in. */
export function resolveRef(api: Api, schema: Schema): Schema {
  let found = schema
  for (let hops = 0; found.kind === 'ref' && hops < api.schemas.length + 1; hops++) {
    const { name } = found
    const target = api.schemas.find((candidate) => candidate.name === name)
    if (target === undefined) return found
    found = target.schema
  }
  return found
}

/** The default of a schema or, when it has none of its own, of what it refers to. */
export function defaultOf(api: Api, schema: Schema): Schema['notes']['default'] {
  return schema.notes.default ?? resolveRef(api, schema).notes.default
}
