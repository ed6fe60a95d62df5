import type { Api, Content, Operation, Response } from '../../ir/api.js'
import { listChildren } from '../../ir/list-children.js'
import type { Of, Schema } from '../../ir/schema.js'
import { contentKind } from '../content.js'
import { createLookup, createHolds, listRefs, oncePer, resolveRef } from '../schemas.js'
import { chooseConversion, type ConvertedKind, type ValueModes } from './converted.js'

/** Applies the modes to a model. `clashes` are values that cannot be converted. */
export function applyModes(
  api: Api,
  modes: ValueModes,
): { readonly api: Api; readonly clashes: readonly Clash[] } {
  const roots = [...api.schemas.map(({ schema }) => schema), ...api.operations.flatMap(listSchemas)]
  const { has, clashes } = findKeptPlaces(api, roots, modes)
  const as = (schema: Schema): ConvertedKind | undefined => chooseConversion(schema, modes)
  const convertSchema = oncePer((schema: Schema): Schema =>
    has(schema) ? Object.freeze(convertNode(schema, convertSchema, as)) : schema,
  )
  const convertPart = <Part extends { readonly schema: Schema }>(part: Part): Part =>
    Object.freeze({ ...part, schema: convertSchema(part.schema) })
  const convertParameter = oncePer(convertPart<Operation['parameters'][number]>)
  const convertHeader = oncePer(convertPart<Response['headers'][number]>)
  const convertBodyContent = oncePer(
    convertPart<NonNullable<Operation['body']>['contents'][number]>,
  )
  // a text body is always read as a string, regardless of its schema
  const convertContent = oncePer((one: Content): Content =>
    contentKind(one, api) === 'text'
      ? Object.freeze({ ...one, schema: resolveRef(api, one.schema) })
      : convertPart(one),
  )
  const convertResponse = oncePer((one: Response): Response =>
    Object.freeze({
      ...one,
      headers: one.headers.map(convertHeader),
      contents: one.contents.map(convertContent),
    }),
  )
  const convertOperation = (one: Operation): Operation =>
    Object.freeze({
      ...one,
      parameters: one.parameters.map(convertParameter),
      ...(one.body && {
        body: Object.freeze({ ...one.body, contents: one.body.contents.map(convertBodyContent) }),
      }),
      responses: one.responses.map(convertResponse),
    })
  return {
    api: Object.freeze({
      ...api,
      isConverted: true,
      schemas: api.schemas.map(convertPart),
      operations: api.operations.map(convertOperation),
    }),
    clashes,
  }
}

function listSchemas({ parameters, body, responses }: Operation): readonly Schema[] {
  const parts = [
    ...parameters,
    ...(body?.contents ?? []),
    ...responses.flatMap(({ headers, contents }) => [...headers, ...contents]),
  ]
  return parts.map(({ schema }) => schema)
}

/** Converts the values below a schema. Only called if their places are known. */
function convertNode(
  schema: Schema,
  convertSchema: (schema: Schema) => Schema,
  as: (schema: Schema) => ConvertedKind | undefined,
): Schema {
  if (schema.kind === 'string' || schema.kind === 'number')
    return { ...schema, as: as(schema) } as Schema
  if (schema.kind === 'array')
    return {
      ...schema,
      prefix: schema.prefix.map(convertSchema),
      items: convertSchema(schema.items),
    }
  if (schema.kind === 'union' || schema.kind === 'oneOf')
    return { ...schema, options: schema.options.map(convertSchema) }
  if (schema.kind === 'intersection') return { ...schema, parts: schema.parts.map(convertSchema) }
  if (schema.kind !== 'object') return schema
  const properties = schema.properties.map((property) => ({
    ...property,
    schema: convertSchema(property.schema),
  }))
  return { ...schema, properties, additional: convertSchema(schema.additional) }
}

type Clash = { readonly schema: Schema; readonly what: string }

type KeptPlaces = {
  /** Whether a schema contains a converted value. */
  readonly has: Conversion['has']
  /** Where values stay as in JSON, and why. */
  readonly clashes: readonly Clash[]
}

/** Keeping a place may affect other places. More rounds are not worth it. */
const maxRounds = 8

/**
 * Finds the schemas that stay as in JSON, as the place of a date or a bigint in them depends on
 * more than the path. A named schema within one is kept everywhere, so that its name has only one
 * type.
 */
function findKeptPlaces(api: Api, roots: readonly Schema[], modes: ValueModes): KeptPlaces {
  const clashes: Clash[] = []
  const kept = new Set<Schema>()
  const words = describeModes(modes)
  const lookup = createLookup(api)
  const names = new Set<string>()
  const addName = (name: string): void => {
    if (names.has(name)) return
    names.add(name)
    keep(lookup(name))
  }
  const keep = (schema: Schema): void => {
    kept.add(schema)
    for (const name of listRefs(schema)) addName(name)
  }
  const below = (schema: Schema): readonly Schema[] =>
    kept.has(schema) ? [] : listChildren(schema)
  for (let round = 0; ; round++) {
    // a separate predicate for each round, so that the order does not matter
    const holds = createHolds(
      (schema) => chooseConversion(schema, modes) !== undefined && !kept.has(schema),
      (schema) => below(schema),
    )
    const conversion: Conversion = {
      as: (schema) => chooseConversion(schema, modes),
      has: (schema) => !kept.has(schema) && holds(api, schema),
    }
    const found = roots.flatMap((root) => findClashes(api, root, conversion, below, words))
    clashes.push(...found)
    const isLast = round === maxRounds
    for (const schema of isLast && found.length > 0 ? roots : found.map(({ schema }) => schema))
      keep(schema)
    if (found.length === 0 || isLast)
      return { has: (schema) => !kept.has(schema) && holds(api, schema), clashes }
  }
}

function findClashes(
  api: Api,
  root: Schema,
  conversion: Conversion,
  below: (schema: Schema) => readonly Schema[],
  words: string,
): readonly Clash[] {
  const found: Clash[] = []
  const stack = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const where = findClash(api, next, conversion)
    if (where === undefined) stack.push(...below(next))
    else found.push({ schema: next, what: `${words} ${where}` })
  }
  return found
}

/** The converted kind of a node, and whether a schema contains any. */
type Conversion = {
  readonly as: (schema: Schema) => ConvertedKind | undefined
  readonly has: (schema: Schema) => boolean
}

/** Describes the converted values, for diagnostics. */
function describeModes({ dates, int64 }: ValueModes): string {
  const date = dates === 'temporal' ? 'date' : 'date-time'
  return `a ${[...(dates === 'text' ? [] : [date]), ...(int64 === 'number' ? [] : ['int64'])].join(' or ')}`
}

/**
 * Why the converted values of a schema cannot be found without validation, or why they must stay as
 * in JSON. Undefined if the place of each is known.
 */
function findClash(api: Api, schema: Schema, conversion: Conversion): string | undefined {
  if (!conversion.has(schema)) return undefined
  if (schema.kind === 'union' || schema.kind === 'oneOf')
    return findOptionClash(api, schema, conversion)
  if (schema.kind === 'intersection') return findPartClash(api, schema, conversion)
  if (schema.kind === 'not' || schema.kind === 'conditional') return 'in a condition'
  if (schema.kind === 'unevaluated') return 'beside unevaluated properties or items'
  if (
    schema.kind === 'array' &&
    (schema.contains !== undefined || schema.unevaluated !== undefined)
  )
    return 'in an array with rules for some of its items'
  if (schema.kind === 'array' && schema.unique) return 'in an array whose items differ as text'
  if (schema.kind === 'object' && schema.patterns.length + schema.dependentSchemas.length > 0)
    return 'in an object with rules for some of its properties'
  return undefined
}

function findOptionClash(
  api: Api,
  schema: Of<'union'> | Of<'oneOf'>,
  { has }: Conversion,
): string | undefined {
  if (schema.kind === 'oneOf' && schema.discriminator !== undefined) return undefined
  const leaves = listLeaves(api, schema, ['union', 'oneOf']).map((leaf) => ({
    leaf,
    types: listTypes(api, leaf),
  }))
  const counts = new Map<string, number>()
  for (const type of leaves.flatMap(({ types }) => types))
    counts.set(type, (counts.get(type) ?? 0) + 1)
  const clashes = leaves.some(
    ({ leaf, types }) => types.some((type) => (counts.get(type) ?? 0) > 1) && has(leaf),
  )
  return clashes ? 'in one of several options that a value can be of' : undefined
}

/** Parts must agree on each property that holds a converted value. */
function findPartClash(api: Api, schema: Schema, conversion: Conversion): string | undefined {
  const { as, has } = conversion
  const leaves = listLeaves(api, schema, ['intersection']).filter(({ kind }) => kind !== 'any')
  if (new Set(leaves.map(as)).size === 1 && leaves.every((leaf) => as(leaf) !== undefined))
    return undefined
  const found = 'of which another part of an allOf says something else'
  const seen = new Map<string, Schema>()
  for (const leaf of leaves) {
    if (
      leaf.kind !== 'object' ||
      (leaf.additional.kind !== 'any' && leaf.additional.kind !== 'never')
    )
      return found
    for (const { name, schema: property } of leaf.properties) {
      const other = seen.get(name)
      seen.set(name, property)
      if (
        other !== undefined &&
        (has(property) || has(other)) &&
        !areCompatible(api, property, other, conversion)
      )
        return found
    }
  }
  return undefined
}

/** Whether two parts agree on a property, or one of them does not restrict it. */
function areCompatible(api: Api, one: Schema, other: Schema, { as }: Conversion): boolean {
  const [a, b] = [resolveRef(api, one), resolveRef(api, other)]
  return a === b || (as(a) !== undefined && as(a) === as(b)) || isBare(api, a) || isBare(api, b)
}

/** Any value, any object, or an array of these. */
function isBare(api: Api, schema: Schema): boolean {
  let node = resolveRef(api, schema)
  while (node.kind === 'array' && node.prefix.length === 0) node = resolveRef(api, node.items)
  if (node.kind !== 'object') return node.kind === 'any'
  return (
    node.properties.length + node.patterns.length + node.dependentSchemas.length === 0 &&
    node.additional.kind === 'any'
  )
}

/** The options of nested choices, or the parts of nested intersections, each once. */
function listLeaves(api: Api, schema: Schema, kinds: readonly Schema['kind'][]): readonly Schema[] {
  const seen = new Set<Schema>()
  const stack = [schema]
  const leaves: Schema[] = []
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const node = resolveRef(api, next)
    if (seen.has(node)) continue
    seen.add(node)
    if (!kinds.includes(node.kind) || isTagged(node)) leaves.push(node)
    else if (node.kind === 'union' || node.kind === 'oneOf') stack.push(...node.options)
    else if (node.kind === 'intersection') stack.push(...node.parts)
  }
  return leaves
}

function isTagged(node: Schema): boolean {
  return node.kind === 'oneOf' && node.discriminator !== undefined
}

const every = ['string', 'number', 'object', 'array']

/** The JSON types of values of a schema, if something in them can be converted. */
function listTypes(api: Api, schema: Schema): readonly string[] {
  const node = resolveRef(api, schema)
  if (node.kind === 'string' || node.kind === 'binary') return ['string']
  if (node.kind === 'object' || isTagged(node)) return ['object']
  if (node.kind === 'array') return ['array']
  if (node.kind === 'enum')
    return [...new Set(node.values.map((value) => (Array.isArray(value) ? 'array' : typeof value)))]
  if (node.kind === 'number') return ['number']
  if (node.kind === 'boolean' || node.kind === 'null' || node.kind === 'never') return []
  if (node.kind !== 'intersection') return every
  const parts = listLeaves(api, node, ['intersection'])
  return every.filter((type) =>
    parts.every((part) => part.kind === 'intersection' || listTypes(api, part).includes(type)),
  )
}
