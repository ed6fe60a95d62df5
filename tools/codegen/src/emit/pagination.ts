import { readDeclaredPagination } from './declared-pagination.js'
import { findList, hasPageField, isPaged, listSuccesses, type Pagination } from './page-schemas.js'
import { findDefault, resolveNonNull } from './schemas.js'
import type { Api, Operation, Parameter } from '../ir/api.js'

/**
 * The pages of an operation: declared by `x-pagination`, or recognised by a cursor, a Link header,
 * `has_more` with the id of the last item, or a number of pages or items beside one list. Other
 * operations have no pages.
 */
export function findPagination(api: Api, operation: Operation): Pagination | undefined {
  if (!isPaged(api, operation)) return undefined
  const declared = operation.extensions['x-pagination']
  if (declared !== undefined) {
    const read = readDeclaredPagination(api, operation, declared)
    return 'found' in read ? undefined : read
  }
  return (
    findCursorPagination(api, operation) ??
    findLinkPagination(operation) ??
    findLastItemPagination(api, operation) ??
    findNumberedPagination(api, operation)
  )
}

/** The pairs of names that are a cursor: the parameter, and the fields of a page. */
const pairs: Readonly<Record<string, readonly string[]>> = {
  cursor: ['next_cursor', 'nextCursor'],
  page_token: ['next_page_token', 'nextPageToken'],
  pageToken: ['nextPageToken', 'next_page_token'],
  after: ['last_id'],
}

function findCursorPagination(api: Api, operation: Operation): Pagination | undefined {
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query' || parameter.required || !Object.hasOwn(pairs, parameter.name))
      continue
    const field = pairs[parameter.name]?.find((name) => hasPageField(api, operation, [name]))
    if (field === undefined) continue
    const more = findMore(api, operation)
    // the last page has a last item, too
    if (field === 'last_id' && more === undefined) continue
    return {
      facts: {
        by: 'cursor',
        field: parameter.field,
        path: [field],
        ...(more !== undefined && { more: [more] }),
      },
      parameters: [parameter],
      rule: `recognised by the parameter \`${parameter.name}\` and the field \`${field}\``,
    }
  }
  return undefined
}

/** A parameter that is changed from page to page. */
const moving =
  /^(?:page|cursor|after|before|since|offset|start|marker|page_?token|next_?token|continue)$/i

function findLinkPagination(operation: Operation): Pagination | undefined {
  const isLinked = listSuccesses(operation).some(({ headers }) =>
    headers.some(({ name }) => name.toLowerCase() === 'link'),
  )
  const parameters = listQueryParameters(operation).filter(({ name }) => moving.test(name))
  if (!isLinked || parameters.length === 0) return undefined
  const fields = Object.fromEntries(parameters.map(({ name, field }) => [name, field]))
  return { facts: { by: 'link', fields }, parameters, rule: 'those of the Link header' }
}

function findLastItemPagination(api: Api, operation: Operation): Pagination | undefined {
  const parameter = listQueryParameters(operation).find(({ name }) =>
    ['starting_after', 'startingAfter'].includes(name),
  )
  const more = findMore(api, operation)
  const list = findList(api, operation)
  if (parameter === undefined || more === undefined || list === undefined) return undefined
  return {
    facts: { by: 'last', field: parameter.field, path: list, more: [more] },
    parameters: [parameter],
    rule: `recognised by \`${parameter.name}\` and \`${more}\``,
  }
}

function findNumberedPagination(api: Api, operation: Operation): Pagination | undefined {
  const list = findList(api, operation)
  if (list === undefined) return undefined
  const parameter = listQueryParameters(operation).find(
    ({ name, schema }) =>
      ['page', 'offset', 'skip'].includes(name) && resolveNonNull(api, schema).kind === 'number',
  )
  if (parameter === undefined) return undefined
  const by = parameter.name === 'page' ? 'page' : 'offset'
  const given = findDefault(api, parameter.schema)
  const start = typeof given === 'number' ? given : by === 'page' ? 1 : 0
  return {
    facts: { by, field: parameter.field, path: list, start },
    parameters: [parameter],
    rule: `recognised by the parameter \`${parameter.name}\` and one list`,
  }
}

function listQueryParameters({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter((one) => one.in === 'query' && !one.required && !one.credential)
}

function findMore(api: Api, operation: Operation): string | undefined {
  return ['has_more', 'hasMore'].find((name) => hasPageField(api, operation, [name]))
}
