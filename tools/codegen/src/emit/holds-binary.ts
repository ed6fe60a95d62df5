import type { Api } from '../ir/api.js'
import { match, type Cases, type Schema } from '../ir/schema.js'
import { oncePer } from './once-per.js'

/** Whether raw bytes stand anywhere in the values of a schema. */
export function holdsBinary(api: Api, schema: Schema): boolean {
  return holds(schema, (name) => namesWithBinary(api).has(name))
}

/**
 * All names that hold bytes, found once, in steps that grow with the references: a name that
 * refers to one of them is one as well.
 */
const namesWithBinary = oncePer(({ schemas }: Api): ReadonlySet<string> => {
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

/** The result for a schema without its references, which `named` answers. */
function holds(schema: Schema, named: (name: string) => boolean): boolean {
  const some = (schemas: readonly Schema[]): boolean => schemas.some((inner) => holds(inner, named))
  const no = (): boolean => false
  const cases: Cases<boolean> = {
    any: no,
    never: no,
    null: no,
    boolean: no,
    number: no,
    string: no,
    enum: no,
    not: no,
    binary: () => true,
    array: ({ prefix, items }) => some([...prefix, items]),
    object: ({ properties, patterns, additional }) => some([...[...properties, ...patterns].map(({ schema: inner }) => inner), additional]),
    union: ({ options }) => some(options),
    oneOf: ({ options }) => some(options),
    intersection: ({ parts }) => some(parts),
    conditional: ({ then, otherwise }) => some([then, otherwise]),
    unevaluated: ({ base }) => holds(base, named),
    ref: ({ name }) => named(name),
  }
  return match(schema, cases)
}
