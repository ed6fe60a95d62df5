import { code, sourceFile, symbol, type Code } from '../emit/code.js'
import { hasInput } from '../emit/content.js'
import { listMisreadPagination } from '../emit/declared-pagination.js'
import type { Emitter } from '../emit/emitter.js'
import { printData, docComment, literal, describeOrigin } from '../emit/literal.js'
import type { Pagination } from '../emit/page-schemas.js'
import { findPagination } from '../emit/pagination.js'
import type { Api, Operation } from '../ir/api.js'
import { pascalCase, uniqueNames } from '../ir/names.js'

/** Async iterators over the pages of operations, over the generated client. */
export const pages: Emitter = {
  name: 'pages',
  converts: ['dates', 'int64'],
  needs: ['client'],
  into: 'packages/pages/src/generated',
  optional: true,
  runtime: ['pages/pages.ts'],
  runtimeByNeed: true,
  misread: listMisreadPagination,
  emit: (api) => {
    const unique = uniqueNames(['iteratePages'])
    const functions = api.operations.flatMap((operation) => {
      const found = findPagination(api, operation)
      return found === undefined
        ? []
        : [printIterator(api, operation, found, unique(`${operation.id}Pages`))]
    })
    return [sourceFile('index.ts', functions.length === 0 ? [code`export {}`] : functions)]
  },
}

function printIterator(
  api: Api,
  operation: Operation,
  { facts, rule }: Pagination,
  name: string,
): Code {
  const { id, deprecated, origin } = operation
  const type = (kind: string): Code =>
    symbol(`${pascalCase(id)}${kind}`, '#client', { typeOnly: true })
  const comment = docComment([
    `The results of \`${id}\`, page by page, from the page that the input names. The pages are ${rule}.`,
    deprecated ? '@deprecated' : undefined,
    describeOrigin(api, origin),
  ])
  const mark = hasInput(api, operation) === 'required' ? '' : '?'
  return code`${comment}export function ${name}(client: Pick<${symbol('Operations', '#client', { typeOnly: true })}, ${literal(id)}>, input${mark}: ${type('Input')}, options?: ${symbol('CallOptions', '#client', { typeOnly: true })}): AsyncGenerator<${type('Result')}, void, undefined> {
  return ${symbol('iteratePages', './pages.js')}((page: ${type('Input')}) => client.${id}(page, options), input, ${printData(facts)})
}`
}
