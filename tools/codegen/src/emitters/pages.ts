import { code, sourceFile, symbol, type Code } from '../emit/code.js'
import { hasInput } from '../emit/content.js'
import { misreadPagination } from '../emit/declared-pagination.js'
import type { Emitter } from '../emit/emitter.js'
import { data, docComment, literal, originLine } from '../emit/literal.js'
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
  misread: misreadPagination,
  emit: (api) => {
    const unique = uniqueNames(['pages'])
    const functions = api.operations.flatMap((operation) => {
      const found = findPagination(api, operation)
      return found === undefined
        ? []
        : [iterator(api, operation, found, unique(`${operation.id}Pages`))]
    })
    return [sourceFile('index.ts', functions.length === 0 ? [code`export {}`] : functions)]
  },
}

function iterator(api: Api, operation: Operation, { facts, rule }: Pagination, name: string): Code {
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
