import type { OperationFacts } from './operation-facts.js'

/** An operation, and the texts that stand for the variables of its path. */
export type Route = {
  readonly operation: OperationFacts
  readonly texts: Readonly<Record<string, string>>
}

/** Which operations a path leads to, the closest first, or the methods that it has instead. */
export type RouteMatch = { readonly routes: readonly Route[]; readonly allow: readonly string[] }

type Pattern = {
  readonly shape: string
  readonly regExp: RegExp
  readonly fixed: number
  readonly node: Node
}

/** An operation with the names of its variables, in order, and its query: a value or a variable. */
type Entry = {
  readonly operation: OperationFacts
  readonly names: readonly string[]
  readonly query: readonly (readonly [name: string, value: string])[]
}

type Node = {
  readonly literals: Map<string, Node>
  /** The one with the most fixed letters first. */
  readonly patterns: Pattern[]
  readonly entries: Entry[]
}

/**
 * Finds the operations of a method, a path and a query that are still escaped. A segment without
 * templates is preferred, then the one with the most fixed letters (OpenAPI 3.1.1, "Path
 * Templating"); the names of variables do not matter. A method that only another fitting path has
 * is found too. GET answers HEAD where that is not declared. There are several where documents have
 * paths that differ in a query or a fragment.
 */
export function createRouter(
  operations: readonly OperationFacts[],
): (method: string, path: string, query: string) => RouteMatch {
  const root = createNode()
  for (const operation of operations) {
    // the path of a request has no fragment, though some documents write one
    const [path = '', query = ''] = operation.path.replace(/#.*/s, '').split(/\?(.*)/s)
    const segments = splitPath(path)
    const { entries } = segments.reduce(ensureNode, root)
    const names = segments.flatMap((segment) => listNames(segment))
    entries.push({ operation, names, query: readQuery(query) })
    // the one with the longest query is the closest
    entries.sort((one, other) => other.query.length - one.query.length)
  }
  return (method, path, query) => {
    const allow = new Set<string>()
    const search = new URLSearchParams(query)
    for (const [{ entries }, values] of findMatches(root, splitPath(path), 0, [])) {
      const fitting = entries.filter((entry) => hasQuery(entry, search))
      const own = fitting.filter(({ operation }) => operation.method === method)
      const routes = (own.length > 0 || method !== 'HEAD' ? own : fitting.filter(isGet)).map(
        (entry) => ({ operation: entry.operation, texts: readTexts(entry, values, search) }),
      )
      if (routes.length > 0) return { routes, allow: [] }
      for (const { operation } of fitting) allow.add(operation.method)
    }
    if (allow.has('GET')) allow.add('HEAD')
    return { routes: [], allow: [...allow] }
  }
}

function isGet({ operation }: Entry): boolean {
  return operation.method === 'GET'
}

function hasQuery({ query }: Entry, search: URLSearchParams): boolean {
  return query.every(([name, value]) =>
    template.test(value) ? search.has(name) : search.getAll(name).includes(value),
  )
}

function readTexts(
  { names, query }: Entry,
  values: readonly string[],
  search: URLSearchParams,
): Readonly<Record<string, string>> {
  const inPath = names.map((name, index) => [name, values[index] ?? ''] as const)
  const inQuery = query.flatMap(([name, value]) => {
    const [, variable] = template.exec(value) ?? []
    return variable === undefined
      ? []
      : [[variable, encodeURIComponent(search.get(name) ?? '')] as const]
  })
  return Object.fromEntries([...inPath, ...inQuery])
}

const template = /^\{([^{}]*)\}$/

function readQuery(text: string): Entry['query'] {
  const pairs: (readonly [string, string])[] = []
  new URLSearchParams(text).forEach((value, name) => pairs.push([name, value]))
  return pairs
}

function splitPath(path: string): readonly string[] {
  return path.replace(/^\//, '').split('/')
}

function listNames(segment: string): readonly string[] {
  return Array.from(segment.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name)
}

function ensureNode({ literals, patterns }: Node, segment: string): Node {
  if (!segment.includes('{')) {
    const key = normalizeEscapes(segment)
    const known = literals.get(key) ?? createNode()
    literals.set(key, known)
    return known
  }
  const shape = segment.replaceAll(/\{[^{}]*\}/g, '{}')
  const known = patterns.find((pattern) => pattern.shape === shape)
  if (known !== undefined) return known.node
  const pattern = { ...compileSegment(segment), shape, node: createNode() }
  const at = patterns.findIndex(({ fixed }) => fixed < pattern.fixed)
  patterns.splice(at === -1 ? patterns.length : at, 0, pattern)
  return pattern.node
}

/**
 * A value reaches to the last literal that fits, as in `{name}.{format}` of `a.b.pdf`. A literal
 * behind it is not part of an escape of that value, as the F of `%EF` would be.
 */
const segmentValue = String.raw`((?:[^/%]|%[\dA-Fa-f]{2}|%(?![\dA-Fa-f]{2}))+)`

function compileSegment(segment: string): Pick<Pattern, 'regExp' | 'fixed'> {
  const literals = segment.split(/\{[^{}]*\}/)
  const escaped = literals.map((text) =>
    normalizeEscapes(text).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  )
  return { regExp: new RegExp(`^${escaped.join(segmentValue)}$`), fixed: literals.join('').length }
}

/** All nodes that a path leads to with the texts of its variables, the closest first. */
function* findMatches(
  node: Node,
  segments: readonly string[],
  at: number,
  texts: readonly string[],
): Generator<readonly [Node, readonly string[]]> {
  const segment = segments[at]
  if (segment === undefined) {
    yield [node, texts]
    return
  }
  const literal = node.literals.get(normalizeEscapes(segment))
  if (literal !== undefined) yield* findMatches(literal, segments, at + 1, texts)
  for (const { regExp, node: next } of node.patterns) {
    const match = regExp.exec(segment)
    if (match !== null) yield* findMatches(next, segments, at + 1, [...texts, ...match.slice(1)])
  }
}

/** A string as it is in the path of a URL, with the fewest escapes. */
function normalizeEscapes(text: string): string {
  try {
    return encodeURI(decodeURI(text))
  } catch {
    return text
  }
}

function createNode(): Node {
  return { literals: new Map(), patterns: [], entries: [] }
}
