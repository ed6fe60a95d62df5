import type { Api, Content, Operation, Response } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { contentKind } from '../content-kind.js'
import { oncePer } from '../once-per.js'
import { resolveRef } from '../resolve.js'
import { isDateTime } from './convertible.js'
import { textPlaces, type Clash } from './text-places.js'

/** The model with dates in place of texts of `date-time`, and what stays text against the wish. */
export function withDates(api: Api): { readonly api: Api; readonly clashes: readonly Clash[] } {
  const { has, clashes } = textPlaces(api, [...api.schemas.map(({ schema }) => schema), ...api.operations.flatMap(schemasOf)])
  const dated = oncePer((schema: Schema): Schema => (has(schema) ? Object.freeze(converted(schema, dated)) : schema))
  const withSchema = <Part extends { readonly schema: Schema }>(part: Part): Part => Object.freeze({ ...part, schema: dated(part.schema) })
  const parameter = oncePer(withSchema<Operation['parameters'][number]>)
  const header = oncePer(withSchema<Response['headers'][number]>)
  const bodyContent = oncePer(withSchema<NonNullable<Operation['body']>['contents'][number]>)
  // a text is read as text, also with another schema
  const content = oncePer((one: Content): Content =>
    contentKind(one, api) === 'text' ? Object.freeze({ ...one, schema: resolveRef(api, one.schema) }) : withSchema(one),
  )
  const response = oncePer((one: Response): Response =>
    Object.freeze({ ...one, headers: one.headers.map(header), contents: one.contents.map(content) }),
  )
  const operation = (one: Operation): Operation =>
    Object.freeze({
      ...one,
      parameters: one.parameters.map(parameter),
      ...(one.body && { body: Object.freeze({ ...one.body, contents: one.body.contents.map(bodyContent) }) }),
      responses: one.responses.map(response),
    })
  return {
    api: Object.freeze({ ...api, schemas: api.schemas.map(withSchema), operations: api.operations.map(operation) }),
    clashes,
  }
}

function schemasOf({ parameters, body, responses }: Operation): readonly Schema[] {
  const parts = [...parameters, ...(body?.contents ?? []), ...responses.flatMap(({ headers, contents }) => [...headers, ...contents])]
  return parts.map(({ schema }) => schema)
}

/** The same schema with dates below it. Only what holds them in known places gets here. */
function converted(schema: Schema, dated: (schema: Schema) => Schema): Schema {
  if (schema.kind === 'string') return isDateTime(schema) ? { ...schema, date: true } : schema
  if (schema.kind === 'array') return { ...schema, prefix: schema.prefix.map(dated), items: dated(schema.items) }
  if (schema.kind === 'union' || schema.kind === 'oneOf') return { ...schema, options: schema.options.map(dated) }
  if (schema.kind === 'intersection') return { ...schema, parts: schema.parts.map(dated) }
  if (schema.kind !== 'object') return schema
  const properties = schema.properties.map((property) => ({ ...property, schema: dated(property.schema) }))
  return { ...schema, properties, additional: dated(schema.additional) }
}
