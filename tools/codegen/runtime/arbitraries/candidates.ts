import * as fc from 'fast-check'
import {
  canonicalize,
  isRecord,
  type ArrayNode,
  type Lookup,
  type Node,
  type ObjectNode,
} from './node.js'
import { mergeNodes, findRule } from './merge.js'
import {
  anything,
  makeNumbers,
  makeStrings,
  makeWrongNumbers,
  makeWrongStrings,
} from './scalars.js'

/** Values that are probably right; undefined if none is known. Each is checked afterwards. */
export type Candidates = fc.Arbitrary<unknown> | undefined

/** For valid values, and for values with one fault. */
export type Maker = {
  readonly valid: (node: Node, depth: number) => Candidates
  readonly faulty: (node: Node, depth: number) => Candidates
  readonly format: Lookup['format']
}

/** Below this depth optional parts are left out. */
const frugalDepth = 3
/** How often a reference cycle is followed at most. */
const deepest = 8

type Intersection = Extract<Node, { readonly kind: 'intersection' }>

/** Makes candidates for the nodes of one document. Each name is built once for each depth. */
export function createMaker(lookup: Lookup): Maker {
  const known = new Map<string, Candidates>()
  const makeNamed = (way: 'valid' | 'faulty', name: string, depth: number): Candidates => {
    if (depth > deepest) return undefined
    const key = `${way} ${depth} ${name}`
    if (!known.has(key)) known.set(key, maker[way](lookup.node(name), depth + 1))
    return known.get(key)
  }
  const merges = new WeakMap<Node, Node>()
  const built = new WeakMap<Node, Map<number, Candidates>>()
  const makeIntersection = (node: Intersection, depth: number): Candidates => {
    if (depth > deepest) return undefined
    const byDepth = built.get(node) ?? new Map<number, Candidates>()
    built.set(node, byDepth)
    if (byDepth.has(depth)) return byDepth.get(depth)
    const merged = merges.get(node) ?? mergeNodes(node.parts, lookup)
    merges.set(node, merged)
    // the merged node may name again what was looked up for it
    const values = maker.valid(merged, depth + 1)
    byDepth.set(depth, values)
    return values
  }
  const maker: Maker = {
    valid: (node, depth) => {
      if (node.kind === 'ref') return makeNamed('valid', node.name, depth)
      return node.kind === 'intersection'
        ? makeIntersection(node, depth)
        : makeValid(node, depth, maker)
    },
    faulty: (node, depth) =>
      node.kind === 'ref' ? makeNamed('faulty', node.name, depth) : makeFaulty(node, depth, maker),
    format: lookup.format,
  }
  return maker
}

function makeValid(
  node: Exclude<Node, { kind: 'ref' | 'intersection' }>,
  depth: number,
  { valid, faulty, format }: Maker,
): Candidates {
  const makePart = (part: Node): Candidates => valid(part, depth)
  switch (node.kind) {
    case 'any':
      return anything
    case 'never':
      return undefined
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'number':
      return makeNumbers(node)
    case 'string':
      return makeStrings(node, format(node.format))
    case 'binary':
      return fc.uint8Array({ maxLength: 16 }).map((bytes) => new Uint8Array(bytes))
    case 'enum':
      return node.values.length === 0 ? undefined : fc.constantFrom<unknown>(...node.values)
    case 'array':
      return makeArrays(node, depth, valid)
    case 'object':
      return makeObjects(node, depth, valid)
    case 'union':
      return chooseFrom(node.options.map(makePart))
    case 'oneOf':
      return makeOneOf(node.options, depth, { valid, faulty })
    case 'not':
      return chooseFrom([faulty(node.schema, depth), anything])
    case 'conditional':
      return chooseFrom([
        makePart({ kind: 'intersection', parts: [node.when, node.then] }),
        makePart(node.otherwise),
      ])
    case 'unevaluated':
      break
  }
  return makePart(node.base)
}

function makeFaulty(
  node: Exclude<Node, { kind: 'ref' }>,
  depth: number,
  { valid, faulty, format }: Maker,
): Candidates {
  switch (node.kind) {
    case 'any':
      return undefined
    case 'never':
    case 'null':
    case 'boolean':
    case 'binary':
      return anything
    case 'number':
      return fc.oneof(...makeWrongNumbers(node))
    case 'string':
      return fc.oneof(...makeWrongStrings(node, format(node.format)))
    case 'enum':
      return chooseFrom([
        anything,
        ...node.values.map((value) =>
          typeof value === 'string' ? fc.constantFrom(`${value}x`, value.toUpperCase()) : undefined,
        ),
      ])
    case 'array':
      return makeFaultyArrays(node, depth, { valid, faulty, format })
    case 'object':
      return makeFaultyObjects(node, depth, { valid, faulty, format })
    case 'union':
      return node.options.some((option) => faulty(option, depth) === undefined)
        ? undefined
        : chooseFrom(node.options.map((option) => faulty(option, depth)))
    case 'oneOf':
      return chooseFrom([
        ...node.options.map((option) => faulty(option, depth)),
        valid({ kind: 'intersection', parts: node.options }, depth),
      ])
    case 'intersection':
      return chooseFrom(
        node.parts.map((part) => insertFault(valid(node, depth), faulty(part, depth))),
      )
    case 'not':
      return valid(node.schema, depth)
    case 'conditional':
      return chooseFrom([
        insertFault(valid(node.when, depth), faulty(node.then, depth)),
        faulty(node.otherwise, depth),
      ])
    case 'unevaluated':
      break
  }
  return chooseFrom([faulty(node.base, depth), addExtra(valid(node.base, depth), anything)])
}

const mostCompared = 4

/**
 * Values of each option; of few options, also those that break another one. Values with different
 * tags do so anyway.
 */
function makeOneOf(
  options: readonly Node[],
  depth: number,
  { valid, faulty }: Pick<Maker, 'valid' | 'faulty'>,
): Candidates {
  const all = chooseFrom(options.map((option) => valid(option, depth)))
  if (all === undefined || options.length > mostCompared || haveTags(options)) return all
  const alone = options.flatMap((option, at) =>
    options.map((other, index) =>
      index === at ? undefined : insertFault(valid(option, depth), faulty(other, depth)),
    ),
  )
  const one = chooseFrom(alone)
  return one ? fc.oneof({ arbitrary: all, weight: 3 }, { arbitrary: one, weight: 1 }) : all
}

/** Whether one property is required by each option, with values that no other option lists. */
function haveTags(options: readonly Node[]): boolean {
  const tags = options.map((option) => new Map(listTags(option)))
  return [...(tags[0]?.keys() ?? [])].some((name) => {
    const values = tags.flatMap((own) => own.get(name) ?? [undefined])
    return !values.includes(undefined) && new Set(values).size === values.length
  })
}

function listTags(node: Node): readonly (readonly [name: string, values: readonly unknown[]])[] {
  if (node.kind === 'intersection') return node.parts.flatMap(listTags)
  if (node.kind !== 'object') return []
  return (node.properties ?? []).flatMap(({ name, required, schema }) =>
    required && schema.kind === 'enum' ? [[name, schema.values] as const] : [],
  )
}

function makeArrays(node: ArrayNode, depth: number, valid: Maker['valid']): Candidates {
  const { prefix = [], contains, minItems = 0, maxItems = Infinity } = node
  const first = prefix.map((part) => valid(part, depth))
  const item = valid(node.items, depth)
  const containedItem = contains && valid(contains.schema, depth)
  const least = Math.max(0, minItems - prefix.length - (contains?.min ?? 0))
  const most = Math.max(
    least,
    Math.min(maxItems - prefix.length, least + (depth > frugalDepth ? 0 : 3)),
  )
  if (item === undefined && least > 0) return undefined
  const rest =
    item === undefined
      ? fc.constant([])
      : applyUniqueness(
          fc.array(item, { minLength: least, maxLength: most }),
          node,
          item,
          least,
          most,
        )
  const held =
    containedItem === undefined
      ? fc.constant([])
      : fc.array(containedItem, { minLength: contains?.min ?? 0, maxLength: contains?.min ?? 0 })
  const lead = first.filter((part) => part !== undefined)
  const head = lead.length === first.length ? fc.tuple(...lead) : fc.constant([])
  return fc.tuple(head, held, rest).map((parts) => parts.flat())
}

function applyUniqueness(
  all: fc.Arbitrary<unknown[]>,
  node: ArrayNode,
  item: fc.Arbitrary<unknown>,
  minLength: number,
  maxLength: number,
) {
  return node.unique ? fc.uniqueArray(item, { minLength, maxLength, selector: canonicalize }) : all
}

function makeFaultyArrays(node: ArrayNode, depth: number, { valid, faulty }: Maker): Candidates {
  const { minItems = 0, maxItems = Infinity, prefix = [] } = node
  const whole = makeArrays(node, depth, valid) as fc.Arbitrary<unknown[]> | undefined
  const fault = chooseFrom([...prefix, node.items].map((part) => faulty(part, depth)))
  const item = valid(node.items, depth)
  return chooseFrom([
    fc.constantFrom<unknown>(null, 'a', 0),
    whole &&
      fault &&
      fc
        .tuple(whole, fault, fc.nat())
        .map(([items, one, at]) =>
          items.length < maxItems
            ? [...items, one]
            : items.map((item, index) => (index === at % items.length ? one : item)),
        ),
    minItems > 0 ? whole?.map((items) => items.slice(0, minItems - 1)) : undefined,
    item && maxItems < 1000
      ? fc.array(item, { minLength: maxItems + 1, maxLength: maxItems + 1 })
      : undefined,
    node.unique && item ? item.map((one) => [one, one]) : undefined,
    node.contains && fc.constant([]),
  ])
}

type Entry = readonly (readonly [name: string, value: unknown])[]

function makeObjects(node: ObjectNode, depth: number, valid: Maker['valid']): Candidates {
  const { properties = [], alsoRequired = [], additional, minProperties = 0 } = node
  const entries: fc.Arbitrary<Entry>[] = []
  for (const { name, schema, required } of [
    ...properties,
    ...alsoRequired
      .filter((name) => !properties.some((property) => property.name === name))
      .map((name) => ({ name, schema: findRule(node, name), required: true as const })),
  ]) {
    const value = required || depth <= frugalDepth ? valid(schema, depth) : undefined
    if (value === undefined && required) return undefined
    const entry = value?.map((item): Entry => [[name, item]])
    if (entry !== undefined)
      entries.push(required ? entry : fc.oneof(fc.constant<Entry>([]), entry))
  }
  const missing = Math.max(0, minProperties - properties.length - alsoRequired.length)
  if ((additional.kind !== 'never' && !node.quiet) || (node.patterns ?? []).length > 0)
    entries.push(makeExtras(node, depth, valid, missing))
  return fc.tuple(...entries).map((all) => Object.fromEntries(all.flat()))
}

/** Made once: fast-check looks for names such as `__proto__` in each such arbitrary. */
const freeName = fc.stringMatching(/^x[a-z0-9]{1,5}$/)

/** Additional properties: few, and usually none. */
function makeExtras(
  node: ObjectNode,
  depth: number,
  valid: Maker['valid'],
  least: number,
): fc.Arbitrary<Entry> {
  const names = node.propertyNames && valid(node.propertyNames, depth)
  const name = names?.map(String) ?? freeName
  const value = valid(node.additional, depth)
  const free = value && fc.tuple(name, value)
  const patterned = (node.patterns ?? []).map(({ pattern, schema }) => {
    const item = valid(schema, depth)
    const key = makeStrings({ kind: 'string', pattern })
    return key && item && fc.tuple(key, item)
  })
  const one = chooseFrom([free, ...patterned]) as
    | fc.Arbitrary<readonly [string, unknown]>
    | undefined
  if (one === undefined) return fc.constant([])
  const some = fc.uniqueArray(one, {
    minLength: least,
    maxLength: least + 2,
    selector: ([key]) => key,
  })
  return least > 0 || depth > frugalDepth
    ? some
    : fc.oneof({ weight: 3, arbitrary: fc.constant<Entry>([]) }, { weight: 1, arbitrary: some })
}

function makeFaultyObjects(node: ObjectNode, depth: number, { valid, faulty }: Maker): Candidates {
  const { properties = [], alsoRequired = [], additional } = node
  const whole = makeObjects(node, depth, valid)
  const required = [
    ...properties.filter((property) => property.required).map(({ name }) => name),
    ...alsoRequired,
  ]
  const broken = properties.map(({ name, schema }) => {
    const fault = faulty(schema, depth)
    return (
      whole &&
      fault &&
      fc.tuple(whole, fault).map(([value, item]) => replaceProperty(value, name, item))
    )
  })
  const dropped = required.map((name) => whole?.map((value) => omitProperty(value, name)))
  const other = faulty(additional, depth)
  return chooseFrom([
    fc.constantFrom<unknown>(null, 'a', 0),
    ...broken,
    ...dropped,
    other && addExtra(whole, other),
  ])
}

function addExtra(whole: Candidates, item: fc.Arbitrary<unknown>): Candidates {
  return (
    whole &&
    fc
      .tuple(whole, item)
      .map(([value, extra]) =>
        Array.isArray(value)
          ? [...(value as unknown[]), extra]
          : replaceProperty(value, 'unknown', extra),
      )
  )
}

function replaceProperty(value: unknown, name: string, item: unknown): unknown {
  return isRecord(value)
    ? Object.fromEntries([...Object.entries(value).filter(([key]) => key !== name), [name, item]])
    : value
}

function omitProperty(value: unknown, name: string): unknown {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
    : value
}

function chooseFrom(options: readonly Candidates[]): Candidates {
  const some = options.filter((option) => option !== undefined)
  return some.length === 0 ? undefined : fc.oneof(...some)
}

/** Breaks one part of a value that is valid for the others. */
function insertFault(others: Candidates, fault: Candidates): Candidates {
  if (others === undefined || fault === undefined) return fault
  return fc
    .tuple(others, fault)
    .map(([value, item]) =>
      isRecord(value) && isRecord(item) ? mergeRecords([value, item]) : item,
    )
}

function mergeRecords(records: readonly Readonly<Record<string, unknown>>[]): unknown {
  return Object.fromEntries(records.flatMap((record) => Object.entries(record)))
}
