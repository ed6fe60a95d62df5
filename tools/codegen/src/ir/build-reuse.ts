import { isList, isObject, type Json, readOwn, pointerTo } from '../document/json.js'
import type { Document } from '../document/load.js'
import { type Api, methods } from './api.js'
import type { LocatedNode, KeptSchema, Reuse } from './build-context.js'
import type { Schema } from './schema.js'

/** The first translation without errors. Further versions of the document use its parts. */
export type Translations = { first?: CompleteTranslation }

type CompleteTranslation = {
  readonly document: Document
  readonly api: Api
  readonly schemas: ReadonlyMap<string, KeptSchema>
}

const noReuse: Reuse = {
  findSchema: () => undefined,
  keepSchema: () => undefined,
  findOperation: () => undefined,
}

/**
 * Finds the parts of a document that another version has as well, with everything that they refer
 * to. They have the same pointers in both, as each is one file that is its own bundle;
 * `Document.locate` finds the place in its own file for a pointer in another.
 */
export function createReuse(
  document: Document,
  translations: Translations | undefined,
  names: ReadonlyMap<string, string>,
  isCyclic: (key: string) => boolean,
): Reuse {
  if (translations === undefined || !document.isWhole) return noReuse
  const known = translations.first
  if (known === undefined) {
    const kept = new Map<string, KeptSchema>()
    const keepSchema = ({ node, pointer }: LocatedNode, schema: Schema) =>
      void kept.set(pointer, { node, schema })
    return { ...noReuse, keepSchema, kept }
  }
  if (known.document.version !== document.version) return noReuse
  const [root, other] = [document.root, known.document.root]
  const others = new Map(known.api.schemas.map(({ key, name }) => [key, name]))
  const equal = findEqualComponents(
    readOwn(other, 'components'),
    readOwn(root, 'components'),
    (section, key) => section !== 'schemas' || others.get(key) === names.get(key),
  )
  const operations = new Map(
    known.api.operations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
  )
  const [paths, otherPaths] = [readOwn(root, 'paths'), readOwn(other, 'paths')]
  const isEqual = (one: Json | undefined, two: Json | undefined, within?: string): boolean => {
    const refs: string[] = []
    if (!isSame(one, two, refs)) return false
    // within a circle, references depend on the order of all
    const isFree = refs.length === 0 || within === undefined || !isCyclic(within)
    return isFree && refs.every((ref) => equal.has(ref))
  }
  const isSecured = isSame(readSecurity(other), readSecurity(root), [])
  return {
    ...noReuse,
    findSchema: ({ node, pointer }, within) => {
      const found = known.schemas.get(pointer)
      if (found === undefined || !isEqual(found.node, node, within)) return undefined
      // forms of a schema have its place, which the other document may give to a schema of its own
      return document.origin(pointer).pointer === found.schema.notes.origin.pointer
        ? found.schema
        : undefined
    },
    findOperation: ({ method, path }, id) => {
      const operation = isSecured ? operations.get(`${method} ${path}`) : undefined
      if (operation?.id !== id) return undefined
      const [item, otherItem] = [readOwn(paths, path), readOwn(otherPaths, path)]
      return isEqual(readOwn(otherItem, method), readOwn(item, method)) &&
        isEqual(omitOperations(otherItem), omitOperations(item))
        ? operation
        : undefined
    },
  }
}

/** What a path item states for all of its operations. */
function omitOperations(item: Json | undefined): Json {
  if (!isObject(item)) return {}
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !(methods as readonly string[]).includes(name)),
  )
}

/** What the security of an operation depends on. */
function readSecurity(root: Json): Json {
  return [
    readOwn(root, 'security') ?? null,
    readOwn(readOwn(root, 'components'), 'securitySchemes') ?? null,
  ]
}

function formatReference(section: string, key: string): string {
  return `#${pointerTo('/components', section, key)}`
}

/** References to the components that are equal, and refer only to equal ones. */
function findEqualComponents(
  base: Json | undefined,
  head: Json | undefined,
  fits: (section: string, key: string) => boolean,
): ReadonlySet<string> {
  const equal = new Set<string>()
  const users = new Map<string, string[]>()
  for (const [section, members] of isObject(head) ? Object.entries(head) : []) {
    const others = readOwn(base, section)
    for (const [key, member] of isObject(members) ? Object.entries(members) : []) {
      const refs: string[] = []
      if (!isSame(readOwn(others, key), member, refs) || !fits(section, key)) continue
      const name = formatReference(section, key)
      equal.add(name)
      for (const ref of refs) {
        const known = users.get(ref)
        if (known === undefined) users.set(ref, [name])
        else known.push(name)
      }
    }
  }
  const differing = [...users.keys()].filter((ref) => !equal.has(ref))
  for (let ref = differing.pop(); ref !== undefined; ref = differing.pop())
    for (const user of users.get(ref) ?? []) if (equal.delete(user)) differing.push(user)
  return equal
}

/**
 * Deep equality, with the members in the same order. Collects what may be a reference: also the
 * targets of a discriminator.
 */
function isSame(one: Json | undefined, other: Json | undefined, refs: string[]): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    if (typeof one === 'string' && one.startsWith('#/components/')) refs.push(one)
    return one === other && one !== undefined
  }
  if (isList(one)) {
    if (!isList(other) || one.length !== other.length) return false
    for (let index = 0; index < one.length; index++)
      if (!isSame(one[index], other[index], refs)) return false
    return true
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  const theirs = Object.keys(other)
  if (keys.length !== theirs.length) return false
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]
    if (key === undefined || key !== theirs[index] || !isSame(one[key], other[key], refs))
      return false
  }
  return true
}
