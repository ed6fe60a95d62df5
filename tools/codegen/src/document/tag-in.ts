import type { Allowed } from './allowed-tags.js'
import { isList, isObject, own } from './json.js'
import type { Json, JsonObject } from './json.js'

/** An object whose property is one of these texts. */
export function tagIn(property: string, tags: readonly string[]): JsonObject {
  return { type: 'object', required: [property], properties: { [property]: { enum: tags } } }
}

/** A schema that requires one of these tags, which it allows. The same one if it does so itself. */
export function requiring(schema: Json, property: string, tags: readonly string[], allowed: Allowed): Json {
  return allowed.required && allowed.tags?.length === tags.length ? schema : withPart(schema, tagIn(property, tags))
}

/** Below the schema no node moves, so that pointers to them still lead there. */
export function withPart(schema: Json, part: JsonObject): Json {
  if (!isObject(schema) || own(schema, '$ref') !== undefined) return { allOf: [schema, part] }
  const parts = own(schema, 'allOf')
  return { ...schema, allOf: [...(isList(parts) ? parts : []), part] }
}
