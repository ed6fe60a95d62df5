import type { OperationFacts } from './operation-facts.js'

/** What a path leads to: its operation, or the methods that it has instead. */
export type Found =
  | { readonly operation: OperationFacts; readonly texts: Readonly<Record<string, string>> }
  | { readonly operation?: undefined; readonly allow: readonly string[] }

type Pattern = {
  readonly key: string
  readonly regExp: RegExp
  readonly names: readonly string[]
  readonly fixed: number
  readonly node: Node
}

type Node = {
  readonly literals: Map<string, Node>
  /** The one with the most fixed letters first. */
  readonly patterns: Pattern[]
  readonly operations: Map<string, OperationFacts>
}

/**
 * Finds the operation of a method and a path that is still escaped. A segment without templates is
 * preferred, then the one with the most fixed letters (OpenAPI 3.1.1, "Path Templating"). A method
 * that only another fitting path has is found too. GET answers HEAD where that is not declared.
 */
export function router(
  operations: readonly OperationFacts[],
): (method: string, path: string) => Found {
  const root = emptyNode()
  for (const operation of operations) {
    const known = segmentsOf(pathOf(operation)).reduce(nextNode, root).operations
    if (!known.has(operation.method)) known.set(operation.method, operation)
  }
  return (method, path) => {
    const allow = new Set<string>()
    for (const [node, texts] of matches(root, segmentsOf(path), 0, {})) {
      const operation =
        node.operations.get(method) ?? (method === 'HEAD' ? node.operations.get('GET') : undefined)
      if (operation !== undefined) return { operation, texts }
      for (const known of node.operations.keys()) allow.add(known)
    }
    if (allow.has('GET')) allow.add('HEAD')
    return { allow: [...allow] }
  }
}

/** The path of a request has no query and no fragment, though some documents write one. */
function pathOf({ path }: OperationFacts): string {
  return path.replace(/[?#].*/s, '')
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\//, '').split('/')
}

function nextNode({ literals, patterns }: Node, segment: string): Node {
  if (!segment.includes('{')) {
    const key = urlText(segment)
    const known = literals.get(key) ?? emptyNode()
    literals.set(key, known)
    return known
  }
  const shape = segment.replaceAll(/\{[^{}]*\}/g, '{}')
  const names = Array.from(segment.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name)
  // the same place may have other names in another path
  const key = `${shape} ${names.join()}`
  const known = patterns.find((pattern) => pattern.key === key)
  if (known !== undefined) return known.node
  const pattern = { ...compiled(segment), key, names, node: emptyNode() }
  const at = patterns.findIndex(({ fixed }) => fixed < pattern.fixed)
  patterns.splice(at === -1 ? patterns.length : at, 0, pattern)
  return pattern.node
}

function compiled(segment: string): Pick<Pattern, 'regExp' | 'fixed'> {
  const literals = segment.split(/\{[^{}]*\}/)
  const escaped = literals.map((text) => urlText(text).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return { regExp: new RegExp(`^${escaped.join('([^/]+?)')}$`), fixed: literals.join('').length }
}

/** All nodes that a path leads to, the closest first. */
function* matches(
  node: Node,
  segments: readonly string[],
  at: number,
  texts: Readonly<Record<string, string>>,
): Generator<readonly [Node, Readonly<Record<string, string>>]> {
  const segment = segments[at]
  if (segment === undefined) {
    yield [node, texts]
    return
  }
  const literal = node.literals.get(urlText(segment))
  if (literal !== undefined) yield* matches(literal, segments, at + 1, texts)
  for (const { regExp, names, node: next } of node.patterns) {
    const match = regExp.exec(segment)
    if (match === null) continue
    const own = Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? '']))
    yield* matches(next, segments, at + 1, { ...texts, ...own })
  }
}

/** A text as it stands in the path of a URL, with the least escapes. */
function urlText(text: string): string {
  try {
    return encodeURI(decodeURI(text))
  } catch {
    return text
  }
}

function emptyNode(): Node {
  return { literals: new Map(), patterns: [], operations: new Map() }
}
