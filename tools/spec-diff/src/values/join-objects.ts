import type { Of, Schema } from '@farebox/codegen/model'
import { removeDuplicates, followRefs, type Resolve } from './signature.js'

type ObjectSchema = Of<'object'>

/**
 * Merges an `allOf` of objects into one object that accepts the same values; undefined if that is
 * impossible, or if a part is not an object.
 */
export function joinObjects(
  schema: Of<'intersection'>,
  resolve: Resolve,
): ObjectSchema | undefined {
  const [first, ...more] = collectObjects(schema, resolve) ?? []
  const whole = more.reduce<ObjectSchema | undefined>((all, one) => all && join(all, one), first)
  return whole && first && { ...whole, notes: { ...first.notes, ...schema.notes } }
}

/** All parts, with the targets of references, each once. Undefined if one is not an object. */
export function collectObjects(
  schema: Schema,
  resolve: Resolve,
  seen: Set<string> = new Set(),
): readonly ObjectSchema[] | undefined {
  if (schema.kind === 'object') return [schema]
  if (schema.kind === 'intersection') {
    const parts = schema.parts.map((part) => collectObjects(part, resolve, seen))
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined
  }
  if (schema.kind !== 'ref') return undefined
  if (seen.has(schema.name)) return []
  seen.add(schema.name)
  return collectObjects(resolve(schema.name), resolve, seen)
}

function join(one: ObjectSchema, other: ObjectSchema): ObjectSchema | undefined {
  // a property that matches a pattern of one part must also satisfy the rest of the other, which
  // one object cannot express
  if (one.patterns.length > 0 && other.additional.kind !== 'any') return undefined
  if (other.patterns.length > 0 && one.additional.kind !== 'any') return undefined
  const sides = [one, other]
  const listed = new Set(sides.flatMap(({ properties }) => properties.map(({ name }) => name)))
  const required = new Set(
    sides.flatMap(({ properties, alsoRequired }) => [
      ...properties.filter((each) => each.required).map(({ name }) => name),
      ...alsoRequired,
    ]),
  )
  const properties = [...listed].map((name) => ({
    name,
    required: required.has(name),
    schema: intersect(
      sides.map((side) => findPropertyRule(side, name)).filter((rule) => rule !== undefined),
    ),
  }))
  const propertyNames = sides
    .map((side) => side.propertyNames)
    .filter((names) => names !== undefined)
  const least = pickLargest(one.minProperties, other.minProperties)
  const most = pickSmallest(one.maxProperties, other.maxProperties)
  return {
    kind: 'object',
    notes: one.notes,
    properties,
    alsoRequired: [...required].filter((name) => !listed.has(name)).toSorted(),
    patterns: removeDuplicates([...one.patterns, ...other.patterns]),
    additional: intersect([one.additional, other.additional]),
    ...(sides.some(({ additionalStated }) => additionalStated === true) && {
      additionalStated: true,
    }),
    ...(propertyNames.length > 0 && { propertyNames: intersect(propertyNames) }),
    ...(least !== undefined && { minProperties: least }),
    ...(most !== undefined && { maxProperties: most }),
    dependentRequired: removeDuplicates([...one.dependentRequired, ...other.dependentRequired]),
    dependentSchemas: removeDuplicates([...one.dependentSchemas, ...other.dependentSchemas]),
  }
}

/** The schema of a property. Patterns are kept separately. */
function findPropertyRule(
  { properties, patterns, additional }: ObjectSchema,
  name: string,
): Schema | undefined {
  const property = properties.find((each) => each.name === name)
  if (property !== undefined) return property.schema
  return patterns.some(({ pattern }) => new RegExp(pattern, 'u').test(name))
    ? undefined
    : additional
}

/** The values that satisfy all of some schemas. */
function intersect(schemas: readonly Schema[]): Schema {
  const parts = schemas.filter(({ kind }) => kind !== 'any')
  const never = parts.find(({ kind }) => kind === 'never')
  const [only, ...more] = never === undefined ? removeDuplicates(parts) : [never]
  if (only === undefined)
    return schemas[0] ?? { kind: 'any', notes: { origin: { file: '', pointer: '' } } }
  return more.length === 0
    ? only
    : { kind: 'intersection', notes: only.notes, parts: [only, ...more] }
}

function pickLargest(one = -Infinity, other = -Infinity): number | undefined {
  return dropInfinite(Math.max(one, other))
}

function pickSmallest(one = Infinity, other = Infinity): number | undefined {
  return dropInfinite(Math.min(one, other))
}

function dropInfinite(bound: number): number | undefined {
  return Number.isFinite(bound) ? bound : undefined
}

/** The schema at the end of a chain of references, as one object if its parts can be merged. */
export function unwrap(schema: Schema, resolve: Resolve): Schema {
  const found = followRefs(schema, resolve)
  return found.kind === 'intersection' ? (joinObjects(found, resolve) ?? found) : found
}
