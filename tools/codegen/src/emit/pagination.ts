import { nearest } from '@farebox/command-line'
import type { Misread } from './emitter.js'
import { listProperties, resolveRef } from './schemas.js'
import type { Api, Operation, Parameter } from '../ir/api.js'
import type { Json, Schema } from '../ir/schema.js'

/** The pagination of an operation. */
export type Pagination = {
  readonly by: 'cursor' | 'offset' | 'page'
  readonly parameter: Parameter
  /** The fields to the next cursor, or to the items of a page. */
  readonly path: readonly string[]
  /** The field that is false on the last page. */
  readonly more?: readonly string[]
  /** The number of the first page. */
  readonly start: number
  /** The rule that recognised it. */
  readonly rule: string
}

/** The invalid part of `x-pagination`. */
type Fault = Omit<Misread, 'origin'>

/**
 * The pages of an operation. `x-pagination` declares them: `{ parameter, next }` has a cursor in
 * the field `next` of a page, and with `more` a field that is false on the last one; `{ parameter, items }` counts the items of a page in the field
 * `items`, where an empty path is the page itself, and with `by: page` the pages. Without it, a
 * parameter and a field whose names are a known pair are a cursor. Other operations have no pages.
 */
export function findPagination(api: Api, operation: Operation): Pagination | undefined {
  const declared = operation.extensions['x-pagination']
  if (declared === undefined) return recognise(api, operation)
  const read = readDeclared(api, operation, declared)
  return 'found' in read ? undefined : read
}

/** The `x-pagination` of operations without an infinite query, and why. */
export function misreadPagination(
  api: Api,
  hasPages: (operation: Operation) => boolean,
): readonly Misread[] {
  return api.operations.flatMap((operation) => {
    const declared = operation.extensions['x-pagination']
    if (declared === undefined) return []
    const read: Pagination | Fault = hasPages(operation)
      ? readDeclared(api, operation, declared)
      : {
          at: [],
          found: `${operation.method.toUpperCase()} ${operation.path}`,
          expected: 'an operation that reads, and no stream',
        }
    return 'found' in read
      ? [{ ...read, origin: operation.origin, at: ['x-pagination', ...read.at] }]
      : []
  })
}

const forms = 'an object with `parameter`, and `next` or `items`'
const keys = ['parameter', 'next', 'more', 'items', 'by']

function readDeclared(api: Api, operation: Operation, declared: Json): Pagination | Fault {
  if (!isObject(declared)) return { at: [], found: declared, expected: forms }
  const unknown = Object.keys(declared).find((key) => !keys.includes(key))
  if (unknown !== undefined)
    return { at: [unknown], found: unknown, expected: suggest(unknown, keys) }
  const { parameter: name = null, next, items, by = 'offset' } = declared
  const parameter = operation.parameters.find((one) => one.name === name)
  if (parameter === undefined)
    return {
      at: ['parameter'],
      found: name,
      expected: suggest(
        name,
        operation.parameters.map((one) => one.name),
      ),
    }
  const key = next === undefined ? 'items' : 'next'
  const field = declared[key]
  if (field === undefined || (next !== undefined && items !== undefined))
    return { at: [], found: declared, expected: forms }
  const path =
    typeof field === 'string' ? field.split('.').filter((part) => part !== '') : undefined
  if (
    path === undefined ||
    !(path.length === 0
      ? key === 'items' && isList(api, operation)
      : hasField(api, operation, path))
  )
    return { at: [key], found: field, expected: suggest(field, listFields(api, operation)) }
  if (key === 'next' && declared['by'] !== undefined)
    return { at: ['by'], found: by, expected: 'no `by` beside `next`' }
  const { more } = declared
  const flag = typeof more === 'string' && more !== '' ? more.split('.') : undefined
  if (
    more !== undefined &&
    (key === 'items' || flag === undefined || !hasField(api, operation, flag))
  )
    return { at: ['more'], found: more, expected: suggest(more, listFields(api, operation)) }
  if (by !== 'offset' && by !== 'page')
    return { at: ['by'], found: by, expected: '"offset" or "page"' }
  return {
    by: key === 'next' ? 'cursor' : by,
    parameter,
    path,
    ...(flag && { more: flag }),
    start: by === 'page' ? 1 : 0,
    rule: 'declared by `x-pagination`',
  }
}

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function suggest(name: Json, known: readonly string[]): string {
  const near = typeof name === 'string' ? nearest(name, known) : undefined
  if (near !== undefined) return `${JSON.stringify(near)}; did you mean that?`
  return known.length === 0
    ? 'no `x-pagination`, as there is none'
    : `one of ${known.map((one) => JSON.stringify(one)).join(', ')}`
}

/** The pairs of names that are a cursor: the parameter, and the fields of a page. */
const pairs: Readonly<Record<string, readonly string[]>> = {
  cursor: ['next_cursor', 'nextCursor'],
  page_token: ['next_page_token', 'nextPageToken'],
  pageToken: ['nextPageToken', 'next_page_token'],
  after: ['last_id'],
}

function recognise(api: Api, operation: Operation): Pagination | undefined {
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query' || parameter.required || !Object.hasOwn(pairs, parameter.name))
      continue
    const field = pairs[parameter.name]?.find((name) => hasField(api, operation, [name]))
    if (field === undefined) continue
    const more = ['has_more', 'hasMore'].find((name) => hasField(api, operation, [name]))
    // the last page has a last item, too
    if (field === 'last_id' && more === undefined) continue
    const rule = `recognised by the parameter \`${parameter.name}\` and the field \`${field}\``
    return {
      by: 'cursor',
      parameter,
      path: [field],
      ...(more !== undefined && { more: [more] }),
      start: 0,
      rule,
    }
  }
  return undefined
}

/** The schemas of successful responses. */
function listPages({ responses }: Operation): readonly Schema[] {
  return responses.flatMap(({ status, contents }) =>
    String(status).startsWith('2') ? contents.map(({ schema }) => schema) : [],
  )
}

/** Whether a page has a field. */
function hasField(api: Api, operation: Operation, path: readonly string[]): boolean {
  return listPages(operation).some((schema) => field(api, schema, path) !== undefined)
}

/** Whether a page is a list. */
function isList(api: Api, operation: Operation): boolean {
  return listPages(operation).some((schema) => resolveRef(api, schema).kind === 'array')
}

function listFields(api: Api, operation: Operation): readonly string[] {
  return [
    ...new Set(
      listPages(operation).flatMap((schema) =>
        listProperties(api, schema, true).map(({ name }) => name),
      ),
    ),
  ]
}

function field(api: Api, schema: Schema, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (found, name) =>
      found &&
      listProperties(api, resolveRef(api, found), true).find((property) => property.name === name)
        ?.schema,
    schema,
  )
}
