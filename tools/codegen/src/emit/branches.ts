import type { Property, Schema } from '../ir/schema.js'

/** The properties that an object has only under a condition. */
export type Branches = {
  readonly fields: ReadonlyMap<string, readonly Schema[]>
  /** Other properties with these names may follow no other schema. */
  readonly exact: boolean
}

/**
 * What only `if`, `then`, `else` and `dependentSchemas` declare of an object. `closed`: it has no
 * properties that none of its schemas declares. Default of `lookup`: a reference may declare any.
 */
export function findBranches(
  object: Schema,
  closed: boolean,
  lookup?: (name: string) => Schema,
): Branches | undefined {
  const fields = new Map<string, Schema[]>()
  const declared = new Set<string>()
  const seen = new Set<string>()
  let [exact, isShut] = [closed, false]

  const visit = (schema: Schema, isPart: boolean, field: (property: Property) => void): void => {
    const again = (inner: Schema): void => visit(inner, isPart, field)
    const branch = (inner: Schema): void => visit(inner, false, isPart ? addField : field)
    if (schema.kind === 'object') {
      schema.properties.forEach(field)
      for (const { schema: inner } of schema.dependentSchemas) branch(inner)
      if (schema.patterns.length > 0 || schema.additional.kind !== 'any') exact = false
      if (isPart && schema.additional.kind === 'never') isShut = true
    }
    if (schema.kind === 'intersection') schema.parts.forEach(again)
    if (schema.kind === 'unevaluated') again(schema.base)
    if (schema.kind === 'union' || schema.kind === 'oneOf')
      for (const option of schema.options) visit(option, false, field)
    if (schema.kind === 'conditional')
      for (const inner of [schema.when, schema.then, schema.otherwise]) branch(inner)
    if (schema.kind !== 'ref') return
    const target = lookup?.(schema.name)
    if (target === undefined) exact = false
    if (target === undefined || seen.has(schema.name)) return
    seen.add(schema.name)
    visit(target, false, field)
  }
  const addField = ({ name, schema }: Property): void => {
    fields.set(name, [...(fields.get(name) ?? []), schema])
  }
  visit(object, true, ({ name }) => declared.add(name))

  for (const [name, schemas] of fields)
    if (declared.has(name) || schemas.every(({ kind }) => kind === 'never')) fields.delete(name)
  return isShut || fields.size === 0 ? undefined : { fields, exact }
}
