import { code, join, sourceFile, symbol, type Code } from '../emit/code.js'
import { contentKind, hasInput } from '../emit/content.js'
import type { Emitter } from '../emit/emitter.js'
import { data, docComment, literal, originLine } from '../emit/literal.js'
import type { Api, Operation } from '../ir/api.js'
import { pascalCase, uniqueNames } from '../ir/names.js'
import { misreadPagination } from '../emit/declared-pagination.js'
import type { Pagination } from '../emit/page-schemas.js'
import { findPagination } from '../emit/pagination.js'

/** Options of TanStack Query 5, for any of its adapters, over the generated client. */
export const queries: Emitter = {
  name: 'queries',
  // a cache serializes its keys as JSON, which has no bigint
  converts: ['dates'],
  needs: ['client'],
  into: 'packages/queries/src/generated',
  optional: true,
  suits: [
    '@tanstack/react-query',
    '@tanstack/vue-query',
    '@tanstack/solid-query',
    '@tanstack/svelte-query',
    '@tanstack/query-core',
  ],
  runtime: ['queries/options.ts', 'pages/pages.ts'],
  runtimeByNeed: true,
  misread: misreadPagination,
  emit: (api) => [
    sourceFile('index.ts', [
      code`export { OperationError } from './options.js'`,
      ...declarations(api),
    ]),
  ],
}

const runtime = (name: string, typeOnly = false): Code => symbol(name, './options.js', { typeOnly })
const clientType = (name: string): Code => symbol(name, '#client', { typeOnly: true })

/** An operation with several names shares none of them with another operation. */
function declarations(api: Api): readonly Code[] {
  const unique = uniqueNames([
    'OperationError',
    'query',
    'infiniteQuery',
    'linkedQuery',
    'mutation',
    'keyOf',
  ])
  return api.operations.flatMap((operation) => {
    const { id } = operation
    if (!isRead(operation)) return [mutation(api, operation, unique(`${id}Mutation`))]
    if (hasItems(api, operation)) return []
    const pages = findPagination(api, operation)
    return [
      key(api, operation, unique(`${id}Key`)),
      query(api, operation, unique(`${id}Query`)),
      ...(pages === undefined
        ? []
        : [infiniteQuery(api, operation, pages, unique(`${id}InfiniteQuery`))]),
    ]
  })
}

function isRead({ method }: Operation): boolean {
  return ['get', 'head', 'query'].includes(method)
}

/** A stream can be read once, so no cache can hold it. */
function hasItems(api: Api, { responses }: Operation): boolean {
  return responses.some(({ contents }) =>
    contents.some((content) => contentKind(content, api) === 'stream'),
  )
}

function clientParameter({ id }: Operation): Code {
  return code`client: Pick<${clientType('Operations')}, ${literal(id)}>`
}

function inputType(api: Api, operation: Operation): Code {
  return code`input${hasInput(api, operation) === 'required' ? '' : '?'}: ${clientType(`${pascalCase(operation.id)}Input`)}`
}

function resultType({ id }: Operation): Code {
  return clientType(`${pascalCase(id)}Result`)
}

function comment(api: Api, operation: Operation, text: string): Code {
  return docComment([
    text,
    operation.deprecated ? '@deprecated' : undefined,
    originLine(api, operation.origin),
  ])
}

function key(api: Api, operation: Operation, name: string): Code {
  const { id } = operation
  return code`${docComment([`The key of \`${id}\`. Without an input it is the beginning of all its keys.`])}export function ${name}(input?: ${clientType(`${pascalCase(id)}Input`)}): ${runtime('Key', true)} {
  return ${runtime('keyOf')}(${literal(id)}, input)
}`
}

function query(api: Api, operation: Operation, name: string): Code {
  const { id } = operation
  return code`${comment(api, operation, `Options of a query that calls \`${id}\`.`)}export function ${name}(${clientParameter(operation)}, ${inputType(api, operation)}): ${runtime('Query', true)}<${resultType(operation)}> {
  return ${runtime('query')}(${literal(id)}, input, (options) => client.${id}(input, options))
}`
}

function infiniteQuery(api: Api, operation: Operation, pages: Pagination, name: string): Code {
  const { id } = operation
  const { facts, rule } = pages
  const about = comment(
    api,
    operation,
    `Options of an infinite query that calls \`${id}\` for each page. The pages are ${rule}.`,
  )
  if (facts.by === 'link') return linkedQuery(api, operation, pages, name, about)
  const isNumbered = facts.by === 'offset' || facts.by === 'page'
  const page = isNumbered ? code`number` : code`string | undefined`
  const field = literal(facts.field)
  const input = clientType(`${pascalCase(id)}Input`)
  const pageInput = isNumbered
    ? code`{ [${field}]: page }`
    : code`(page === undefined ? {} : { [${field}]: page })`
  const others = code`Omit<${input}, ${field}>`
  const isRequired = pages.parameters.some(({ required }) => required)
  const mark = hasInput(api, operation) === 'required' && !isRequired ? '' : '?'
  return code`${about}export function ${name}(${clientParameter(operation)}, input${mark}: ${others}): ${runtime('InfiniteQuery', true)}<${resultType(operation)}, ${page}> {
  const call = (page: ${page}, options: { readonly signal: AbortSignal }) => client.${id}({ ...input, ...${pageInput} } as ${input}, options)
  return ${runtime('infiniteQuery')}<${resultType(operation)}, ${page}>(${literal(id)}, input, call, ${isNumbered ? facts.start : 'undefined'}, ${data(facts)})
}`
}

/** The input may name the first page; some of these parameters are filters too. */
function linkedQuery(
  api: Api,
  operation: Operation,
  { parameters }: Pagination,
  name: string,
  about: Code,
): Code {
  const { id } = operation
  const input = clientType(`${pascalCase(id)}Input`)
  const fields = Object.fromEntries(parameters.map((one) => [one.name, one.field]))
  const names = join(
    parameters.map((one) => literal(one.field)),
    ' | ',
  )
  const page = code`Partial<Pick<${input}, ${names}>>`
  const result = resultType(operation)
  return code`${about}export function ${name}(${clientParameter(operation)}, ${inputType(api, operation)}): ${runtime('InfiniteQuery', true)}<${result}, ${page}, ${runtime('LinkedPage', true)}<${result}, ${page}>> {
  const call = (page: ${page}, options: { readonly signal: AbortSignal }) => client.${id}({ ...input, ...page } as ${input}, options)
  return ${runtime('linkedQuery')}<${result}, ${page}>(${literal(id)}, input, call, ${data(fields)})
}`
}

function mutation(api: Api, operation: Operation, name: string): Code {
  const { id } = operation
  const input = clientType(`${pascalCase(id)}Input`)
  const variables = hasInput(api, operation) === 'required' ? input : code`${input} | void`
  return code`${comment(api, operation, `Options of a mutation that calls \`${id}\`.`)}export function ${name}(${clientParameter(operation)}): ${runtime('Mutation', true)}<${resultType(operation)}, ${variables}> {
  return ${runtime('mutation')}<${resultType(operation)}, ${variables}>(${literal(id)}, (input) => client.${id}(${hasInput(api, operation) === 'required' ? 'input' : 'input ?? undefined'}))
}`
}
