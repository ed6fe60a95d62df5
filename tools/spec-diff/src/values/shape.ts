import { admits, type Schema } from '@farebox/codegen/model'
import { joinObjects } from './join-objects.js'
import { followRefs, type Resolve } from './signature.js'

/**
 * A schema without its outer wrapping: whether it accepts null, and the kinds of its other values.
 * `exactlyOne`: the options may overlap, and a value that two of them accept is rejected.
 */
export type Shape = {
  readonly nullable: boolean
  readonly options: readonly Schema[]
  readonly exactlyOne: boolean
}

/**
 * The shape of a normalized schema after references, nested unions and objects in `allOf` are
 * resolved. What is left of `oneOf` there has options that may overlap.
 */
export function toShape(schema: Schema, resolve: Resolve): Shape {
  const { options, exactlyOne } = toChoice(followRefs(schema, resolve), resolve)
  return { nullable: admits(schema, null, resolve), options, exactlyOne }
}

type Choice = Omit<Shape, 'nullable'>

function toChoice(schema: Schema, resolve: Resolve): Choice {
  if (schema.kind === 'oneOf') {
    const others = schema.options.filter(({ kind }) => kind !== 'null')
    const [only] = others
    return others.length === 1 && only !== undefined
      ? toChoice(followRefs(only, resolve), resolve)
      : { options: others, exactlyOne: true }
  }
  const options: Schema[] = []
  collect(schema, resolve, options, new Set())
  const [only] = options
  return options.length === 1 && only?.kind === 'oneOf'
    ? toChoice(only, resolve)
    : { options, exactlyOne: false }
}

/** The options of a union except null, with those of nested unions, each once. */
function collect(schema: Schema, resolve: Resolve, options: Schema[], seen: Set<string>): void {
  if (schema.kind === 'null') return
  if (schema.kind === 'union') {
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
