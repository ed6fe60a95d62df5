import type { ObjectNode, Schema } from '../ir/schema.js'

/**
 * The parts of an intersection without `type: object` where another part accepts objects only, as
 * beside a choice of objects.
 */
export function neededParts(
  parts: readonly Schema[],
  lookup: (name: string) => Schema,
): readonly Schema[] {
  const others = parts.filter((part) => part.kind !== 'object' || !isBare(part))
  return others.length < parts.length && others.some((part) => acceptsObjectsOnly(part, lookup, 9))
    ? others
    : parts
}

function isBare(node: ObjectNode): boolean {
  return (
    node.properties.length === 0 &&
    node.alsoRequired.length === 0 &&
    node.patterns.length === 0 &&
    node.additional.kind === 'any' &&
    node.propertyNames === undefined &&
    node.minProperties === undefined &&
    node.maxProperties === undefined &&
    node.dependentRequired.length === 0 &&
    node.dependentSchemas.length === 0
  )
}

function acceptsObjectsOnly(
  schema: Schema,
  lookup: (name: string) => Schema,
  depth: number,
): boolean {
  const again = (inner: Schema): boolean =>
    depth > 0 && acceptsObjectsOnly(inner, lookup, depth - 1)
  if (schema.kind === 'ref') return again(lookup(schema.name))
  if (schema.kind === 'union' || schema.kind === 'oneOf') return schema.options.every(again)
  if (schema.kind === 'intersection') return schema.parts.some(again)
  return schema.kind === 'object'
}
