import { propertiesOf } from '../../emit/properties-of.js'
import { resolveRef } from '../../emit/resolve.js'
import type { Api, Operation, Parameter } from '../../ir/api.js'
import type { Json, Schema } from '../../ir/schema.js'

/** How the pages of an operation follow each other. */
export type Pagination = {
  readonly by: 'cursor' | 'offset' | 'page'
  readonly parameter: Parameter
  /** The fields to the next cursor, or to the items of a page. */
  readonly path: readonly string[]
  /** The number of the first page. */
  readonly start: number
  /** Which rule says so. */
  readonly rule: string
}

/**
 * The pages of an operation. `x-pagination` declares them: `{ parameter, next }` has a cursor in
 * the field `next` of a page; `{ parameter, items }` counts the items of a page in the field
 * `items`, and with `by: page` the pages. Without it, a parameter and a field whose names are a
 * known pair are a cursor. Anything else has no pages.
 */
export function paginationOf(api: Api, operation: Operation): Pagination | undefined {
  const declared = operation.extensions['x-pagination']
  return declared === undefined ? recognised(api, operation) : declaredBy(api, operation, declared)
}

function declaredBy(api: Api, operation: Operation, declared: Json): Pagination | undefined {
  const text = (name: string): string | undefined => textOf(declared, name)
  const parameter = operation.parameters.find(({ name }) => name === text('parameter'))
  const [next, items] = [text('next'), text('items')]
  const path = (next ?? items)?.split('.')
  if (parameter === undefined || path === undefined || !hasField(api, operation, path)) return undefined
  const by = next !== undefined ? 'cursor' : text('by') === 'page' ? 'page' : 'offset'
  return { by, parameter, path, start: by === 'page' ? 1 : 0, rule: 'declared by `x-pagination`' }
}

/** The pairs of names that are a cursor: the parameter, and the fields of a page. */
const pairs: Readonly<Record<string, readonly string[]>> = {
  cursor: ['next_cursor', 'nextCursor'],
  page_token: ['next_page_token', 'nextPageToken'],
  pageToken: ['nextPageToken', 'next_page_token'],
}

function recognised(api: Api, operation: Operation): Pagination | undefined {
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query' || parameter.required || !Object.hasOwn(pairs, parameter.name)) continue
    const field = pairs[parameter.name]?.find((name) => hasField(api, operation, [name]))
    if (field === undefined) continue
    const rule = `recognised by the parameter \`${parameter.name}\` and the field \`${field}\``
    return { by: 'cursor', parameter, path: [field], start: 0, rule }
  }
  return undefined
}

/** Whether a response of success has a field. */
function hasField(api: Api, { responses }: Operation, path: readonly string[]): boolean {
  const schemas = responses.flatMap(({ status, contents }) => (String(status).startsWith('2') ? contents.map(({ schema }) => schema) : []))
  return schemas.some((schema) => field(api, schema, path) !== undefined)
}

function field(api: Api, schema: Schema, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (found, name) => found && propertiesOf(api, resolveRef(api, found), true).find((property) => property.name === name)?.schema,
    schema,
  )
}

function textOf(value: Json, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  const text = (value as Readonly<Record<string, Json>>)[name]
  return typeof text === 'string' ? text : undefined
}
