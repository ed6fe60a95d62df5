import { nearest } from '@farebox/command-line'
import type { Misread } from './emitter.js'
import {
  hasPageField,
  isListPage,
  isPaged,
  listPageFields,
  type Pagination,
} from './page-schemas.js'
import type { Api, Operation } from '../ir/api.js'
import type { Json } from '../ir/schema.js'

/** The invalid part of `x-pagination`. */
type Fault = Omit<Misread, 'origin'>

/** The `x-pagination` that declares no pages, and why. */
export function listMisreadPagination(api: Api): readonly Misread[] {
  return api.operations.flatMap((operation) => {
    const declared = operation.extensions['x-pagination']
    if (declared === undefined) return []
    const read: Pagination | Fault = isPaged(api, operation)
      ? readDeclaredPagination(api, operation, declared)
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

/**
 * The pages that `x-pagination` declares, or the fault in it: `{ parameter, next }` has a cursor in
 * the field `next` of a page, and with `more` a field that is false on the last one; `{ parameter,
 * items }` counts the items of a page in the field `items`, where an empty path is the page itself,
 * and with `by: page` the pages.
 */
export function readDeclaredPagination(
  api: Api,
  operation: Operation,
  declared: Json,
): Pagination | Fault {
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
      ? key === 'items' && isListPage(api, operation)
      : hasPageField(api, operation, path))
  )
    return { at: [key], found: field, expected: suggest(field, listPageFields(api, operation)) }
  if (key === 'next' && declared['by'] !== undefined)
    return { at: ['by'], found: by, expected: 'no `by` beside `next`' }
  const { more } = declared
  const flag = typeof more === 'string' && more !== '' ? more.split('.') : undefined
  if (
    more !== undefined &&
    (key === 'items' || flag === undefined || !hasPageField(api, operation, flag))
  )
    return { at: ['more'], found: more, expected: suggest(more, listPageFields(api, operation)) }
  if (by !== 'offset' && by !== 'page')
    return { at: ['by'], found: by, expected: '"offset" or "page"' }
  return {
    facts:
      key === 'next'
        ? { by: 'cursor', field: parameter.field, path, ...(flag && { more: flag }) }
        : { by, field: parameter.field, path, start: by === 'page' ? 1 : 0 },
    parameters: [parameter],
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
