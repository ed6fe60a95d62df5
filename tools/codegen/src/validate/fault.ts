import { pointerTo } from '../document/json.js'
import { canonicalize, match } from '../ir/schema.js'
import type { Json, Of, Schema } from '../ir/schema.js'
import { accepts, matches, cachePerReference, type ValidationContext } from './accepts.js'

/** The deepest single place at which a value is invalid, and what the schema expects there. */
export type Fault = {
  readonly pointer: string
  readonly found: Json | undefined
  readonly expected: string
}

const memoizeFault = cachePerReference<Fault>()

/** Finds the fault of a value that the schema rejects. */
export function findFault(
  schema: Schema,
  value: Json,
  context: ValidationContext,
  pointer = '',
): Fault {
  const rejects = (part: Schema, item: Json): boolean => !accepts(part, item, context)
  const createFault = (expected: string): Fault => ({ pointer, found: value, expected })
  const findPartFault = (part: Schema): Fault => findFault(part, value, context, pointer)
  return match<Fault>(schema, {
    any: () => createFault('any value'),
    never: () => createFault('nothing'),
    null: () => createFault('null'),
    boolean: () => createFault('a boolean'),
    number: (node) => createFault(describeNumber(node)),
    string: (node) => createFault(describeString(node)),
    binary: () => createFault('bytes'),
    enum: ({ values }) =>
      createFault(
        `one of ${values.slice(0, 8).map(canonicalize).join(', ')}${values.length > 8 ? ', …' : ''}`,
      ),
    array: (node) => {
      if (!Array.isArray(value)) return createFault('an array')
      const list = value as readonly Json[]
      const index = list.findIndex((item, at) => rejects(node.prefix[at] ?? node.items, item))
      const item = list[index]
      return item === undefined
        ? createFault('another number of elements, or others')
        : findFault(node.prefix[index] ?? node.items, item, context, pointerTo(pointer, index))
    },
    object: (node) =>
      findObjectFault(node, value, context, pointer) ?? createFault('an object of another kind'),
    union: ({ options }) =>
      findOptionFault(options, value, context, pointer) ??
      createFault(`one of ${options.length} options`),
    oneOf: ({ options }) => {
      const fitting = options.filter((option) => !rejects(option, value)).length
      if (fitting > 1)
        return createFault(`exactly one of ${options.length} options, not ${fitting}`)
      return (
        findOptionFault(options, value, context, pointer) ??
        createFault(`one of ${options.length} options`)
      )
    },
    intersection: ({ parts }) =>
      findPartFault(
        parts.find((part) => rejects(part, value)) ?? { kind: 'never', notes: schema.notes },
      ),
    not: () => createFault('something else'),
    conditional: ({ when, then, otherwise }) =>
      findPartFault(rejects(when, value) ? otherwise : then),
    unevaluated: ({ base }) =>
      rejects(base, value) ? findPartFault(base) : createFault('nothing but what the schema names'),
    ref: ({ name }) =>
      memoizeFault(context, `${name} ${pointer}`, value, () => findPartFault(context.lookup(name))),
  })
}

function findObjectFault(
  node: Of<'object'>,
  value: Json,
  context: ValidationContext,
  pointer: string,
): Fault | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { pointer, found: value, expected: 'an object' }
  const members = value as Readonly<Record<string, Json>>
  const required = [
    ...node.properties.filter((property) => property.required).map(({ name }) => name),
    ...node.alsoRequired,
  ]
  const missing = required.find((name) => !Object.hasOwn(members, name))
  if (missing !== undefined)
    return { pointer, found: value, expected: `the property ${JSON.stringify(missing)}` }
  for (const [name, item] of Object.entries(members)) {
    const property = node.properties.find((candidate) => candidate.name === name)
    const patterns = node.patterns.filter(({ pattern }) => matches(context, pattern, name))
    const parts = [...(property === undefined ? [] : [property]), ...patterns].map(
      ({ schema }) => schema,
    )
    const part = (parts.length === 0 ? [node.additional] : parts).find(
      (one) => !accepts(one, item, context),
    )
    if (part?.kind === 'never')
      return { pointer, found: value, expected: `no property ${JSON.stringify(name)}` }
    if (part !== undefined) return findFault(part, item, context, pointerTo(pointer, name))
  }
  return undefined
}

/**
 * Picks the most likely option: the only one of the value's kind, or else the only one whose fault
 * is deeper in the value.
 */
function findOptionFault(
  options: readonly Schema[],
  value: Json,
  context: ValidationContext,
  pointer: string,
): Fault | undefined {
  const [candidate, another] = options.filter(
    (option) => resolveKind(option, context) === findValueKind(value),
  )
  if (candidate !== undefined && another === undefined)
    return findFault(candidate, value, context, pointer)
  const [deeper, second] = options
    .map((option) => findFault(option, value, context, pointer))
    .filter((fault) => fault.pointer !== pointer)
  return second === undefined ? deeper : undefined
}

function resolveKind(schema: Schema, context: ValidationContext): Schema['kind'] {
  const target =
    schema.kind === 'ref'
      ? context.lookup(schema.name)
      : schema.kind === 'unevaluated'
        ? schema.base
        : schema
  return target.kind === 'ref' ? 'any' : target.kind
}

function findValueKind(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function describeNumber({
  integer,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
  format,
}: Of<'number'>): string {
  return [
    integer ? 'an integer' : 'a number',
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    exclusiveMaximum === undefined ? '' : `below ${exclusiveMaximum}`,
    multipleOf === undefined ? '' : `a multiple of ${multipleOf}`,
    format === undefined ? '' : `of the format ${format}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

function describeString({ minLength, maxLength, pattern, format }: Of<'string'>): string {
  return [
    'a string',
    minLength === undefined ? '' : `of at least ${minLength} characters`,
    maxLength === undefined ? '' : `of at most ${maxLength} characters`,
    pattern === undefined ? '' : `that matches ${pattern}`,
    format === undefined ? '' : `of the format ${format}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}
