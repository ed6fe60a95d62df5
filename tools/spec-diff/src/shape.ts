import type { Of, Schema } from '@farebox/codegen'
import { signatureOf } from './signature.js'

/** Finds the schema of a name in one of the documents. */
export type Resolve = (name: string) => Schema

/** A schema without its outer wrapping: whether null is among its values, and which kinds of other values there are. */
export type Shape = { readonly nullable: boolean; readonly options: readonly Schema[]; readonly exactlyOne: boolean }

/** What a schema is once references, nested unions and objects in `allOf` are seen through. */
export function shapeOf(schema: Schema, resolve: Resolve, seen: ReadonlySet<string> = new Set()): Shape {
  if (schema.kind === 'ref') {
    return seen.has(schema.name) ? plain(schema) : shapeOf(resolve(schema.name), resolve, new Set([...seen, schema.name]))
  }
  if (schema.kind === 'null') return { nullable: true, options: [], exactlyOne: false }
  if (schema.kind === 'enum' && schema.values.includes(null)) {
    const values = schema.values.filter((value) => value !== null)
    return { nullable: true, options: values.length > 0 ? [{ ...schema, values }] : [], exactlyOne: false }
  }
  if (schema.kind === 'union') {
    const shapes = schema.options.map((option) =>
      option.kind === 'ref' ? keepName(option, resolve, seen) : shapeOf(option, resolve, seen),
    )
    return { nullable: shapes.some(({ nullable }) => nullable), options: shapes.flatMap(({ options }) => options), exactlyOne: false }
  }
  if (schema.kind === 'oneOf') {
    const others = schema.options.filter(({ kind }) => kind !== 'null')
    return { nullable: others.length < schema.options.length, options: others, exactlyOne: others.length > 1 }
  }
  if (schema.kind === 'intersection') return plain(mergedObject(schema, resolve, seen) ?? schema)
  return plain(schema)
}

function plain(schema: Schema): Shape {
  return { nullable: false, options: [schema], exactlyOne: false }
}

/** A named option of a union is told by its name; one that is null, or a union itself, is seen through. */
function keepName(ref: Of<'ref'>, resolve: Resolve, seen: ReadonlySet<string>): Shape {
  if (seen.has(ref.name)) return plain(ref)
  const { kind } = resolve(ref.name)
  return kind === 'union' || kind === 'null' ? shapeOf(ref, resolve, seen) : plain(ref)
}

/** `allOf` of objects alone as the one object that it comes to. */
function mergedObject(schema: Of<'intersection'>, resolve: Resolve, seen: ReadonlySet<string>): Of<'object'> | undefined {
  const parts = schema.parts.map((part) => objectOf(part, resolve, seen))
  const objects = parts.filter((part) => part !== undefined)
  const [first] = objects
  if (first === undefined || objects.length < parts.length) return undefined
  return objects.slice(1).reduce((all, one) => join(all, one), { ...first, notes: { ...first.notes, ...schema.notes } })
}

function objectOf(schema: Schema, resolve: Resolve, seen: ReadonlySet<string>): Of<'object'> | undefined {
  if (schema.kind === 'object') return schema
  if (schema.kind === 'intersection') return mergedObject(schema, resolve, seen)
  if (schema.kind !== 'ref' || seen.has(schema.name)) return undefined
  return objectOf(resolve(schema.name), resolve, new Set([...seen, schema.name]))
}

function join(one: Of<'object'>, other: Of<'object'>): Of<'object'> {
  const names = new Set([...one.properties, ...other.properties].map(({ name }) => name))
  const required = new Set([...one.alsoRequired, ...other.alsoRequired])
  const properties = [...names].map((name) => {
    const [first, second] = [one, other].map((part) => part.properties.find((property) => property.name === name))
    const found = first ?? second
    if (found === undefined) throw new Error(`A property ${name} was lost while two objects were joined`)
    const isRequired = first?.required === true || second?.required === true || required.has(name)
    if (!first || !second || signatureOf(first.schema) === signatureOf(second.schema)) return { ...found, required: isRequired }
    const both: Schema = { kind: 'intersection', notes: found.schema.notes, parts: [first.schema, second.schema] }
    return { ...found, required: isRequired, schema: both }
  })
  return {
    ...other,
    ...one,
    properties,
    alsoRequired: [...required].filter((name) => !names.has(name)).toSorted(),
    patterns: [...one.patterns, ...other.patterns],
    additional: one.additional.kind === 'any' ? other.additional : one.additional,
    dependentRequired: [...one.dependentRequired, ...other.dependentRequired],
    dependentSchemas: [...one.dependentSchemas, ...other.dependentSchemas],
  }
}
