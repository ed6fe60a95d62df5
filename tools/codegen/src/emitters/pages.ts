import { code, sourceFile, symbol, type Code } from '../emit/code.js'
import { contentKind, hasInput } from '../emit/content.js'
import type { Emitter } from '../emit/emitter.js'
import { data, docComment, literal, originLine } from '../emit/literal.js'
import { findPagination, misreadPagination } from '../emit/pagination.js'
import { listProperties, resolveRef } from '../emit/schemas.js'
import type { Api, Operation, Parameter } from '../ir/api.js'
import { pascalCase, uniqueNames } from '../ir/names.js'
import type { Json, Schema } from '../ir/schema.js'

/** Async iterators over the pages of operations, over the generated client. */
export const pages: Emitter = {
  name: 'pages',
  converts: ['dates', 'int64'],
  needs: ['client'],
  into: 'packages/pages/src/generated',
  optional: true,
  runtime: ['pages/pages.ts'],
  runtimeByNeed: true,
  misread: (api) => misreadPagination(api, (operation) => isPaged(api, operation)),
  emit: (api) => {
    const unique = uniqueNames(['pages'])
    const functions = api.operations.flatMap((operation) => {
      const rule = isPaged(api, operation) ? findPageRule(api, operation) : undefined
      return rule === undefined
        ? []
        : [iterator(api, operation, rule, unique(`${operation.id}Pages`))]
    })
    return [sourceFile('index.ts', functions.length === 0 ? [code`export {}`] : functions)]
  },
}

function isPaged(api: Api, { method, responses }: Operation): boolean {
  return (
    ['get', 'query'].includes(method) &&
    !responses.some(({ contents }) =>
      contents.some((content) => contentKind(content, api) === 'stream'),
    )
  )
}

function iterator(api: Api, operation: Operation, { facts, rule }: PageRule, name: string): Code {
  const { id, deprecated, origin } = operation
  const type = (kind: string): Code =>
    symbol(`${pascalCase(id)}${kind}`, '#client', { typeOnly: true })
  const comment = docComment([
    `The results of \`${id}\`, page by page, from the page that the input names. The pages are ${rule}.`,
    deprecated ? '@deprecated' : undefined,
    originLine(api, origin),
  ])
  const mark = hasInput(api, operation) === 'required' ? '' : '?'
  return code`${comment}export function ${name}(client: Pick<${symbol('Operations', '#client', { typeOnly: true })}, ${literal(id)}>, input${mark}: ${type('Input')}, options?: ${symbol('CallOptions', '#client', { typeOnly: true })}): AsyncGenerator<${type('Result')}, void, undefined> {
  return ${symbol('pages', './pages.js')}((page: ${type('Input')}) => client.${id}(page, options), input, ${data(facts)})
}`
}

type PageRule = {
  /** As the runtime reads it. */
  readonly facts: { readonly [name: string]: Json }
  /** How it was found, for a comment. */
  readonly rule: string
}

/**
 * The pages of an operation: declared by `x-pagination`, or recognised by a cursor, a Link header,
 * `has_more` with the id of the last item, or a number of pages or items beside one list.
 */
function findPageRule(api: Api, operation: Operation): PageRule | undefined {
  const known = findPagination(api, operation)
  if (known !== undefined) {
    const { by, parameter, path, more, start, rule } = known
    const own = by === 'cursor' ? more && { more } : { start }
    return { facts: { by, field: parameter.field, path, ...own }, rule }
  }
  return byLink(operation) ?? byLastItem(api, operation) ?? byNumber(api, operation)
}

/** A parameter that is changed from page to page. */
const moving =
  /^(?:page|cursor|after|before|since|offset|start|marker|page_?token|next_?token|continue)$/i

function byLink(operation: Operation): PageRule | undefined {
  const isLinked = successes(operation).some(({ headers }) =>
    headers.some(({ name }) => name.toLowerCase() === 'link'),
  )
  const parameters = queryParameters(operation).filter(({ name }) => moving.test(name))
  if (!isLinked || parameters.length === 0) return undefined
  const fields = Object.fromEntries(parameters.map(({ name, field }) => [name, field]))
  return { facts: { by: 'link', fields }, rule: 'those of the Link header' }
}

function byLastItem(api: Api, operation: Operation): PageRule | undefined {
  const parameter = queryParameters(operation).find(({ name }) =>
    ['starting_after', 'startingAfter'].includes(name),
  )
  const more = ['has_more', 'hasMore'].find((name) => hasField(api, operation, name))
  const list = findList(api, operation)
  if (parameter === undefined || more === undefined || list === undefined) return undefined
  const facts = { by: 'last', field: parameter.field, path: list, more: [more] }
  return { facts, rule: `recognised by \`${parameter.name}\` and \`${more}\`` }
}

function byNumber(api: Api, operation: Operation): PageRule | undefined {
  const list = findList(api, operation)
  if (list === undefined) return undefined
  const parameter = queryParameters(operation).find(
    ({ name, schema }) =>
      ['page', 'offset', 'skip'].includes(name) && resolveRef(api, schema).kind === 'number',
  )
  if (parameter === undefined) return undefined
  const by = parameter.name === 'page' ? 'page' : 'offset'
  const given = resolveRef(api, parameter.schema).notes.default
  const start = typeof given === 'number' ? given : by === 'page' ? 1 : 0
  const rule = `recognised by the parameter \`${parameter.name}\` and one list`
  return { facts: { by, field: parameter.field, path: list, start }, rule }
}

function queryParameters({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter((one) => one.in === 'query' && !one.required && !one.credential)
}

function successes({ responses }: Operation): Operation['responses'] {
  return responses.filter(({ status }) => String(status).startsWith('2'))
}

function pageSchemas(operation: Operation): readonly Schema[] {
  return successes(operation).flatMap(({ contents }) => contents.map(({ schema }) => schema))
}

function hasField(api: Api, operation: Operation, field: string): boolean {
  return pageSchemas(operation).some((schema) =>
    listProperties(api, schema, true).some(({ name }) => name === field),
  )
}

/** The path of the only list of a page, or of an object in it; empty if the page is the list. */
function findList(api: Api, operation: Operation): readonly string[] | undefined {
  const [page] = pageSchemas(operation)
  if (page === undefined) return undefined
  if (resolveRef(api, page).kind === 'array') return []
  const paths = listProperties(api, page, true).flatMap(({ name, schema }) => {
    const { kind } = resolveRef(api, schema)
    if (kind === 'array') return [[name]]
    if (kind !== 'object') return []
    return listProperties(api, schema, true).flatMap((inner) =>
      resolveRef(api, inner.schema).kind === 'array' ? [[name, inner.name]] : [],
    )
  })
  const direct = paths.filter(({ length }) => length === 1)
  const found = direct.length > 0 ? direct : paths
  return found.length === 1 ? found[0] : undefined
}
