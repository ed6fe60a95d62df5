import type { Api, NamedSchema, Schema } from '@farebox/codegen'
import { collectRefs } from './collect-refs.js'
import type { Resolve } from './resolve.js'
import { createInclusion, type Includes } from './values/inclusion.js'
import { toShape, type Shape } from './shape.js'
import { oncePer, signature, writtenAs } from './signature.js'

/** One of the two documents, for reading schemas. */
export type Side = {
  readonly resolve: Resolve
  /**
   * A text for the values of a schema. Equal texts of both documents mean equal sets of values: the
   * name of a schema that changed, or that reaches one, has another text on either side.
   */
  readonly meaning: (schema: Schema) => string
  /** The shape of a schema. */
  readonly shape: (schema: Schema) => Shape
  /** Whether it is proven that the other side's schema accepts each value of one of this side. */
  readonly within: Includes
}

const stepsOfSchema = 40

export function createSides(base: Api, head: Api): { readonly base: Side; readonly head: Side } {
  const changed = changedNames(base, head)
  const side = ({ schemas }: Api, mark: string): Omit<Side, 'within'> => {
    const resolve = createResolver(schemas)
    return {
      resolve,
      meaning: oncePer((schema) =>
        writtenAs(schema, (name) => (changed.has(name) ? `${name} ${mark}` : name)),
      ),
      shape: oncePer((schema) => toShape(schema, resolve)),
    }
  }
  const [before, after] = [side(base, 'before'), side(head, 'after')]
  // what the proofs of a comparison may cost grows with the documents
  const steps = { left: stepsOfSchema * (base.schemas.length + head.schemas.length + 50) }
  return {
    base: { ...before, within: createInclusion(before, after, steps) },
    head: { ...after, within: createInclusion(after, before, steps) },
  }
}

function createResolver(schemas: readonly NamedSchema[]): Resolve {
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]))
  return (name) => {
    const schema = byName.get(name)
    if (schema === undefined) throw new Error(`The schema ${name} is referred to and not there`)
    return schema
  }
}

/** Names with different meanings in the two documents, and all names that refer to one of them. */
function changedNames(base: Api, head: Api): ReadonlySet<string> {
  const [before, after] = [base, head].map(
    ({ schemas }) => new Map(schemas.map(({ name, schema }) => [name, signature(schema)])),
  )
  const names = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])
  const changed = new Set([...names].filter((name) => before?.get(name) !== after?.get(name)))
  const users = new Map<string, string[]>()
  for (const { name, schema } of [...base.schemas, ...head.schemas]) {
    for (const target of collectRefs(schema)) {
      const known = users.get(target)
      if (known === undefined) users.set(target, [name])
      else known.push(name)
    }
  }
  for (const name of changed) for (const user of users.get(name) ?? []) changed.add(user)
  return changed
}
