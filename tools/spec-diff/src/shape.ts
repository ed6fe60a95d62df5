import { admits, type Of, type Schema } from '@farebox/codegen'
import { areDisjoint } from './disjoint.js'
import { joinedObject } from './join-objects.js'
import type { Resolve } from './resolve.js'

/**
 * A schema without its outer wrapping: whether it accepts null, and the kinds of its other values.
 * `exactlyOne`: the options may overlap, and a value that two of them accept is refused.
 */
export type Shape = {
  readonly nullable: boolean
  readonly options: readonly Schema[]
  readonly exactlyOne: boolean
}

/** The shape of a schema after references, nested unions and objects in `allOf` are resolved. */
export function toShape(schema: Schema, resolve: Resolve): Shape {
  const { options, exactlyOne } = toChoice(followed(schema, resolve), resolve)
  return { nullable: admits(schema, null, resolve), options, exactlyOne }
}

type Choice = Omit<Shape, 'nullable'>

function toChoice(schema: Schema, resolve: Resolve): Choice {
  if (schema.kind === 'oneOf' && overlaps(schema, resolve)) {
    const others = schema.options.filter(({ kind }) => kind !== 'null')
    const [only] = others
    return others.length === 1 && only !== undefined
      ? toChoice(followed(only, resolve), resolve)
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
    const target = followed(schema, resolve)
    if (target.kind === 'union' || target.kind === 'null') collect(target, resolve, options, seen)
    else options.push(schema)
  } else
    options.push(
      schema.kind === 'intersection' ? (joinedObject(schema, resolve) ?? schema) : schema,
    )
}

/** The schema at the end of a chain of references. */
function followed(schema: Schema, resolve: Resolve): Schema {
  let found = schema
  const seen = new Set<string>()
  while (found.kind === 'ref' && !seen.has(found.name)) {
    seen.add(found.name)
    found = resolve(found.name)
  }
  return found
}
