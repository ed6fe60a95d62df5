import { code, join, namespace, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { typeText, type TypeContext } from '../../emit/type-text.js'
import type { Api, Operation, Response } from '../../ir/api.js'

const types = namespace('types', '#types', { typeOnly: true })

/** Within JSON bytes can only be a string. */
const context: TypeContext = { named: (name) => code`${types}.${name}`, binary: code`string` }

/** One member for each declared status. */
export function resultType(api: Api, { responses }: Operation): Code {
  const succeeds = responses.some(({ status }) => status === '2XX' || (typeof status === 'number' && status >= 200 && status < 300))
  const members = responses.flatMap((response) => membersOf(api, response, succeeds))
  return join(members.length === 0 ? [code`  never`] : members.map((member) => code`  | ${member}`), '\n')
}

/** Without a declared success, \`default\` may be one. */
function membersOf(api: Api, response: Response, succeeds: boolean): readonly Code[] {
  const { status } = response
  const type = valueType(api, response)
  const data = code`{ readonly status: ${statusType(status)}; readonly data: ${type}; readonly response: Response }`
  const error = code`{ readonly status: ${statusType(status)}; readonly error: ${type}; readonly response: Response }`
  if (status === 'default') return succeeds ? [error] : [data, error]
  const first = typeof status === 'number' ? Math.floor(status / 100) : Number(status[0])
  return [first === 2 ? data : error]
}

function statusType(status: Response['status']): string {
  return typeof status === 'number' ? String(status) : 'number'
}

function valueType(api: Api, { contents }: Response): Code {
  const all = contents.map((content) => {
    const kind = contentKind(content, api)
    return kind === 'binary' ? code`Response` : kind === 'text' ? code`string` : typeText(content.schema, context)
  })
  const seen = new Set<string>()
  const distinct = all.filter(({ text }) => !seen.has(text) && seen.add(text))
  return distinct.length === 0 ? code`undefined` : join(distinct, ' | ')
}
