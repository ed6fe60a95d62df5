import { code, symbol, type Code } from '../emit/code.js'
import { contentKind } from '../emit/content-kind.js'
import type { Emitter } from '../emit/emitter.js'
import { hasInput } from '../emit/has-input.js'
import { data, docComment, literal } from '../emit/literal.js'
import { originLine } from '../emit/origin-line.js'
import { misreadPagination } from '../emit/pagination.js'
import { sourceFile } from '../emit/source-file.js'
import type { Api, Operation } from '../ir/api.js'
import { pascalCase, uniqueNames } from '../ir/names.js'
import { findPageRule, type PageRule } from './pages/rule.js'

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
