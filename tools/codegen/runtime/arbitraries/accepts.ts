import {
  canonicalize,
  isBytes,
  isRecord,
  type ArrayNode,
  type Lookup,
  type Node,
  type NumberNode,
  type ObjectNode,
  type StringNode,
} from './node.js'

/** The names and indexes that a schema has evaluated; undefined if it rejects the value. */
type Evaluation = ReadonlySet<string | number> | undefined

const none: ReadonlySet<string | number> = new Set()

/** The result of JSON Schema 2020-12. */
export function accepts(node: Node, value: unknown, lookup: Lookup): boolean {
  return evaluate(node, value, lookup) !== undefined
}

function evaluate(node: Node, value: unknown, lookup: Lookup): Evaluation {
  const evaluatePart = (part: Node): Evaluation => evaluate(part, value, lookup)
  const holds = (part: Node, item: unknown): boolean => evaluate(part, item, lookup) !== undefined
  const acceptIf = (condition: boolean): Evaluation => (condition ? none : undefined)
  switch (node.kind) {
    case 'any':
      return none
    case 'never':
      return undefined
    case 'null':
      return acceptIf(value === null)
    case 'boolean':
      return acceptIf(typeof value === 'boolean')
    case 'number':
      return acceptIf(typeof value === 'number' && isNumber(node, value))
    case 'string':
      return acceptIf(typeof value === 'string' && isString(node, value, lookup))
    case 'binary':
      return acceptIf(isBytes(value))
    case 'enum':
      return acceptIf(node.values.some((one) => canonicalize(one) === canonicalize(value)))
    case 'array':
      return Array.isArray(value) ? evaluateArray(node, value, holds) : undefined
    case 'object':
      return isRecord(value) ? evaluateObject(node, value, holds, evaluatePart) : undefined
    case 'union':
    case 'oneOf': {
      const outcomes = node.options.map(evaluatePart).filter((seen) => seen !== undefined)
      return node.kind === 'union'
        ? outcomes.length > 0
          ? mergeSeen(outcomes)
          : undefined
        : outcomes.length === 1
          ? outcomes[0]
          : undefined
    }
    case 'intersection': {
      const found = node.parts.map(evaluatePart).filter((seen) => seen !== undefined)
      return found.length === node.parts.length ? mergeSeen(found) : undefined
    }
    case 'not':
      return acceptIf(evaluatePart(node.schema) === undefined)
    case 'conditional': {
      const tested = evaluatePart(node.when)
      const branch = evaluatePart(tested === undefined ? node.otherwise : node.then)
      return branch && mergeSeen([tested ?? none, branch])
    }
    case 'unevaluated': {
      const seen = evaluatePart(node.base)
      const rule = isRecord(value) ? node.properties : Array.isArray(value) ? node.items : undefined
      if (seen === undefined || rule === undefined) return seen
      const rest = listEntries(value).filter(([key]) => !seen.has(key))
      return rest.every(([, item]) => holds(rule, item))
        ? mergeSeen([seen, new Set(rest.map(([key]) => key))])
        : undefined
    }
    case 'ref':
      break
  }
  return evaluatePart(lookup.node(node.name))
}

function evaluateArray(
  node: ArrayNode,
  value: readonly unknown[],
  holds: (part: Node, item: unknown) => boolean,
): Evaluation {
  const { prefix = [], items, contains, unevaluated } = node
  if (value.length < (node.minItems ?? 0) || value.length > (node.maxItems ?? Infinity))
    return undefined
  if (node.unique && new Set(value.map(canonicalize)).size !== value.length) return undefined
  const seen = new Set<number>()
  for (const [index, item] of value.entries()) {
    if (!holds(prefix[index] ?? items, item)) return undefined
    if (index < prefix.length || items.kind !== 'any' || node.itemsStated) seen.add(index)
  }
  if (contains !== undefined) {
    const indices = [...value.keys()].filter((index) => holds(contains.schema, value[index]))
    if (indices.length < contains.min || indices.length > (contains.max ?? Infinity))
      return undefined
    for (const index of indices) seen.add(index)
  }
  if (unevaluated === undefined) return seen
  return [...value.keys()].every((index) => seen.has(index) || holds(unevaluated, value[index]))
    ? new Set(value.keys())
    : undefined
}

function evaluateObject(
  node: ObjectNode,
  value: Readonly<Record<string, unknown>>,
  holds: (part: Node, item: unknown) => boolean,
  on: (part: Node) => Evaluation,
): Evaluation {
  const { properties = [], patterns = [], additional, propertyNames } = node
  const names = Object.keys(value)
  const has = (name: string): boolean => Object.hasOwn(value, name)
  if (names.length < (node.minProperties ?? 0) || names.length > (node.maxProperties ?? Infinity))
    return undefined
  if (
    ![
      ...properties.filter(({ required }) => required).map(({ name }) => name),
      ...(node.alsoRequired ?? []),
    ].every(has)
  )
    return undefined
  if (
    !(node.dependentRequired ?? []).every(({ name, requires }) => !has(name) || requires.every(has))
  )
    return undefined
  if (propertyNames !== undefined && !names.every((name) => holds(propertyNames, name)))
    return undefined
  const seen = new Set<string | number>()
  for (const [name, item] of Object.entries(value)) {
    const rules = [
      ...properties.filter((property) => property.name === name),
      ...patterns.filter(({ pattern }) => new RegExp(pattern, 'u').test(name)),
    ]
    if (!rules.every(({ schema }) => holds(schema, item))) return undefined
    if (rules.length === 0 && !holds(additional, item)) return undefined
    if (rules.length > 0 || additional.kind !== 'any' || node.additionalStated) seen.add(name)
  }
  const dependents = (node.dependentSchemas ?? [])
    .filter(({ name }) => has(name))
    .map(({ schema }) => on(schema))
  const found = dependents.filter((inner) => inner !== undefined)
  return found.length === dependents.length ? mergeSeen([seen, ...found]) : undefined
}

function isNumber(node: NumberNode, value: number): boolean {
  return (
    Number.isFinite(value) &&
    (!node.integer || Number.isInteger(value)) &&
    value >= (node.minimum ?? -Infinity) &&
    value <= (node.maximum ?? Infinity) &&
    value > (node.exclusiveMinimum ?? -Infinity) &&
    value < (node.exclusiveMaximum ?? Infinity) &&
    (node.multipleOf === undefined || isMultiple(value, node.multipleOf))
  )
}

/** By the shortest decimals of both numbers: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const [digits, exponent] = toDecimal(value)
  const [stepDigits, stepExponent] = toDecimal(step)
  const shift = Math.min(exponent, stepExponent)
  return (
    (digits * 10n ** BigInt(exponent - shift)) %
      (stepDigits * 10n ** BigInt(stepExponent - shift)) ===
    0n
  )
}

function toDecimal(value: number): readonly [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

function isString(
  { minLength = 0, maxLength = Infinity, pattern, format }: StringNode,
  value: string,
  lookup: Lookup,
): boolean {
  const length = Array.from(value).length
  return (
    length >= minLength &&
    length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(value)) &&
    (lookup.format(format)?.shape.test(value) ?? true)
  )
}

function listEntries(value: unknown): readonly (readonly [string | number, unknown])[] {
  return Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value as Readonly<Record<string, unknown>>)
}

function mergeSeen(all: readonly ReadonlySet<string | number>[]): ReadonlySet<string | number> {
  return new Set(all.flatMap((seen) => [...seen]))
}
