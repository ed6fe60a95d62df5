import type { Api, Content, Operation, Response } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { contentKind } from '../content-kind.js'
import { oncePer } from '../once-per.js'
import { resolveRef } from '../resolve.js'
import { convertedAs, type Converted } from './convertible.js'
import { keptPlaces, type Clash } from './kept-places.js'
import type { ValueModes } from './modes.js'

/** Applies the modes to a model. `clashes` are values that cannot be converted. */
export function applyModes(
  api: Api,
  modes: ValueModes,
): { readonly api: Api; readonly clashes: readonly Clash[] } {
  const roots = [...api.schemas.map(({ schema }) => schema), ...api.operations.flatMap(listSchemas)]
  const { has, clashes } = keptPlaces(api, roots, modes)
  const as = (schema: Schema): Converted | undefined => convertedAs(schema, modes)
  const convertSchema = oncePer((schema: Schema): Schema =>
    has(schema) ? Object.freeze(convertNode(schema, convertSchema, as)) : schema,
  )
  const withSchema = <Part extends { readonly schema: Schema }>(part: Part): Part =>
    Object.freeze({ ...part, schema: convertSchema(part.schema) })
  const parameter = oncePer(withSchema<Operation['parameters'][number]>)
  const header = oncePer(withSchema<Response['headers'][number]>)
  const bodyContent = oncePer(withSchema<NonNullable<Operation['body']>['contents'][number]>)
  // a text body is read as a string, whatever its schema
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
