import { admits, type Of, type Schema } from '@farebox/codegen/model'
import { listRequired, listPropertyRules } from './includes-kinds.js'
import { collectObjects } from './join-objects.js'
import { followRefs, type VersionedSchema } from './signature.js'

/** Whether two schemas are known to share no value. False proves nothing. */
export type Excludes = (one: VersionedSchema, other: VersionedSchema) => boolean

/**
 * The objects that a value must all be, or none if it may be something else, and which members that
 * they require may tell them from others.
 */
type Parts = { readonly objects: readonly Of<'object'>[]; readonly names: readonly string[] }

/** Where an object requires more members, only those with listed values are compared. */
const fewMembers = 8

/** How many members within members tell two schemas apart. */
const deepest = 8

/**
 * Tells schemas apart by their kinds, their listed values, and the members that one of them
 * requires. What is found for two schemas is kept.
 */
export function createExclusion(): Excludes {
  const known = new Map<Schema, Map<Schema, boolean>>()
  const targets = new Map<Schema, Schema>()
  const parts = new Map<Schema, Parts>()
  let depth = 0

  const excludes: Excludes = (one, other) => {
    const found = known.get(one.schema)?.get(other.schema)
    if (found !== undefined) return found
    if (depth >= deepest) return false
    const byOther = known.get(one.schema) ?? new Map<Schema, boolean>()
    // a pair that is reached again from within itself tells nothing
    known.set(one.schema, byOther.set(other.schema, false))
    depth++
    const result = decide(follow(one), follow(other))
    depth--
    byOther.set(other.schema, result)
    return result
  }

  function follow({ schema, resolve }: VersionedSchema): VersionedSchema {
    const target = targets.get(schema) ?? followRefs(schema, resolve)
    targets.set(schema, target)
    return { schema: target, resolve }
  }

  function listParts({ schema, resolve }: VersionedSchema): Parts {
    const found = parts.get(schema)
    if (found !== undefined) return found
    const objects = collectObjects(schema, resolve) ?? []
    const names = [...new Set(objects.flatMap((one) => [...listRequired(one)]))]
    const isTag = (name: string) => listRules(objects, name).some(({ kind }) => kind === 'enum')
    const made = { objects, names: names.length > fewMembers ? names.filter(isTag) : names }
    parts.set(schema, made)
    return made
  }

  const decide: Excludes = (one, other) =>
    excludesKinds(one.schema, other.schema) ||
    excludesListed(one, other) ||
    excludesListed(other, one) ||
    excludesParts(one, other) ||
    excludesParts(other, one) ||
    excludesMembers(one, other)

  /** By what a schema is made of: each option, both branches, or one of the parts. */
  const excludesParts: Excludes = (one, other) => {
    const { schema, resolve } = one
    const isExcluded = (part: Schema) => excludes({ schema: part, resolve }, other)
    if (schema.kind === 'union' || schema.kind === 'oneOf') return schema.options.every(isExcluded)
    if (schema.kind === 'intersection')
      return listParts(one).objects.length === 0 && schema.parts.some(isExcluded)
    if (schema.kind === 'conditional')
      return isExcluded(schema.then) && isExcluded(schema.otherwise)
    return schema.kind === 'unevaluated' && isExcluded(schema.base)
  }

  const excludesMembers: Excludes = (one, other) => {
    const [mine, theirs] = [listParts(one), listParts(other)]
    if (mine.objects.length === 0 || theirs.objects.length === 0) return false
    for (const name of [...mine.names, ...theirs.names])
      for (const rule of listRules(mine.objects, name))
        for (const another of listRules(theirs.objects, name))
          if (
            !sharesValues(rule, another) &&
            excludes(
              { schema: rule, resolve: one.resolve },
              { schema: another, resolve: other.resolve },
            )
          )
            return true
    return false
  }

  return excludes
}

function listRules(objects: readonly Of<'object'>[], name: string): readonly Schema[] {
  const [only, ...others] = objects
  if (only === undefined) return []
  return others.length === 0
    ? listPropertyRules(only, name)
    : objects.flatMap((one) => listPropertyRules(one, name))
}

/** Most members are alike in this way, and need no further look. */
function sharesValues(one: Schema, other: Schema): boolean {
  return (
    one.kind === 'any' || other.kind === 'any' || (one.kind === other.kind && scalars.has(one.kind))
  )
}

const scalars = new Set<Schema['kind']>(['null', 'boolean', 'number', 'string'])

function excludesKinds(one: Schema, other: Schema): boolean {
  if (one.kind === 'never' || other.kind === 'never') return true
  return one.kind !== other.kind && kinds.has(one.kind) && kinds.has(other.kind)
}

/** Kinds that share no value. */
const kinds = new Set<Schema['kind']>([
  'null',
  'boolean',
  'number',
  'string',
  'array',
  'object',
  'binary',
])

function excludesListed({ schema }: VersionedSchema, other: VersionedSchema): boolean {
  return (
    schema.kind === 'enum' &&
    schema.values.every((value) => !admits(other.schema, value, other.resolve))
  )
}
