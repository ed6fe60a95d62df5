import { admits, match, type Json, type Of, type Schema } from '@farebox/codegen'
import { joinedObject } from '../join-objects.js'
import type { Resolve } from '../resolve.js'
import { bareNumbers, bareTexts } from './edges.js'

type Values = Iterable<Json>

/** How deep references and nested values are followed. */
const deepest = 5
/** How many values of a part are tried within the whole. */
const perPart = 12

/**
 * Values at the edges of a schema: at and beside each bound, each listed value, an object without
 * each of its properties. Not all of them are valid. Examples and defaults come first.
 */
export function listCandidates(schema: Schema, resolve: Resolve): Values {
  return candidates(schema, resolve, deepest)
}

function* candidates(schema: Schema, resolve: Resolve, depth: number): Generator<Json> {
  if (depth === 0) return
  yield* schema.notes.examples ?? []
  if (schema.notes.default !== undefined) yield schema.notes.default
  yield* match<Values>(schema, {
    any: () => ['text', 1, true, null, [], {}],
    never: () => [],
    null: () => [null],
    boolean: () => [true, false],
    number: bareNumbers,
    string: bareTexts,
    binary: () => [],
    enum: ({ values }) => values,
    array: (array) => arrays(array, resolve, depth - 1),
    object: (object) => objects(object, resolve, depth - 1),
    union: ({ options }) => each(options, resolve, depth),
    oneOf: ({ options }) => each(options, resolve, depth),
    intersection: (all) => {
      const joined = joinedObject(all, resolve)
      return joined === undefined
        ? each(all.parts, resolve, depth)
        : candidates(joined, resolve, depth)
    },
    not: (not) => each([not.schema], resolve, depth, ['text', 1, null, {}]),
    conditional: ({ when, then, otherwise }) => each([when, then, otherwise], resolve, depth),
    unevaluated: ({ base }) => candidates(base, resolve, depth),
    ref: ({ name }) => candidates(resolve(name), resolve, depth - 1),
  })
}

function* each(
  schemas: readonly Schema[],
  resolve: Resolve,
  depth: number,
  more: readonly Json[] = [],
): Generator<Json> {
  for (const schema of schemas) yield* candidates(schema, resolve, depth)
  yield* more
}

function* arrays(schema: Of<'array'>, resolve: Resolve, depth: number): Generator<Json> {
  yield []
  const valid = (part: Schema): Json => findValid(part, resolve, depth) ?? null
  const prefix = schema.prefix.map(valid)
  if (prefix.length > 0) yield prefix
  for (const [index, part] of schema.prefix.entries())
    for (const value of some(part, resolve, depth))
      yield prefix.map((other, at) => (at === index ? value : other))
  for (const value of some(schema.items, resolve, depth)) yield [...prefix, value]
  if (schema.contains)
    for (const value of some(schema.contains.schema, resolve, depth)) yield [...prefix, value]
  const item = valid(schema.items)
  for (const bound of [schema.minItems, schema.maxItems, 2])
    for (const length of bound === undefined || bound > 100 ? [] : [bound - 1, bound, bound + 1])
      if (length >= prefix.length)
        yield [...prefix, ...Array.from({ length: length - prefix.length }, () => item)]
}

function* objects(schema: Of<'object'>, resolve: Resolve, depth: number): Generator<Json> {
  const valid = (part: Schema): Json => findValid(part, resolve, depth) ?? null
  const required: Readonly<Record<string, Json>> = Object.fromEntries([
    ...schema.properties
      .filter((property) => property.required)
      .map((property) => [property.name, valid(property.schema)]),
    ...schema.alsoRequired.map((name) => [name, valid(schema.additional)]),
  ])
  yield required
  for (const name of Object.keys(required)) yield without(required, name)
  for (const { name, schema: part } of schema.properties)
    for (const value of some(part, resolve, depth)) yield { ...required, [name]: value }
  for (const value of ['text', ...some(schema.additional, resolve, depth)])
    yield { ...required, other: value }
  const all = {
    ...required,
    ...Object.fromEntries(
      schema.properties.map((property) => [property.name, valid(property.schema)]),
    ),
  }
  yield all
  for (const name of Object.keys(all)) yield without(all, name)
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

function without(object: Readonly<Record<string, Json>>, name: string): Json {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name))
}

function some(schema: Schema, resolve: Resolve, depth: number): readonly Json[] {
  return [...takeFirst(candidates(schema, resolve, depth), perPart)]
}

function findValid(schema: Schema, resolve: Resolve, depth: number): Json | undefined {
  for (const value of takeFirst(candidates(schema, resolve, depth), 4 * perPart))
    if (admits(schema, value, resolve)) return value
  return undefined
}

/** The first values of a list that may be long. */
export function* takeFirst(values: Values, count: number): Generator<Json> {
  let left = count
  for (const value of values) {
    if (left-- === 0) return
    yield value
  }
}
