import type { Api } from '../ir/api.js'
import type { Schema } from '../ir/schema.js'
import { childrenOf } from './children.js'
import { oncePer } from './once-per.js'

/**
 * Whether a schema, or one that it refers to, has a node of a kind. The names that have one are
 * found once for an API, in steps that grow with the references: a name that refers to one of them
 * is one as well.
 */
export function holder(isIt: (schema: Schema) => boolean, below: (schema: Schema) => readonly Schema[] = childrenOf) {
  const holds = (schema: Schema, named: (name: string) => boolean): boolean =>
    isIt(schema) || (schema.kind === 'ref' ? named(schema.name) : below(schema).some((inner) => holds(inner, named)))
  const namesOf = oncePer(({ schemas }: Api): ReadonlySet<string> => {
    const users = new Map<string, string[]>()
    const found = new Set<string>()
    for (const { name, schema } of schemas) {
      const refer = (target: string): false => {
        const known = users.get(target)
        if (known === undefined) users.set(target, [name])
        else known.push(name)
        return false
      }
      if (holds(schema, refer)) found.add(name)
    }
    for (const name of found) for (const user of users.get(name) ?? []) found.add(user)
    return found
  })
  return (api: Api, schema: Schema): boolean => holds(schema, (name) => namesOf(api).has(name))
}
