import type { Api } from '../ir/api.js'
import { listChildren } from '../ir/list-children.js'
import type { Property, Schema } from '../ir/schema.js'

/** Finds the schema of a name. Throws for an unknown name, which is a bug. */
export function createLookup({ schemas }: Api): (name: string) => Schema {
  const byName = indexByName(schemas)
  return (name) => {
    const schema = byName.get(name)
    if (schema === undefined) throw new Error(`No schema has the name ${name}.`)
    return schema
  }
}

/** The schema at the end of a chain of references. */
export function resolveRef(api: Api, schema: Schema): Schema {
  let found = schema
  for (let hops = 0; found.kind === 'ref' && hops < api.schemas.length + 1; hops++) {
    const target = indexByName(api.schemas).get(found.name)
    if (target === undefined) return found
    found = target
  }
  return found
}

/** The same without null. */
export function resolveNonNull(api: Api, schema: Schema): Schema {
  const found = resolveRef(api, schema)
  if (found.kind !== 'union') return found
  const [only, ...more] = found.options.filter(({ kind }) => kind !== 'null')
  return only === undefined || more.length > 0 ? found : resolveRef(api, only)
}

/** The default of a schema, else of its target. */
export function findDefault(api: Api, schema: Schema): Schema['notes']['default'] {
  return schema.notes.default ?? resolveRef(api, schema).notes.default
}

function indexByName(schemas: Api['schemas']): ReadonlyMap<string, Schema> {
  const known = tables.get(schemas)
  if (known !== undefined) return known
  const table = new Map(schemas.map(({ name, schema }) => [name, schema]))
  tables.set(schemas, table)
  return table
}

/** By API, because every emitter resolves each reference. */
const tables = new WeakMap<Api['schemas'], ReadonlyMap<string, Schema>>()

/**
 * The properties that a body has in all its forms or, with `inAnyForm`, in any of them. A part that
 * occurs twice counts once.
 */
export function listProperties(
  api: Api,
  schema: Schema,
  inAnyForm = false,
  seen: Set<Schema> = new Set(),
): readonly Property[] {
  const node = resolveRef(api, schema)
  if (seen.has(node)) return []
  seen.add(node)
  const listInner = (inner: Schema): readonly Property[] =>
    listProperties(api, inner, inAnyForm, seen)
  if (node.kind === 'object') return node.properties
  if (node.kind === 'intersection') return node.parts.flatMap(listInner)
  if (node.kind === 'unevaluated') return listInner(node.base)
  if (!inAnyForm) return []
  if (node.kind === 'union' || node.kind === 'oneOf') return node.options.flatMap(listInner)
  return node.kind === 'conditional' ? [node.then, node.otherwise].flatMap(listInner) : []
}

/**
 * Memoizes a function by its argument, such as a parameter or a response that many operations
 * share. What outlives a run, and is asked for by an API or a schema, takes a `WeakMap`; the
 * collector visits one often.
 */
export function oncePer<K extends object, V>(
  make: (key: K) => V,
  known: Map<K, { readonly value: V }> | WeakMap<K, { readonly value: V }> = new Map(),
): (key: K) => V {
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found.value
    const value = make(key)
    known.set(key, { value })
    return value
  }
}

/** The names that a schema refers to, not transitively. */
export function listRefs(schema: Schema): readonly string[] {
  return schema.kind === 'ref' ? [schema.name] : listChildren(schema).flatMap(listRefs)
}

type Below = (schema: Schema) => readonly Schema[]

/** All nodes of a schema, and the names that it refers to. */
type Parts = { readonly nodes: readonly Schema[]; readonly refs: readonly string[] }

/** Cached for all predicates with the same `below`. */
const createPartLister = oncePer((below: Below) =>
  oncePer((schema: Schema): Parts => {
    const nodes = [schema]
    // the loop also visits the nodes that it adds
    for (const node of nodes) for (const inner of below(node)) nodes.push(inner)
    return { nodes, refs: nodes.flatMap((node) => (node.kind === 'ref' ? [node.name] : [])) }
  }, new WeakMap()),
)

/**
 * Whether a schema, or one that it refers to, has a node that matches a predicate. The matching
 * names of an API are found once, in linear time: a name that refers to one of them matches as
 * well.
 *
 * @param below the children to visit, which must not change afterwards
 */
export function createHolds(matches: (schema: Schema) => boolean, below: Below = listChildren) {
  const listParts = createPartLister(below)
  const findNames = oncePer(({ schemas }: Api): ReadonlySet<string> => {
    const users = new Map<string, string[]>()
    const found = new Set<string>()
    for (const { name, schema } of schemas) {
      const { nodes, refs } = listParts(schema)
      if (nodes.some(matches)) found.add(name)
      for (const target of refs) {
        const known = users.get(target)
        if (known === undefined) users.set(target, [name])
        else known.push(name)
      }
    }
    for (const name of found) for (const user of users.get(name) ?? []) found.add(user)
    return found
  }, new WeakMap())
  return (api: Api, schema: Schema): boolean => {
    if (leaves.has(schema.kind)) return matches(schema)
    const { nodes, refs } = listParts(schema)
    return nodes.some(matches) || refs.some((name) => findNames(api).has(name))
  }
}

/** Kinds without children: most schemas. */
const leaves: ReadonlySet<Schema['kind']> = new Set([
  'any',
  'never',
  'null',
  'boolean',
  'number',
  'string',
  'binary',
  'enum',
])

/** Whether the values of a schema contain raw bytes anywhere. */
export const holdsBinary = createHolds(({ kind }) => kind === 'binary', listValueChildren)

/** The children without those that only restrict values. */
function listValueChildren(schema: Schema): readonly Schema[] {
  if (schema.kind === 'not') return []
  if (schema.kind === 'conditional') return [schema.then, schema.otherwise]
  if (schema.kind === 'unevaluated') return [schema.base]
  if (schema.kind === 'array') return [...schema.prefix, schema.items]
  if (schema.kind !== 'object') return listChildren(schema)
  return [
    ...[...schema.properties, ...schema.patterns].map((entry) => entry.schema),
    schema.additional,
  ]
}
