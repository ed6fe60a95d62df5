import { accepts } from './accepts.js'
import type { ArrayNode, Json, Lookup, Node, NumberNode, ObjectNode, StringNode } from './node.js'

/** How many alternatives of choices within an intersection are looked at. */
const maxOptions = 48

/**
 * One node for all that a value must be at once, as far as values can be made of it: properties are
 * those of all parts, bounds the narrowest, and choices are distributed. Each value is checked by
 * all parts afterwards, so that what only restricts may be left out.
 */
export function mergeNodes(parts: readonly Node[], lookup: Lookup): Node {
  const flat = flattenParts(parts, lookup, new Set())
  const telling = flat.filter(({ kind }) => kind !== 'any' && kind !== 'not')
  const choice = telling.find(isChoice)
  if (choice === undefined)
    return telling.reduce<Node>((one, other) => mergePair(one, other, lookup), any)
  const others = telling.filter((part) => part !== choice)
  const options = listOptions(choice).map((option) => mergeNodes([...option, ...others], lookup))
  return {
    kind: 'union',
    options: options
      .flatMap((option) => (option.kind === 'union' ? option.options : [option]))
      .filter(({ kind }) => kind !== 'never')
      .slice(0, maxOptions),
  }
}

const any: Node = { kind: 'any' }
const never: Node = { kind: 'never' }

type Choice = Extract<Node, { readonly kind: 'union' | 'oneOf' | 'conditional' }>

function isChoice(node: Node): node is Choice {
  return node.kind === 'union' || node.kind === 'oneOf' || node.kind === 'conditional'
}

function listOptions(node: Choice): readonly (readonly Node[])[] {
  return node.kind === 'conditional'
    ? [[node.when, node.then], [node.otherwise]]
    : node.options.slice(0, maxOptions).map((option) => [option])
}

function flattenParts(
  parts: readonly Node[],
  lookup: Lookup,
  seen: ReadonlySet<string>,
): readonly Node[] {
  return parts.flatMap((part): readonly Node[] => {
    if (part.kind === 'intersection') return flattenParts(part.parts, lookup, seen)
    if (part.kind === 'unevaluated') return flattenParts([part.base], lookup, seen)
    if (part.kind !== 'ref') return [part]
    return seen.has(part.name)
      ? []
      : flattenParts([lookup.node(part.name)], lookup, new Set([...seen, part.name]))
  })
}

function mergePair(one: Node, other: Node, lookup: Lookup): Node {
  if (one.kind === 'any') return other
  if (one.kind === 'union') {
    const options = one.options.map((option) => mergePair(option, other, lookup))
    return { kind: 'union', options: options.filter(({ kind }) => kind !== 'never') }
  }
  if (other.kind === 'enum') return filterEnum(other.values, one, lookup)
  if (one.kind === 'enum') return filterEnum(one.values, other, lookup)
  if (one.kind === 'number' && other.kind === 'number') return mergeNumbers(one, other)
  if (one.kind === 'string' && other.kind === 'string') return mergeStrings(one, other)
  if (one.kind === 'array' && other.kind === 'array') return mergeArrays(one, other)
  if (one.kind === 'object' && other.kind === 'object') return mergeObjects(one, other)
  return one.kind === other.kind ? one : never
}

function filterEnum(all: readonly Json[], other: Node, lookup: Lookup): Node {
  const left = all.filter((value) => accepts(other, value, lookup))
  return left.length === 0 ? never : { kind: 'enum', values: left }
}

type Bounds<Key extends string> = { readonly [K in Key]?: number }

/** The narrower of two bounds, for each key. */
function narrowBounds<Key extends string>(
  keys: readonly Key[],
  narrower: (...all: number[]) => number,
  one: Bounds<Key>,
  other: Bounds<Key>,
): Bounds<Key> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const bounds = [one[key], other[key]].filter((bound) => bound !== undefined)
      return bounds.length === 0 ? [] : [[key, narrower(...bounds)]]
    }),
  ) as Bounds<Key>
}

function mergeNumbers(one: NumberNode, other: NumberNode): Node {
  const steps = [one.multipleOf, other.multipleOf].filter((step) => step !== undefined)
  return {
    ...one,
    ...other,
    integer: one.integer || other.integer,
    ...narrowBounds(['minimum', 'exclusiveMinimum'], Math.max, one, other),
    ...narrowBounds(['maximum', 'exclusiveMaximum'], Math.min, one, other),
    ...(steps.length > 0 && { multipleOf: Math.max(...steps) }),
  }
}

/** Of two patterns texts are made by either, and checked by both. */
function mergeStrings(one: StringNode, other: StringNode): Node {
  const both: StringNode = {
    ...one,
    ...other,
    ...narrowBounds(['minLength'], Math.max, one, other),
    ...narrowBounds(['maxLength'], Math.min, one, other),
  }
  if (one.pattern === undefined || other.pattern === undefined || one.pattern === other.pattern)
    return both
  return { kind: 'union', options: [{ ...both, pattern: one.pattern }, both] }
}

function mergeArrays(one: ArrayNode, other: ArrayNode): Node {
  const [first = [], second = []] = [one.prefix, other.prefix]
  const prefix = Array.from({ length: Math.max(first.length, second.length) }, (_, index) =>
    intersect(first[index] ?? one.items, second[index] ?? other.items),
  )
  return {
    ...one,
    ...other,
    prefix,
    items: intersect(one.items, other.items),
    ...narrowBounds(['minItems'], Math.max, one, other),
    ...narrowBounds(['maxItems'], Math.min, one, other),
    ...((one.unique === true || other.unique === true) && { unique: true as const }),
  }
}

function mergeObjects(one: ObjectNode, other: ObjectNode): Node {
  const names = new Set(
    [one, other].flatMap(({ properties = [] }) => properties.map(({ name }) => name)),
  )
  const demanded = new Set([one, other].flatMap(listRequired))
  const properties = Array.from(names, (name) => ({
    name,
    schema: intersect(findRule(one, name), findRule(other, name)),
    ...(demanded.has(name) && { required: true as const }),
  }))
  const propertyNames =
    one.propertyNames && other.propertyNames
      ? intersect(one.propertyNames, other.propertyNames)
      : (one.propertyNames ?? other.propertyNames)
  return {
    kind: 'object',
    properties,
    alsoRequired: [...demanded].filter((name) => !names.has(name)),
    patterns: [...(one.patterns ?? []), ...(other.patterns ?? [])],
    additional: intersect(one.additional, other.additional),
    ...((one.quiet === true || other.quiet === true) && { quiet: true as const }),
    ...(propertyNames && { propertyNames }),
    ...narrowBounds(['minProperties'], Math.max, one, other),
    ...narrowBounds(['maxProperties'], Math.min, one, other),
    dependentRequired: [...(one.dependentRequired ?? []), ...(other.dependentRequired ?? [])],
    dependentSchemas: [...(one.dependentSchemas ?? []), ...(other.dependentSchemas ?? [])],
  }
}

function listRequired({ properties = [], alsoRequired = [] }: ObjectNode): readonly string[] {
  return [...properties.filter(({ required }) => required).map(({ name }) => name), ...alsoRequired]
}

/** What an object says of a property: by its name, by patterns, else as of any other. */
export function findRule(
  { properties = [], patterns = [], additional }: ObjectNode,
  name: string,
): Node {
  const rules = [
    ...properties.filter((property) => property.name === name),
    ...patterns.filter(({ pattern }) => new RegExp(pattern, 'u').test(name)),
  ].map(({ schema }) => schema)
  return rules.length === 0 ? additional : rules.reduce(intersect)
}

function intersect(one: Node, other: Node): Node {
  if (one === other || other.kind === 'any') return one
  return one.kind === 'any' ? other : { kind: 'intersection', parts: [one, other] }
}
