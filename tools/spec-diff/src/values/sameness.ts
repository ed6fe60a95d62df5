import type { Api, Schema } from '@farebox/codegen/model'
import { memoize } from './signature.js'

/** What is equal in two documents, regardless of its place in their files. */
export type Sameness = {
  /** Schemas that differ or are in one document only, and those that refer to one of them. */
  readonly touched: ReadonlySet<string>
  /** The names of schemas in both documents that differ themselves. */
  readonly differing: readonly string[]
  /** All names that refer to one of these, with these. */
  readonly withUsers: (names: Iterable<string>) => ReadonlySet<string>
  /** Whether two parts and everything that they refer to are equal. */
  readonly isSame: (base: unknown, head: unknown) => boolean
  /** The same for their sets of values, without the schemas that they refer to. */
  readonly hasSameValues: (base: Schema, head: Schema) => boolean
}

export function findSameness(base: Api, head: Api): Sameness {
  const [before, after] = [base, head].map(
    ({ schemas }) => new Map(schemas.map(({ name, schema }) => [name, schema])),
  )
  const users = new Map<string, Set<string>>()
  const addUser = (schema: Schema, user: string) => {
    for (const target of listRefs(schema)) {
      const known = users.get(target)
      if (known === undefined) users.set(target, new Set([user]))
      else known.add(user)
    }
  }
  const differing: string[] = []
  const lone: string[] = []
  for (const [name, schema] of before ?? []) {
    addUser(schema, name)
    const other = after?.get(name)
    if (other === undefined) lone.push(name)
    else if (!isEqual(schema, other, { touched: none, notes: true })) differing.push(name)
  }
  const direct = new Set(differing)
  for (const [name, schema] of after ?? []) {
    if (before?.has(name) !== true) lone.push(name)
    if (before?.has(name) !== true || direct.has(name)) addUser(schema, name)
  }
  const withUsers = (names: Iterable<string>) => {
    const found = new Set(names)
    for (const name of found) for (const user of users.get(name) ?? []) found.add(user)
    return found
  }
  const touched = withUsers([...differing, ...lone])
  return {
    touched,
    differing,
    withUsers,
    isSame: (one, other) => isEqual(one, other, { touched, notes: true }),
    hasSameValues: (one, other) => isEqual(one, other, { touched: none, notes: false }),
  }
}

const none: ReadonlySet<string> = new Set()

type Scope = { readonly touched: ReadonlySet<string>; readonly notes: boolean }

/** Deep equality. Places are left out, since a moved part says the same. */
function isEqual(one: unknown, other: unknown, scope: Scope): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isEqual(item, other[index], scope))
    )
  const mine = one as Members
  const theirs = other as Members
  if (mine['kind'] === 'ref' && scope.touched.has(String(mine['name']))) return false
  let count = 0
  for (const key in mine) {
    count++
    if (key === 'origin' && isPlace(mine[key]) && isPlace(theirs[key])) continue
    if (key === 'notes' && !scope.notes) continue
    if (!Object.hasOwn(theirs, key) || !isEqual(mine[key], theirs[key], scope)) return false
  }
  return count === Object.keys(theirs).length
}

type Members = Readonly<Record<string, unknown>>

function isPlace(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'file' in value && 'pointer' in value
}

/** The names of all schemas that a part of a document refers to directly. */
export const listRefs: (part: object) => ReadonlySet<string> = memoize(collectRefs, new WeakMap())

/** Notes contain none. */
function collectRefs(value: object): ReadonlySet<string> {
  const names = new Set<string>()
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown }
    if (kind === 'ref' && typeof name === 'string') names.add(name)
    for (const key in node) {
      const inner =
        key === 'notes' || key === 'origin'
          ? undefined
          : (node as Readonly<Record<string, unknown>>)[key]
      if (typeof inner === 'object') stack.push(inner)
    }
  }
  return names
}
