import type { Api, Content, Operation, Response } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { contentKind } from '../content.js'
import { oncePer } from '../once-per.js'
import { createLookup, resolveRef } from '../resolve.js'
import { holder, listChildren, listRefs } from '../walk-schema.js'
import { describeModes, findClash, type Conversion } from './clash.js'
import { chooseConversion, type Converted, type ValueModes } from './converted.js'

/** Applies the modes to a model. `clashes` are values that cannot be converted. */
export function applyModes(
  api: Api,
  modes: ValueModes,
): { readonly api: Api; readonly clashes: readonly Clash[] } {
  const roots = [...api.schemas.map(({ schema }) => schema), ...api.operations.flatMap(listSchemas)]
  const { has, clashes } = findKeptPlaces(api, roots, modes)
  const as = (schema: Schema): Converted | undefined => chooseConversion(schema, modes)
  const convertSchema = oncePer((schema: Schema): Schema =>
    has(schema) ? Object.freeze(convertNode(schema, convertSchema, as)) : schema,
  )
  const withSchema = <Part extends { readonly schema: Schema }>(part: Part): Part =>
    Object.freeze({ ...part, schema: convertSchema(part.schema) })
  const parameter = oncePer(withSchema<Operation['parameters'][number]>)
  const header = oncePer(withSchema<Response['headers'][number]>)
  const bodyContent = oncePer(withSchema<NonNullable<Operation['body']>['contents'][number]>)
  // a text body is always read as a string, regardless of its schema
  const content = oncePer((one: Content): Content =>
    contentKind(one, api) === 'text'
      ? Object.freeze({ ...one, schema: resolveRef(api, one.schema) })
      : withSchema(one),
  )
  const response = oncePer((one: Response): Response =>
    Object.freeze({
      ...one,
      headers: one.headers.map(header),
      contents: one.contents.map(content),
    }),
  )
  const operation = (one: Operation): Operation =>
    Object.freeze({
      ...one,
      parameters: one.parameters.map(parameter),
      ...(one.body && {
        body: Object.freeze({ ...one.body, contents: one.body.contents.map(bodyContent) }),
      }),
      responses: one.responses.map(response),
    })
  return {
    api: Object.freeze({
      ...api,
      schemas: api.schemas.map(withSchema),
      operations: api.operations.map(operation),
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
  as: (schema: Schema) => Converted | undefined,
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

export type KeptPlaces = {
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
    const holds = holder(
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
