import { admits, isObject, type Json, type Of, type Schema } from '@farebox/codegen/model'
import { unwrap } from '../values/join-objects.js'
import type { VersionedSchema } from '../values/signature.js'

/** A value of one version that has no counterpart in the other. */
export class AdaptError extends Error {
  override readonly name = 'AdaptError'
}

/**
 * The value of one version as the other version has it. A field that the other does not admit is
 * left out, and a required field that it has in addition gets its default. A value that is valid in
 * both stays as it is.
 *
 * @throws AdaptError with the place of what has no counterpart.
 */
export function adaptValue(value: Json, from: VersionedSchema, to: VersionedSchema): Json {
  const adapted = adapt(value, from, to, '')
  if (!admits(to.schema, adapted, to.resolve))
    throw new AdaptError(`${describePlace('')} has no counterpart in the other version.`)
  return adapted
}

/** The same without an error: undefined for a value that has no counterpart. */
export function adaptIfPossible(
  value: Json,
  from: VersionedSchema,
  to: VersionedSchema,
): Json | undefined {
  try {
    return adaptValue(value, from, to)
  } catch (error) {
    if (error instanceof AdaptError) return undefined
    throw error
  }
}

function adapt(value: Json, from: VersionedSchema, to: VersionedSchema, path: string): Json {
  const [one, other] = [resolveVersioned(from), resolveVersioned(to)]
  if (admits(other.schema, value, other.resolve)) return value
  if (isList(value) && one.schema.kind === 'array' && other.schema.kind === 'array')
    return adaptList(value, one.schema, other.schema, [one, other], path)
  if (isObject(value) && one.schema.kind === 'object' && other.schema.kind === 'object')
    return adaptObject(value, one.schema, other.schema, [one, other], path)
  const option = adaptByOption(value, one, other, path)
  if (option !== undefined) return option
  throw new AdaptError(`${describePlace(path)} has no counterpart in the other version.`)
}

type Both = readonly [from: VersionedSchema, to: VersionedSchema]

function adaptList(
  values: readonly Json[],
  from: Of<'array'>,
  to: Of<'array'>,
  [one, other]: Both,
  path: string,
): Json {
  return values.map((value, index) =>
    adapt(
      value,
      withSchema(one, from.prefix[index] ?? from.items),
      withSchema(other, to.prefix[index] ?? to.items),
      `${path}[${index}]`,
    ),
  )
}

function adaptObject(
  value: Readonly<Record<string, Json>>,
  from: Of<'object'>,
  to: Of<'object'>,
  [one, other]: Both,
  path: string,
): Json {
  const known = new Map(to.properties.map((property) => [property.name, property]))
  const before = new Map(from.properties.map((property) => [property.name, property.schema]))
  const kept = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const wanted = known.get(name)?.schema ?? to.additional
    if (wanted.kind === 'never') return []
    return [
      [
        name,
        adapt(
          item,
          withSchema(one, before.get(name) ?? from.additional),
          withSchema(other, wanted),
          `${path}.${name}`,
        ),
      ],
    ]
  })
  const missing = to.properties.filter(
    ({ name, required }) => required && !Object.hasOwn(value, name),
  )
  const added = missing.map(({ name, schema }): [string, Json] => {
    const { default: fallback } = {
      ...resolveVersioned(withSchema(other, schema)).schema.notes,
      ...schema.notes,
    }
    if (fallback === undefined)
      throw new AdaptError(
        `${describePlace(`${path}.${name}`)} is required in the other version, and has no default.`,
      )
    return [name, fallback]
  })
  return Object.fromEntries([...kept, ...added])
}

/** The value by the first pair of options that fits. */
function adaptByOption(
  value: Json,
  one: VersionedSchema,
  other: VersionedSchema,
  path: string,
): Json | undefined {
  const sources = listOptions(one).filter(({ schema, resolve }) => admits(schema, value, resolve))
  const targets = listOptions(other)
  if (sources.length * targets.length <= 1) return undefined
  for (const source of sources)
    for (const target of targets)
      try {
        const adapted = adapt(value, source, target, path)
        if (admits(other.schema, adapted, other.resolve)) return adapted
      } catch (error) {
        if (!(error instanceof AdaptError)) throw error
      }
  return undefined
}

function listOptions({ schema, resolve }: VersionedSchema): readonly VersionedSchema[] {
  const options = schema.kind === 'union' || schema.kind === 'oneOf' ? schema.options : [schema]
  return options.map((option) => resolveVersioned({ schema: option, resolve }))
}

function withSchema({ resolve }: VersionedSchema, schema: Schema): VersionedSchema {
  return { schema, resolve }
}

function resolveVersioned({ schema, resolve }: VersionedSchema): VersionedSchema {
  return { schema: unwrap(schema, resolve), resolve }
}

function describePlace(path: string): string {
  return path === '' ? 'The value' : path
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
