import {
  admits,
  type Cases,
  match,
  type Json,
  type Of,
  type Operation,
  type Schema,
} from '@farebox/codegen/model'
import type { Excludes } from './exclusion.js'
import { joinObjects } from './join-objects.js'
import { type Cache, removeDuplicates, memoize, type Resolve, writeSchema } from './signature.js'
import {
  normalizeArray,
  normalizeNumber,
  normalizeObject,
  normalizeString,
} from './normalize-kinds.js'

/** The same operation with the schemas of its requests and responses normalized. */
export function normalizeOperation(
  { body, ...operation }: Operation,
  normalize: (schema: Schema) => Schema,
): Operation {
  const content = <T extends { readonly schema: Schema }>(one: T): T => ({
    ...one,
    schema: normalize(one.schema),
  })
  return {
    ...operation,
    parameters: operation.parameters.map(content),
    ...(body && { body: { ...body, contents: body.contents.map(content) } }),
    responses: operation.responses.map((response) => ({
      ...response,
      headers: response.headers.map(content),
      contents: response.contents.map(content),
    })),
  }
}

/**
 * A schema with its set of values in one spelling: bounds that exclude no value are left out,
 * integers have inclusive bounds, constants and lists of values are one list. Names, places and
 * descriptions stay.
 */
export function createNormalizer(
  resolve: Resolve,
  known: Cache<Schema, { readonly made: Schema }>,
  excludes: Excludes,
): (schema: Schema) => Schema {
  const normalize = (schema: Schema): Schema => (simple.has(schema.kind) ? schema : once(schema))
  const areDisjoint = (options: readonly Schema[]) =>
    options.every((schema, at) =>
      options
        .slice(at + 1)
        .every((other) => excludes({ schema, resolve }, { schema: other, resolve })),
    )
  const cases: Cases<Schema> = {
    any: (node) => node,
    never: (node) => node,
    null: (node) => node,
    boolean: (node) => node,
    binary: (node) => node,
    ref: (node) => node,
    number: normalizeNumber,
    string: normalizeString,
    enum: normalizeEnum,
    array: (node) => normalizeArray(node, normalize),
    object: (node) => normalizeObject(node, normalize),
    union: ({ options, notes }) => joinOptions(options.map(normalize), notes),
    oneOf: (node) => normalizeChoice(node, normalize, areDisjoint),
    intersection: ({ parts, notes }) => meetParts(parts.map(normalize), notes, resolve),
    not: (node) => normalizeNot(node, normalize),
    conditional: (node) => normalizeConditional(node, normalize),
    unevaluated: (node) => normalizeUnevaluated(node, normalize, resolve),
  }
  const once: (schema: Schema) => Schema = memoize((schema) => match(schema, cases), known)
  return normalize
}

/** Kinds that have one spelling. */
const simple = new Set<Schema['kind']>(['any', 'never', 'null', 'boolean', 'binary', 'ref'])

/** Both booleans together are the type, and null is a separate option. */
function normalizeEnum(node: Of<'enum'>): Schema {
  const { values, notes } = node
  const others = values.filter((value) => value !== null)
  const isBoolean = others.length === 2 && others.every((value) => typeof value === 'boolean')
  const kinds: readonly Schema[] = [
    ...(others.length === 0
      ? []
      : [isBoolean ? ({ kind: 'boolean', notes } as const) : { ...node, values: others }]),
    ...(others.length === values.length ? [] : [{ kind: 'null', notes } as const]),
  ]
  const [only] = kinds
  if (only === undefined) return { kind: 'never', notes }
  if (kinds.length > 1) return { kind: 'union', notes, options: kinds }
  return only.kind === 'enum' && others.length === values.length ? node : only
}

function normalizeChoice(
  { discriminator, ...node }: Of<'oneOf'>,
  normalize: (schema: Schema) => Schema,
  areDisjoint: (options: readonly Schema[]) => boolean,
): Schema {
  // an impossible option never is the second that fits, and of options that share no value at most
  // one fits
  const options = node.options
    .map(normalize)
    .filter(({ kind }) => kind !== 'never')
    .flatMap((one) => (one.kind === 'union' && areDisjoint(one.options) ? one.options : [one]))
  return discriminator !== undefined || areDisjoint(options)
    ? joinOptions(options, node.notes)
    : { ...node, options }
}

type Notes = Schema['notes']

/** At least one of some schemas, each once. */
function joinOptions(options: readonly Schema[], notes: Notes): Schema {
  const flat = options.flatMap((one) => (one.kind === 'union' ? one.options : [one]))
  const everything = flat.find(({ kind }) => kind === 'any')
  if (everything !== undefined) return withNotes(everything, notes)
  const rest = dropDuplicates(mergeEnums(flat).filter(({ kind }) => kind !== 'never'))
  const [only] = rest
  if (only === undefined) return { kind: 'never', notes }
  if (rest.length === 1) return withNotes(only, notes)
  return coversEverything(rest) ? { kind: 'any', notes } : { kind: 'union', notes, options: rest }
}

/** The lists of values as one, at the place of the first. */
function mergeEnums(options: readonly Schema[]): readonly Schema[] {
  const lists = options.filter((one): one is Of<'enum'> => one.kind === 'enum')
  const [first] = lists
  if (first === undefined || lists.length === 1) return options
  const values = new Map(
    lists.flatMap((list) =>
      list.values.map((value): [string, Json] => [JSON.stringify(value), value]),
    ),
  )
  const merged = normalizeEnum({ kind: 'enum', notes: first.notes, values: [...values.values()] })
  return options.flatMap((one) => (one === first ? [merged] : one.kind === 'enum' ? [] : [one]))
}

function coversEverything(options: readonly Schema[]): boolean {
  if (options.length < everyKind.length) return false
  const bare = new Set(options.map((one) => writeSchema(one, (name) => name)))
  return everyKind.every((one) => bare.has(one))
}

const notes: Notes = { origin: { file: '', pointer: '' } }
const any: Schema = { kind: 'any', notes }
const everyKind = (
  [
    { kind: 'null', notes },
    { kind: 'boolean', notes },
    { kind: 'number', notes, integer: false },
    { kind: 'string', notes },
    { kind: 'array', notes, prefix: [], items: any, unique: false },
    {
      kind: 'object',
      notes,
      properties: [],
      alsoRequired: [],
      patterns: [],
      additional: any,
      dependentRequired: [],
      dependentSchemas: [],
    },
  ] satisfies readonly Schema[]
).map((schema) => writeSchema(schema, (name) => name))

/** All of some schemas. Listed values are those that the other parts accept. */
function meetParts(parts: readonly Schema[], notes: Notes, resolve: Resolve): Schema {
  const flat = parts
    .flatMap((one) => (one.kind === 'intersection' ? one.parts : [one]))
    .filter(({ kind }) => kind !== 'any')
  const impossible = flat.find(({ kind }) => kind === 'never')
  if (impossible !== undefined) return withNotes(impossible, notes)
  const list = flat.find((one) => one.kind === 'enum')
  if (list !== undefined) {
    const values = list.values.filter((value) => flat.every((one) => admits(one, value, resolve)))
    return withNotes(normalizeEnum({ ...list, values }), notes)
  }
  const rest = dropDuplicates(meetScalars(flat))
  const [only] = rest
  if (only === undefined) return { kind: 'any', notes }
  return rest.length === 1 ? withNotes(only, notes) : { kind: 'intersection', notes, parts: rest }
}

/** Numbers as one number, and strings as one string, unless two patterns or formats must hold. */
function meetScalars(parts: readonly Schema[]): readonly Schema[] {
  return parts.reduce<readonly Schema[]>((met, part) => {
    const at = met.findIndex((one) => meetTwo(one, part) !== undefined)
    const joined = at === -1 ? undefined : meetTwo(met[at] ?? part, part)
    return joined === undefined ? [...met, part] : met.with(at, joined)
  }, [])
}

function meetTwo(one: Schema, other: Schema): Schema | undefined {
  if (one.kind === 'number' && other.kind === 'number') {
    if (!agree(one, other, ['multipleOf', 'format', 'as'])) return undefined
    const bounds = meetBounds(one, other)
    return normalizeNumber({ ...other, ...one, ...bounds, integer: one.integer || other.integer })
  }
  if (one.kind === 'string' && other.kind === 'string') {
    if (!agree(one, other, ['pattern', 'format', 'as', 'content', 'encoding'])) return undefined
    return normalizeString({ ...other, ...one, ...meetBounds(one, other) })
  }
  return undefined
}

/** Whether two schemas do not both state one of these keywords, unless with the same value. */
function agree<T extends object>(one: T, other: T, keys: readonly (keyof T)[]): boolean {
  return keys.every(
    (key) => one[key] === undefined || other[key] === undefined || one[key] === other[key],
  )
}

function meetBounds(one: object, other: object): object {
  const value = (schema: object, key: string) =>
    (schema as Readonly<Record<string, number | undefined>>)[key]
  const pick = (keys: readonly string[], choose: (a: number, b: number) => number) =>
    keys.flatMap((key): [string, number][] => {
      const [a, b] = [value(one, key), value(other, key)]
      return a === undefined || b === undefined ? [] : [[key, choose(a, b)]]
    })
  return Object.fromEntries([
    ...pick(['minimum', 'exclusiveMinimum', 'minLength'], Math.max),
    ...pick(['maximum', 'exclusiveMaximum', 'maxLength'], Math.min),
  ])
}

function normalizeNot(node: Of<'not'>, normalize: (schema: Schema) => Schema): Schema {
  const schema = normalize(node.schema)
  if (schema.kind === 'never') return { kind: 'any', notes: node.notes }
  if (schema.kind === 'any') return { kind: 'never', notes: node.notes }
  if (schema.kind === 'not') return withNotes(schema.schema, node.notes)
  return { ...node, schema }
}

/** What no part of an object names is what the object that they make together does not name. */
function normalizeUnevaluated(
  node: Of<'unevaluated'>,
  normalize: (schema: Schema) => Schema,
  resolve: Resolve,
): Schema {
  const [base, properties] = [normalize(node.base), node.properties && normalize(node.properties)]
  const whole =
    base.kind === 'intersection'
      ? joinObjects(base, resolve)
      : base.kind === 'object'
        ? base
        : undefined
  const isOpen =
    whole?.additional.kind === 'any' &&
    whole.additionalStated !== true &&
    whole.dependentSchemas.length === 0
  if (isOpen && properties !== undefined && node.items === undefined)
    return withNotes({ ...whole, additional: properties }, node.notes)
  return {
    ...node,
    base,
    ...(properties && { properties }),
    ...(node.items && { items: normalize(node.items) }),
  }
}

function normalizeConditional(
  node: Of<'conditional'>,
  normalize: (schema: Schema) => Schema,
): Schema {
  const [when, then, otherwise] = [node.when, node.then, node.otherwise].map(normalize)
  if (when === undefined || then === undefined || otherwise === undefined) return node
  if (when.kind === 'any') return withNotes(then, node.notes)
  if (when.kind === 'never') return withNotes(otherwise, node.notes)
  return { ...node, when, then, otherwise }
}

/** Schemas of different kinds differ, so that most lists need no comparison. */
function dropDuplicates(schemas: readonly Schema[]): readonly Schema[] {
  return new Set(schemas.map(({ kind }) => kind)).size === schemas.length
    ? schemas
    : removeDuplicates(schemas)
}

/** The outer notes take precedence. */
function withNotes(schema: Schema, notes: Notes): Schema {
  return { ...schema, notes: { ...schema.notes, ...notes } }
}
