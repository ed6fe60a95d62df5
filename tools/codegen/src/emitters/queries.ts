import { code, join, sourceFile, symbol, type Code } from '../emit/code.js'
import { contentKind, hasInput } from '../emit/content.js'
import type { Emitter } from '../emit/emitter.js'
import { printData, docComment, literal, describeOrigin } from '../emit/literal.js'
import type { Api, Operation } from '../ir/api.js'
import { pascalCase, uniqueNames } from '../ir/names.js'
import { listMisreadPagination } from '../emit/declared-pagination.js'
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
  misread: listMisreadPagination,
  emit: (api) => [
    sourceFile('index.ts', [
      code`export { OperationError } from './options.js'`,
      ...printDeclarations(api),
    ]),
  ],
}

const importRuntime = (name: string, typeOnly = false): Code =>
  symbol(name, './options.js', { typeOnly })
const importClientType = (name: string): Code => symbol(name, '#client', { typeOnly: true })

/** An operation with several names shares none of them with another operation. */
function printDeclarations(api: Api): readonly Code[] {
  const unique = uniqueNames([
    'OperationError',
    'buildQuery',
    'buildInfiniteQuery',
    'buildLinkedQuery',
    'buildMutation',
    'buildKey',
  ])
  return api.operations.flatMap((operation) => {
    const { id } = operation
    if (!isRead(operation)) return [printMutation(api, operation, unique(`${id}Mutation`))]
    if (hasItems(api, operation)) return []
    const pages = findPagination(api, operation)
    return [
      printKey(api, operation, unique(`${id}Key`)),
      printQuery(api, operation, unique(`${id}Query`)),
      ...(pages === undefined
        ? []
        : [printInfiniteQuery(api, operation, pages, unique(`${id}InfiniteQuery`))]),
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

function printClientParameter({ id }: Operation): Code {
  return code`client: Pick<${importClientType('Operations')}, ${literal(id)}>`
}

function printInputParameter(api: Api, operation: Operation): Code {
  return code`input${hasInput(api, operation) === 'required' ? '' : '?'}: ${importClientType(`${pascalCase(operation.id)}Input`)}`
}

function importResultType({ id }: Operation): Code {
  return importClientType(`${pascalCase(id)}Result`)
}

function printComment(api: Api, operation: Operation, text: string): Code {
  return docComment([
    text,
    operation.deprecated ? '@deprecated' : undefined,
    describeOrigin(api, operation.origin),
  ])
}

function printKey(api: Api, operation: Operation, name: string): Code {
  const { id } = operation
  return code`${docComment([`The key of \`${id}\`. Without an input it is the beginning of all its keys.`])}export function ${name}(input?: ${importClientType(`${pascalCase(id)}Input`)}): ${importRuntime('Key', true)} {
  return ${importRuntime('buildKey')}(${literal(id)}, input)
}`
}

function printQuery(api: Api, operation: Operation, name: string): Code {
  const { id } = operation
  return code`${printComment(api, operation, `Options of a query that calls \`${id}\`.`)}export function ${name}(${printClientParameter(operation)}, ${printInputParameter(api, operation)}): ${importRuntime('Query', true)}<${importResultType(operation)}> {
  return ${importRuntime('buildQuery')}(${literal(id)}, input, (options) => client.${id}(input, options))
}`
}

function printInfiniteQuery(api: Api, operation: Operation, pages: Pagination, name: string): Code {
  const { id } = operation
  const { facts, rule } = pages
  const about = printComment(
    api,
    operation,
    `Options of an infinite query that calls \`${id}\` for each page. The pages are ${rule}.`,
  )
  if (facts.by === 'link') return printLinkedQuery(api, operation, pages, name, about)
  const isNumbered = facts.by === 'offset' || facts.by === 'page'
  const field = literal(facts.field)
  const input = importClientType(`${pascalCase(id)}Input`)
  const page = isNumbered ? code`number` : code`${input}[${field}] | undefined`
  // a declared parameter may be a string, whose number is the same in a query
  const pageInput = isNumbered
    ? code`{ [${field}]: page as never }`
    : code`(page === undefined ? {} : { [${field}]: page })`
  const others = code`Omit<${input}, ${field}>`
  const isRequired = pages.parameters.some(({ required }) => required)
  const mark = hasInput(api, operation) === 'required' && !isRequired ? '' : '?'
  return code`${about}export function ${name}(${printClientParameter(operation)}, input${mark}: ${others}): ${importRuntime('InfiniteQuery', true)}<${importResultType(operation)}, ${page}> {
  const call = (page: ${page}, options: { readonly signal: AbortSignal }) => client.${id}({ ...input, ...${pageInput} } as ${input}, options)
  return ${importRuntime('buildInfiniteQuery')}<${importResultType(operation)}, ${page}>(${literal(id)}, input, call, ${isNumbered ? facts.start : 'undefined'}, ${printData(facts)})
}`
}

/** The input may name the first page; some of these parameters are filters too. */
function printLinkedQuery(
  api: Api,
  operation: Operation,
  { parameters }: Pagination,
  name: string,
  about: Code,
): Code {
  const { id } = operation
  const input = importClientType(`${pascalCase(id)}Input`)
  const fields = Object.fromEntries(parameters.map((one) => [one.name, one.field]))
  const names = join(
    parameters.map((one) => literal(one.field)),
    ' | ',
  )
  const page = code`Partial<Pick<${input}, ${names}>>`
  const result = importResultType(operation)
  return code`${about}export function ${name}(${printClientParameter(operation)}, ${printInputParameter(api, operation)}): ${importRuntime('InfiniteQuery', true)}<${result}, ${page}, ${importRuntime('LinkedPage', true)}<${result}, ${page}>> {
  const call = (page: ${page}, options: { readonly signal: AbortSignal }) => client.${id}({ ...input, ...page } as ${input}, options)
  return ${importRuntime('buildLinkedQuery')}<${result}, ${page}>(${literal(id)}, input, call, ${printData(fields)})
}`
}

function printMutation(api: Api, operation: Operation, name: string): Code {
  const { id } = operation
  const input = importClientType(`${pascalCase(id)}Input`)
  const variables = hasInput(api, operation) === 'required' ? input : code`${input} | void`
  return code`${printComment(api, operation, `Options of a mutation that calls \`${id}\`.`)}export function ${name}(${printClientParameter(operation)}): ${importRuntime('Mutation', true)}<${importResultType(operation)}, ${variables}> {
  return ${importRuntime('buildMutation')}<${importResultType(operation)}, ${variables}>(${literal(id)}, (input) => client.${id}(${hasInput(api, operation) === 'required' ? 'input' : 'input ?? undefined'}))
}`
}
