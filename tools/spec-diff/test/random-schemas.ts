import type { Random } from './random.js'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }
export type JsonSchema = { readonly [keyword: string]: Json }

/** Makes schemas by chance, and changes them. */
export type SchemaMaker = {
  readonly fresh: (depth?: number) => JsonSchema
  /** The same schema with one place of it changed. */
  readonly changed: (schema: JsonSchema) => JsonSchema
}

/**
 * Schemas of the words that a choice and an `allOf` are made of, and of references to some names.
 * Objects that are open name all properties that there are.
 */
export function createSchemaMaker(random: Random, names: readonly string[]): SchemaMaker {
  return {
    fresh: (depth = 3) => createSchema(random, names, depth),
    changed: (schema) => changeSchema(random, names, schema, 3),
  }
}

function createSchema(random: Random, names: readonly string[], depth: number): JsonSchema {
  if (depth > 0 && random.chance(0.5)) {
    const inner = () => createSchema(random, names, depth - 1)
    return random.oneOf([
      () => ({ oneOf: createSeveral(random, inner) }),
      () => ({ oneOf: createSeveral(random, inner) }),
      () => ({ anyOf: createSeveral(random, inner) }),
      () => ({
        allOf: createSeveral(random, () =>
          random.chance(0.8) ? createObjectSchema(random, names, depth - 1) : inner(),
        ),
      }),
      () => ({
        allOf: createSeveral(random, () =>
          random.chance(0.8) ? createObjectSchema(random, names, depth - 1) : inner(),
        ),
      }),
      () => ({ not: inner() }),
      () => ({ type: 'array', items: inner(), ...createBounds(random, 'Items') }),
      () =>
        names.length === 0
          ? createScalar(random)
          : { $ref: `#/components/schemas/${random.oneOf(names)}` },
    ])()
  }
  return random.chance(0.6) && depth > 0
    ? createObjectSchema(random, names, depth - 1)
    : createScalar(random)
}

function createSeveral(random: Random, make: () => JsonSchema): readonly JsonSchema[] {
  return Array.from({ length: 1 + random.below(3) }, make)
}

function createScalar(random: Random): JsonSchema {
  return random.chance(0.12) ? {} : createTyped(random)
}

function createTyped(random: Random): JsonSchema {
  return random.oneOf<() => JsonSchema>([
    () => ({ type: 'string', ...createBounds(random, 'Length') }),
    () => ({
      type: random.oneOf(['integer', 'number']),
      ...(random.chance(0.5) && { minimum: random.below(3) }),
      ...(random.chance(0.4) && { maximum: 1 + random.below(3) }),
    }),
    () => ({ enum: [random.oneOf(['a', 1]), ...random.some(['ab', 'abc', 2, 3])] }),
    () => ({ const: random.oneOf(['a', 'abc', 1]) }),
    () => ({ type: random.oneOf(['null', 'boolean']) }),
    () => ({ type: ['string', 'null'], ...createBounds(random, 'Length') }),
  ])()
}

function createObjectSchema(random: Random, names: readonly string[], depth: number): JsonSchema {
  const way = random.oneOf(['open', 'open', 'closed', 'closed', 'map', 'patterns'] as const)
  const inner = () =>
    random.chance(0.6) ? createScalar(random) : createSchema(random, names, depth)
  const listed = way === 'open' ? ['a', 'b'] : random.some(['a', 'b'], 0.7)
  return {
    type: 'object',
    properties: Object.fromEntries(listed.map((name) => [name, inner()])),
    ...(random.chance(0.4) && { required: random.some(['a', 'b']) }),
    ...(way === 'closed' && { additionalProperties: false }),
    ...(way === 'map' && { additionalProperties: createTyped(random) }),
    ...(way === 'patterns' && {
      patternProperties: { '^[bc]$': inner() },
      additionalProperties: random.oneOf([false, { type: 'string' }]),
    }),
    ...(random.chance(0.2) && createBounds(random, 'Properties')),
    ...(random.chance(0.1) && { propertyNames: { maxLength: random.below(3), pattern: '^[ab]' } }),
  }
}

function createBounds(random: Random, of: 'Length' | 'Items' | 'Properties'): JsonSchema {
  return {
    ...(random.chance(0.4) && { [`min${of}`]: random.below(3) }),
    ...(random.chance(0.4) && { [`max${of}`]: 1 + random.below(3) }),
  }
}

function changeSchema(
  random: Random,
  names: readonly string[],
  schema: JsonSchema,
  depth: number,
): JsonSchema {
  const places = listPlaces(schema)
  const place = places.length > 0 && random.chance(0.75) ? random.oneOf(places) : undefined
  if (place !== undefined) return place((inner) => changeSchema(random, names, inner, depth - 1))
  const choices = (['oneOf', 'anyOf', 'allOf'] as const).filter((word) => word in schema)
  return random.oneOf<() => JsonSchema>([
    () => createSchema(random, names, Math.max(0, depth)),
    () => ({ oneOf: [schema, createSchema(random, names, 1)] }),
    () => ({ anyOf: [schema, createSchema(random, names, 1)] }),
    () => ({ allOf: [schema, createSchema(random, names, 1)] }),
    ...choices.map((word) => () => regroup(random, names, schema, word)),
    ...choices.map((word) => () => regroup(random, names, schema, word)),
    () => dropKeyword(random, names, schema),
    () => dropKeyword(random, names, schema),
  ])()
}

/** One option more or less, or the same options under another word. */
function regroup(
  random: Random,
  names: readonly string[],
  schema: JsonSchema,
  word: 'oneOf' | 'anyOf' | 'allOf',
): JsonSchema {
  const { [word]: listed, ...rest } = schema
  const options = listed as readonly JsonSchema[]
  const [first] = options
  return random.oneOf<() => JsonSchema>([
    () => ({ ...rest, [word]: [...options, createSchema(random, names, 1)] }),
    () => (options.length > 1 ? { ...rest, [word]: options.slice(1) } : (first ?? {})),
    () => ({ ...rest, [random.oneOf(['oneOf', 'anyOf'])]: options }),
    () => ({ ...rest, [word]: options.toReversed() }),
  ])()
}

/** Without one of its keywords, as far as an open object then still names all properties. */
function dropKeyword(random: Random, names: readonly string[], schema: JsonSchema): JsonSchema {
  const words = Object.keys(schema).filter(
    (word) => !['type', 'properties', 'additionalProperties', '$ref'].includes(word),
  )
  if (words.length === 0) return createSchema(random, names, 1)
  const { [random.oneOf(words)]: _, ...rest } = schema
  return rest
}

type Place = (change: (inner: JsonSchema) => JsonSchema) => JsonSchema

function listPlaces(schema: JsonSchema): readonly Place[] {
  return Object.entries(schema).flatMap(([word, value]): Place[] => {
    if (['oneOf', 'anyOf', 'allOf'].includes(word)) {
      const options = value as readonly JsonSchema[]
      return options.map((option, at) => (change) => ({
        ...schema,
        [word]: options.map((each, index) => (index === at ? change(option) : each)),
      }))
    }
    if (['properties', 'patternProperties'].includes(word)) {
      const members = value as Readonly<Record<string, JsonSchema>>
      return Object.entries(members).map(([name, inner]) => (change) => ({
        ...schema,
        [word]: { ...members, [name]: change(inner) },
      }))
    }
    const isSchema =
      ['items', 'not', 'additionalProperties'].includes(word) && typeof value === 'object'
    return isSchema ? [(change) => ({ ...schema, [word]: change(value as JsonSchema) })] : []
  })
}
