import type { Of, Schema } from '@farebox/codegen'
import type { Includes, Reader } from './includes.js'

type ObjectSchema = Of<'object'>

export function includesObject(
  part: ObjectSchema,
  whole: ObjectSchema,
  includes: Includes,
  sides: readonly [Reader, Reader],
): boolean {
  return (
    includesCounts(part, whole) &&
    includesNamed(part, whole, includes) &&
    includesUnnamed(part, whole, includes) &&
    includesRules(part, whole, includes, sides)
  )
}

function listRequired({ properties, alsoRequired }: ObjectSchema): ReadonlySet<string> {
  return new Set([
    ...properties.flatMap(({ name, required }) => (required ? [name] : [])),
    ...alsoRequired,
  ])
}

function includesCounts(part: ObjectSchema, whole: ObjectSchema): boolean {
  const [mine, theirs] = [listRequired(part), listRequired(whole)]
  const isClosed = part.additional.kind === 'never' && part.patterns.length === 0
  const most = Math.min(
    part.maxProperties ?? Infinity,
    isClosed ? part.properties.filter(({ schema }) => schema.kind !== 'never').length : Infinity,
  )
  return (
    [...theirs].every((name) => mine.has(name)) &&
    Math.max(part.minProperties ?? 0, mine.size) >= (whole.minProperties ?? 0) &&
    most <= (whole.maxProperties ?? Infinity)
  )
}

/** The schemas that a property must satisfy. */
function rulesFor(
  { properties, patterns, additional }: ObjectSchema,
  name: string,
): readonly Schema[] {
  const rules = [
    ...properties.filter((property) => property.name === name),
    ...patterns.filter(({ pattern }) => new RegExp(pattern, 'u').test(name)),
  ]
  return rules.length === 0 ? [additional] : rules.map(({ schema }) => schema)
}

function includesNamed(part: ObjectSchema, whole: ObjectSchema, includes: Includes): boolean {
  const names = new Set([...part.properties, ...whole.properties].map(({ name }) => name))
  return [...names].every((name) => {
    const [mine, theirs] = [rulesFor(part, name), rulesFor(whole, name)]
    return theirs.every((rule) => mine.some((one) => includes(one, rule)))
  })
}

/** Names that neither object lists: each may match any of the patterns. */
function includesUnnamed(part: ObjectSchema, whole: ObjectSchema, includes: Includes): boolean {
  const theirs = new Map(whole.patterns.map(({ pattern, schema }) => [pattern, schema]))
  const mine = new Map(part.patterns.map(({ pattern, schema }) => [pattern, schema]))
  const sources = [...mine.values(), part.additional]
  const holdsPatterns = [...theirs].every(([pattern, rule]) => {
    const same = mine.get(pattern)
    return same === undefined
      ? sources.every((source) => includes(source, rule))
      : includes(same, rule)
  })
  const others = [...mine].flatMap(([pattern, schema]) => (theirs.has(pattern) ? [] : [schema]))
  return (
    holdsPatterns &&
    [...others, part.additional].every((source) => includes(source, whole.additional))
  )
}

function includesRules(
  part: ObjectSchema,
  whole: ObjectSchema,
  includes: Includes,
  [from, to]: readonly [Reader, Reader],
): boolean {
  const required = listRequired(part)
  const { propertyNames } = whole
  return (
    (propertyNames === undefined ||
      (part.propertyNames !== undefined && includes(part.propertyNames, propertyNames))) &&
    whole.dependentRequired.every(({ name, requires }) =>
      requires.every(
        (one) =>
          required.has(one) ||
          part.dependentRequired.some((rule) => rule.name === name && rule.requires.includes(one)),
      ),
    ) &&
    whole.dependentSchemas.every(
      ({ name, schema }) =>
        part.dependentSchemas.some(
          (rule) => rule.name === name && from.meaning(rule.schema) === to.meaning(schema),
        ) || includes(part, schema),
    )
  )
}
