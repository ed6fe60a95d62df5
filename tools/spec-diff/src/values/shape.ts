import { admits, type Of, type Schema } from '@farebox/codegen/model'
import { unwrap, joinObjects, ruleFor } from './join-objects.js'
import type { Resolve } from './signature.js'

/**
 * A schema without its outer wrapping: whether it accepts null, and the kinds of its other values.
 * `exactlyOne`: the options may overlap, and a value that two of them accept is rejected.
 */
export type Shape = {
  readonly nullable: boolean
  readonly options: readonly Schema[]
  readonly exactlyOne: boolean
}

/** The shape of a schema after references, nested unions and objects in `allOf` are resolved. */
export function toShape(schema: Schema, resolve: Resolve): Shape {
  const { options, exactlyOne } = toChoice(followRefs(schema, resolve), resolve)
  return { nullable: admits(schema, null, resolve), options, exactlyOne }
}

type Choice = Omit<Shape, 'nullable'>

function toChoice(schema: Schema, resolve: Resolve): Choice {
  if (schema.kind === 'oneOf' && overlaps(schema, resolve)) {
    const others = schema.options.filter(({ kind }) => kind !== 'null')
    const [only] = others
    return others.length === 1 && only !== undefined
      ? toChoice(followRefs(only, resolve), resolve)
      : { options: others, exactlyOne: true }
  }
  const options: Schema[] = []
  collect(schema, resolve, options, new Set())
  const [only] = options
  return options.length === 1 && only?.kind === 'oneOf' && only !== schema
    ? toChoice(only, resolve)
    : { options, exactlyOne: false }
}

/** Whether a value may fit several options of a choice. */
function overlaps({ discriminator, options }: Of<'oneOf'>, resolve: Resolve): boolean {
  return discriminator === undefined && !areDisjoint(options, resolve)
}

/** The options of a union except null, with those of nested unions, each once. */
function collect(schema: Schema, resolve: Resolve, options: Schema[], seen: Set<string>): void {
  if (schema.kind === 'null') return
  if (schema.kind === 'union' || (schema.kind === 'oneOf' && !overlaps(schema, resolve))) {
    for (const option of schema.options) collect(option, resolve, options, seen)
  } else if (schema.kind === 'enum') {
    const values = schema.values.filter((value) => value !== null)
    if (values.length > 0)
      options.push(values.length === schema.values.length ? schema : { ...schema, values })
  } else if (schema.kind === 'ref') {
    if (seen.has(schema.name)) return
    seen.add(schema.name)
    // a named option is reported by its name; null and nested unions are resolved
    const target = followRefs(schema, resolve)
    if (target.kind === 'union' || target.kind === 'null') collect(target, resolve, options, seen)
    else options.push(schema)
  } else
    options.push(schema.kind === 'intersection' ? (joinObjects(schema, resolve) ?? schema) : schema)
}

/** The schema at the end of a chain of references. */
function followRefs(schema: Schema, resolve: Resolve): Schema {
  let found = schema
  const seen = new Set<string>()
  while (found.kind === 'ref' && !seen.has(found.name)) {
    seen.add(found.name)
    found = resolve(found.name)
  }
  return found
}

/**
 * Whether no value fits two of some options, by kinds, listed values, tags and closed
 * objects. Returns false if it is not certain.
 */
export function areDisjoint(options: readonly Schema[], resolve: Resolve): boolean {
  const seen = options.map((option) => unwrap(option, resolve))
  return seen.every((one, index) =>
    seen
      .slice(index + 1)
      .every((other) => excludes(one, other, resolve) || tellsApart(one, other, resolve)),
  )
}

/** By kinds and by listed values. */
function excludes(one: Schema, other: Schema, resolve: Resolve): boolean {
  if (one.kind === 'never' || other.kind === 'never') return true
  if (one.kind === 'enum') return one.values.every((value) => !admits(other, value, resolve))
  if (other.kind === 'enum') return excludes(other, one, resolve)
  return one.kind !== other.kind && kinds.has(one.kind) && kinds.has(other.kind)
}

/** Kinds that share no value. */
const kinds = new Set<Schema['kind']>(['null', 'boolean', 'number', 'string', 'array', 'object'])

/** Whether two objects exclude each other by the values of a property that one of them requires. */
function tellsApart(one: Schema, other: Schema, resolve: Resolve): boolean {
  if (one.kind !== 'object' || other.kind !== 'object') return false
  return [...listRequired(one), ...listRequired(other)].some((name) => {
    const [mine, theirs] = [ruleFor(one, name), ruleFor(other, name)]
    return (
      mine !== undefined &&
      theirs !== undefined &&
      excludes(unwrap(mine, resolve), unwrap(theirs, resolve), resolve)
    )
  })
}

function listRequired({ properties, alsoRequired }: Of<'object'>): readonly string[] {
  return [...properties.filter(({ required }) => required).map(({ name }) => name), ...alsoRequired]
}
