import { isList, isObject, own } from '../document/json.js'
import type { Json } from '../document/json.js'
import { findSlot } from '../document/shape.js'
import { componentKey } from './build-context.js'

/** The references between components, and the order of declarations that follows. */
export type Graph = {
  /** Each after those it refers to, except in circles; else in the order of the document. */
  readonly order: readonly string[]
  /** Whether it can be reached from itself. */
  readonly isCyclic: (key: string) => boolean
  /** Whether the target is not declared before the component that refers to it. */
  readonly closesCycle: (from: string | undefined, to: string) => boolean
  /**
   * Circles of references to the same value, whose validation would never end.
   */
  readonly endless: readonly (readonly string[])[]
}

export function schemaGraph(components: ReadonlyMap<string, Json>): Graph {
  const needs = new Map(
    [...components].map(([key, schema]) => [key, references(schema, components, false)]),
  )
  const same = new Map(
    [...components].map(([key, schema]) => [key, references(schema, components, true)]),
  )
  const order = postOrder(needs)
  const position = new Map(order.map((key, index) => [key, index]))
  const cyclic = membersOfCycles(needs)
  return {
    order,
    isCyclic: (key) => cyclic.has(key),
    closesCycle: (from, to) =>
      from !== undefined && (position.get(to) ?? -1) >= (position.get(from) ?? -1),
    endless: circles(same),
  }
}

/** The components that a schema refers to; with `inPlace`, only for the same value. */
function references(
  schema: Json,
  components: ReadonlyMap<string, Json>,
  inPlace: boolean,
): readonly string[] {
  const found = new Set<string>()
  const stack: Json[] = [schema]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isObject(node)) continue
    const ref = own(node, '$ref')
    const key = typeof ref === 'string' ? componentKey(ref) : undefined
    if (key !== undefined && components.has(key)) found.add(key)
    for (const [word, value] of Object.entries(node).reverse()) {
      const slot = findSlot('schema', word)
      if (slot === undefined || (inPlace && !inPlaceWords.has(word))) continue
      if (slot.as === 'one') stack.push(value)
      else if (isList(value)) stack.push(...value.toReversed())
      else if (isObject(value)) for (const item of Object.values(value).reverse()) stack.push(item)
    }
  }
  return [...found]
}

const inPlaceWords = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
])

type Edges = ReadonlyMap<string, readonly string[]>
type Frame = { readonly key: string; next: number }

/** Depth first without recursion: a chain of ten thousand components needs no stack. */
function postOrder(edges: Edges): readonly string[] {
  const order: string[] = []
  const seen = new Set<string>()
  for (const start of edges.keys()) {
    if (seen.has(start)) continue
    seen.add(start)
    const stack: Frame[] = [{ key: start, next: 0 }]
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const to = edges.get(frame.key)?.[frame.next++]
      if (to === undefined) order.push(stack.pop()?.key ?? frame.key)
      else if (!seen.has(to)) {
        seen.add(to)
        stack.push({ key: to, next: 0 })
      }
    }
  }
  return order
}

/** Strongly connected components (Kosaraju): the nodes that can reach themselves. */
function membersOfCycles(edges: Edges): ReadonlySet<string> {
  const backwards = new Map<string, string[]>([...edges.keys()].map((key) => [key, []]))
  for (const [from, targets] of edges) for (const to of targets) backwards.get(to)?.push(from)
  const seen = new Set<string>()
  const members = new Set<string>()
  for (const start of postOrder(edges).toReversed()) {
    if (seen.has(start)) continue
    seen.add(start)
    const group = [start]
    for (let index = 0; index < group.length; index++) {
      for (const from of backwards.get(group[index] ?? '') ?? []) {
        if (seen.has(from)) continue
        seen.add(from)
        group.push(from)
      }
    }
    if (group.length > 1 || edges.get(start)?.includes(start) === true)
      for (const key of group) members.add(key)
  }
  return members
}

/** One circle for each group of components that refer to each other. */
function circles(edges: Edges): readonly (readonly string[])[] {
  const members = membersOfCycles(edges)
  const shown = new Set<string>()
  const found: (readonly string[])[] = []
  for (const start of members) {
    if (shown.has(start)) continue
    const path = [start]
    for (let at = start; ;) {
      shown.add(at)
      const next = (edges.get(at) ?? []).find(
        (to) => members.has(to) && (to === start || !path.includes(to)),
      )
      if (next === undefined || next === start) break
      path.push(next)
      at = next
    }
    found.push(path)
  }
  return found
}
