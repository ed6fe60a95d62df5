import { tagSchemas } from './discriminators/tag-schemas.js'
import type { JsonObject } from './json.js'
import { readAsObjects } from './types/read-as-objects.js'
import type { Version } from './types/possible-types.js'

/**
 * How schemas are read. `openapi`: as authors of OpenAPI documents mean them. A discriminator
 * selects the schema of a value, and keywords of objects without a `type` describe an object.
 * `json-schema`: to the letter of JSON Schema, in which both have no effect on other values.
 */
export const semanticsModes = ['openapi', 'json-schema'] as const
export type Semantics = (typeof semanticsModes)[number]

/** Expresses the meaning of a bundled document in the terms of JSON Schema. */
export function applySemantics(
  root: JsonObject,
  version: Version,
  { semantics, discriminator }: Readonly<Record<'semantics' | 'discriminator', Semantics>>,
): JsonObject {
  const typed = semantics === 'openapi' ? readAsObjects(root, version) : root
  return discriminator === 'openapi' ? tagSchemas(typed) : typed
}
