import type { Api } from '../ir/api.js'
import type { Schema } from '../ir/schema.js'
import { listChildren } from './children.js'
import { oncePer } from './once-per.js'

type Below = (schema: Schema) => readonly Schema[]

/** All nodes of a schema, and the names that it refers to. */
type Parts = { readonly nodes: readonly Schema[]; readonly refs: readonly string[] }

/** Cached for all predicates with the same `below`. */
const partsBy = oncePer((below: Below) =>
  oncePer((schema: Schema): Parts => {
    const nodes = [schema]
    // the loop also visits nodes added meanwhile
    for (const node of nodes) for (const inner of below(node)) nodes.push(inner)
    return { nodes, refs: nodes.flatMap((node) => (node.kind === 'ref' ? [node.name] : [])) }
  }),
)

/**
 * Whether a schema, or one that it refers to, has a node that matches a predicate. The matching
 * names of an API are found once, in linear time: a name that refers to one of them matches as
 * well.
 *
 * @param below the children to visit, which must not change afterwards
 */
export function holder(isIt: (schema: Schema) => boolean, below: Below = listChildren) {
  const listParts = partsBy(below)
  const findNames = oncePer(({ schemas }: Api): ReadonlySet<string> => {
    const users = new Map<string, string[]>()
    const found = new Set<string>()
    for (const { name, schema } of schemas) {
      const { nodes, refs } = listParts(schema)
      if (nodes.some(isIt)) found.add(name)
      for (const target of refs) {
        const known = users.get(target)
        if (known === undefined) users.set(target, [name])
        else known.push(name)
      }
    }
    for (const name of found) for (const user of users.get(name) ?? []) found.add(user)
    return found
  })
  return (api: Api, schema: Schema): boolean => {
    const { nodes, refs } = listParts(schema)
    return nodes.some(isIt) || refs.some((name) => findNames(api).has(name))
  }
}
