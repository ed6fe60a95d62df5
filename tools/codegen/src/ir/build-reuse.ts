import { isList, isObject, type Json, own, pointerTo } from '../document/json.js'
import type { Document } from '../document/load.js'
import { type Api, methods, type Operation } from './api.js'
import type { Place } from './build-operation-ids.js'
import type { Schema } from './schema.js'

/** A document and its translation, which has no errors. */
export type Translated = { readonly document: Document; readonly api: Api }

/** The parts of an earlier translation that serve another document. */
export type Reuse = {
  readonly findSchema: (key: string) => Schema | undefined
  readonly findOperation: (place: Place, id: string) => Operation | undefined
}

const noReuse: Reuse = { findSchema: () => undefined, findOperation: () => undefined }

/**
 * Finds the parts of a document that another version has as well, with everything that they refer to. They
 * have the same pointers in both, as each is one file that is its own bundle; `Document.locate` finds
 * the place in its own file for a pointer in another.
 */
export function createReuse(
  document: Document,
  known: Translated | undefined,
  names: ReadonlyMap<string, string>,
): Reuse {
  if (known === undefined || !document.isWhole || !known.document.isWhole) return noReuse
  if (document.version !== known.document.version) return noReuse
  const [root, other] = [document.root, known.document.root]
  const schemas = new Map(known.api.schemas.map((named) => [named.key, named]))
  const equal = findEqualComponents(
    own(other, 'components'),
    own(root, 'components'),
    (section, key) =>
      section !== 'schemas' ||
      (schemas.get(key)?.name === names.get(key) && hasSameOrigin(document, known.document, key)),
  )
  const operations = new Map(
    known.api.operations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
  )
  const [paths, otherPaths] = [own(root, 'paths'), own(other, 'paths')]
  const isEqual = (one: Json | undefined, two: Json | undefined): boolean => {
    const refs: string[] = []
    return isSame(one, two, refs) && refs.every((ref) => equal.has(ref))
  }
  const isSecured = isSame(readSecurity(other), readSecurity(root), [])
  return {
    findSchema: (key) => (equal.has(refTo('schemas', key)) ? schemas.get(key)?.schema : undefined),
    findOperation: ({ method, path }, id) => {
      const operation = isSecured ? operations.get(`${method} ${path}`) : undefined
      if (operation?.id !== id) return undefined
      const [item, otherItem] = [own(paths, path), own(otherPaths, path)]
      return isEqual(own(otherItem, method), own(item, method)) &&
        isEqual(withoutOperations(otherItem), withoutOperations(item))
        ? operation
        : undefined
    },
  }
}

/** Forms of a schema have its place, which the other document may give to a schema of its own. */
function hasSameOrigin(one: Document, other: Document, key: string): boolean {
  const pointer = pointerTo('/components/schemas', key)
  return one.origin(pointer).pointer === other.origin(pointer).pointer
}

/** What a path item states for all of its operations. */
function withoutOperations(item: Json | undefined): Json {
  if (!isObject(item)) return {}
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !(methods as readonly string[]).includes(name)),
  )
}

/** What the security of an operation depends on. */
function readSecurity(root: Json): Json {
  return [own(root, 'security') ?? null, own(own(root, 'components'), 'securitySchemes') ?? null]
}

function refTo(section: string, key: string): string {
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
    const others = own(base, section)
    for (const [key, member] of isObject(members) ? Object.entries(members) : []) {
      const refs: string[] = []
      if (!isSame(own(others, key), member, refs) || !fits(section, key)) continue
      const name = refTo(section, key)
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
  const [keys, theirs] = [Object.keys(one), Object.keys(other)]
  if (keys.length !== theirs.length) return false
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]
    if (key === undefined || key !== theirs[index] || !isSame(one[key], other[key], refs))
      return false
  }
  return true
}
