import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { oncePer } from '../../emit/once-per.js'
import { typeText, type TypeContext } from '../../emit/type-text.js'
import type { Api, Operation, Response } from '../../ir/api.js'

const types = namespace('types', '#types', { typeOnly: true })

/** Within JSON bytes can only be a string. */
const context: TypeContext = { named: (name) => code`${types}.${name}`, binary: code`string` }

type Status = Response['status']

/**
 * One member for each declared status, range and `default`. No status stands in two members of a
 * kind, so that it tells them apart.
 */
export function resultType(api: Api, { responses }: Operation): Code {
  const declared = responses.map(({ status }) => status)
  const members = responses.flatMap((response) => membersOf(response.status, declared, valueType(api)(response.contents)))
  return join(members.length === 0 ? [code`  never`] : members, '\n')
}

function membersOf(status: Status, declared: readonly Status[], type: Code): readonly Code[] {
  if (typeof status === 'number') return [member(code`${status}`, classOf(status), type)]
  if (status !== 'default') return [member(rangeOf([classOf(status)], declared), classOf(status), type)]
  // Beside a declared success `default` stands for failures; alone it stands for both.
  const succeeds = declared.some((other) => classOf(other) === '2')
  const failure = member(rangeOf(['3', '4', '5'], declared, true), '4', type)
  return succeeds ? [failure] : [member(rangeOf(['2'], declared, true), '2', type), failure]
}

function member(status: Code, ofClass: string, type: Code): Code {
  return code`  | ${symbol(ofClass === '2' ? 'Success' : 'Failure', './call.js', { typeOnly: true })}<${status}, ${type}>`
}

/**
 * Every status of some classes, without those that are declared by themselves or, with
 * `beyondRanges`, by their range.
 */
function rangeOf(classes: readonly string[], declared: readonly Status[], beyondRanges = false): Code {
  const left = classes.filter((one) => !beyondRanges || !declared.some((status) => status === `${one}XX`))
  if (left.length === 0) return code`never`
  const range = code`${symbol('StatusRange', './call.js', { typeOnly: true })}<${left.map((one) => `'${one}'`).join(' | ')}>`
  const apart = declared.filter((status) => typeof status === 'number' && left.includes(classOf(status)))
  return apart.length === 0 ? range : code`Exclude<${range}, ${apart.join(' | ')}>`
}

function classOf(status: Status): string {
  return String(status).charAt(0)
}

const valueType = oncePer((api: Api) =>
  oncePer((contents: Response['contents']): Code => {
    const all = contents.map((content) => {
      const kind = contentKind(content, api)
      return kind === 'binary' ? code`Response` : kind === 'text' ? code`string` : typeText(content.schema, context)
    })
    const seen = new Set<string>()
    const distinct = all.filter(({ text }) => !seen.has(text) && seen.add(text))
    return distinct.length === 0 ? code`undefined` : join(distinct, ' | ')
  }),
)
