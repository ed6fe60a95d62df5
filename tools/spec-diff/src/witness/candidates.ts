import { admits, match, type Json, type Of, type Schema } from '@farebox/codegen/model'
import { ofFormats } from '../difference/scalars.js'
import { findString } from '../values/languages.js'
import { joinObjects } from '../values/join-objects.js'
import type { Resolve } from '../values/signature.js'

type Values = Iterable<Json>

/** How many values of a part are tried within the whole. */
const perPart = 12

/** Values at the edges of the schemas of one document. */
export type Candidates = {
  /**
   * Values at and beside each bound, each listed value, an object without each of its properties.
   * Not all of them are valid. Examples and defaults come first.
   */
  readonly list: (schema: Schema) => Values
  /** A value that the schema accepts, or null. */
  readonly valid: (schema: Schema) => Json
}

/** A schema of one version, and the values at its edges. */
export type Part = {
  readonly schema: Schema
  readonly resolve: Resolve
  readonly candidates: Candidates
}

type Source = {
  readonly resolve: Resolve
  /** The first candidates of a part. Empty for a part that contains itself. */
  readonly some: (part: Schema) => readonly Json[]
  /** A valid value of a part, if one is found. */
  readonly valid: (part: Schema) => Json
}

/** How deep values nest. What `allOf` makes of a schema may contain itself without end. */
const deepest = 40

/** What is found for a part serves every schema that contains it. */
export function createCandidates(resolve: Resolve): Candidates {
  let depth = 0
  const source: Source = {
    resolve,
    some: memoizePerPart((part) => [...takeFirst(generateCandidates(part, source), perPart)], []),
    valid: memoizePerPart((part) => findValid(part, source) ?? null, null),
  }
  return { list: (schema) => generateCandidates(schema, source), valid: source.valid }

  /** `inside`: the result for a part that is reached from within itself. */
  function memoizePerPart<T>(make: (part: Schema) => T, inside: T): (part: Schema) => T {
    const known = new WeakMap<Schema, { readonly made: T }>()
    return (part) => {
      const found = known.get(part)
      if (found !== undefined) return found.made
      if (depth >= deepest) return inside
      known.set(part, { made: inside })
      depth++
      try {
        const made = make(part)
        known.set(part, { made })
        return made
      } catch (error) {
        known.delete(part)
        throw error
      } finally {
        depth--
      }
    }
  }
}

function* generateCandidates(schema: Schema, source: Source): Generator<Json> {
  yield* schema.notes.examples ?? []
  if (schema.notes.default !== undefined) yield schema.notes.default
  yield* match<Values>(schema, {
    any: () => ['text', 1, true, null, [], {}],
    never: () => [],
    null: () => [null],
    boolean: () => [true, false],
    number: listNumbers,
    string: listStrings,
    binary: () => [],
    enum: ({ values }) => values,
    array: (array) => generateArrays(array, source),
    object: (object) => generateObjects(object, source),
    union: ({ options }) => generateEach(options, source),
    oneOf: ({ options }) => generateEach(options, source),
    intersection: (all) => {
      const joined = joinObjects(all, source.resolve)
      return joined === undefined
        ? generateEach(all.parts, source)
        : generateCandidates(joined, source)
    },
    not: (not) => generateEach([not.schema], source, ['text', 1, null, {}]),
    conditional: ({ when, then, otherwise }) => generateEach([when, then, otherwise], source),
    unevaluated: ({ base }) => generateCandidates(base, source),
    ref: ({ name }) => source.some(source.resolve(name)),
  })
}

/** Some of each schema, then the rest. */
function* generateEach(
  schemas: readonly Schema[],
  source: Source,
  more: readonly Json[] = [],
): Generator<Json> {
  yield* takeTurns(schemas.map(source.some))
  yield* more
  if (schemas.length === 1) for (const schema of schemas) yield* generateCandidates(schema, source)
}

function* generateArrays(schema: Of<'array'>, { some, valid }: Source): Generator<Json> {
  yield []
  const prefix = schema.prefix.map(valid)
  if (prefix.length > 0) yield prefix
  for (const [index, part] of schema.prefix.entries())
    for (const value of some(part)) yield prefix.map((other, at) => (at === index ? value : other))
  for (const value of some(schema.items)) yield [...prefix, value]
  if (schema.contains) for (const value of some(schema.contains.schema)) yield [...prefix, value]
  const item = valid(schema.items)
  for (const bound of [schema.minItems, schema.maxItems, 2])
    for (const length of bound === undefined || bound > 100 ? [] : [bound - 1, bound, bound + 1])
      if (length >= prefix.length)
        yield [...prefix, ...Array.from({ length: length - prefix.length }, () => item)]
}

function* generateObjects(schema: Of<'object'>, { some, valid }: Source): Generator<Json> {
  const required: Readonly<Record<string, Json>> = Object.fromEntries([
    ...schema.properties
      .filter((property) => property.required)
      .map((property) => [property.name, valid(property.schema)]),
    ...schema.alsoRequired.map((name) => [name, valid(schema.additional)]),
  ])
  yield required
  for (const name of Object.keys(required)) yield omitMember(required, name)
  yield* takeTurns(
    schema.properties.map(({ name, schema: part }) =>
      some(part).map((value) => ({ ...required, [name]: value })),
    ),
  )
  for (const value of ['text', ...some(schema.additional)]) yield { ...required, other: value }
  const all = {
    ...required,
    ...Object.fromEntries(
      schema.properties.map((property) => [property.name, valid(property.schema)]),
    ),
  }
  yield all
  for (const name of Object.keys(all)) yield omitMember(all, name)
  for (const bound of [schema.minProperties, schema.maxProperties])
    for (const count of bound === undefined || bound > 100 ? [] : [bound - 1, bound, bound + 1])
      yield {
        ...required,
        ...Object.fromEntries(
          Array.from({ length: Math.max(0, count - Object.keys(required).length) }, (_, at) => [
            `p${at}`,
            valid(schema.additional),
          ]),
        ),
      }
}

function omitMember(object: Readonly<Record<string, Json>>, name: string): Json {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name))
}

function findValid(schema: Schema, source: Source): Json | undefined {
  for (const value of takeFirst(generateCandidates(schema, source), 4 * perPart))
    if (admits(schema, value, source.resolve)) return value
  return undefined
}

/** The first of each list, then the second of each: few values reach every property and option. */
function* takeTurns(lists: readonly (readonly Json[])[]): Generator<Json> {
  const rounds = Math.max(0, ...lists.map(({ length }) => length))
  for (let round = 0; round < rounds; round++)
    for (const list of lists) {
      const value = list[round]
      if (value !== undefined) yield value
    }
}

/** The first values of an array that may be long. */
export function* takeFirst<Value>(values: Iterable<Value>, count: number): Generator<Value> {
  let left = count
  for (const value of values) {
    if (left-- === 0) return
    yield value
  }
}

/** Numbers at and beside the bounds of a schema. */
function listNumbers(schema: Of<'number'>): readonly number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter(
    (bound) => bound !== undefined,
  )
  const beside = bounds.flatMap((bound) => [bound, bound - 1, bound + 1, bound + 0.5])
  const multiples = multipleOf === undefined ? [] : [multipleOf, 2 * multipleOf, multipleOf / 2]
  return [...beside, ...multiples, 1, 0, -1, 0.5, ...beyondFormats]
}

/** Whole numbers outside of `int32` and of `int64`. */
const beyondFormats = [2 ** 31, 1e300]

/** Longer strings do not help a reader. */
const longest = 200

/** Texts at and beside the bounds of a schema, and some of each format. */
function listStrings(schema: Of<'string'>): readonly string[] {
  const { minLength, maxLength } = schema
  const matching = schema.pattern === undefined ? undefined : findString(schema)
  const lengths = [minLength, maxLength].flatMap((bound) =>
    bound === undefined ? [] : [bound, bound - 1, bound + 1],
  )
  const sized = lengths
    .filter((length) => length >= 0 && length <= longest)
    .map((length) => 'a'.repeat(length))
  return [
    ...(matching === undefined ? [] : [matching]),
    ...sized,
    'text',
    '',
    'a',
    'A1',
    '1',
    ...ofFormats,
  ]
}
