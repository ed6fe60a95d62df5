import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { contentKind } from '../../emit/content-kind.js'
import { oncePer } from '../../emit/once-per.js'
import { statusTypes, type StatusType } from '../../emit/status-types.js'
import { streamType } from '../../emit/streams.js'
import { typeText, type TypeContext } from '../../emit/type-text.js'
import type { Api, Content, Operation, Response } from '../../ir/api.js'
import { choosesStream, hasStreamChoice } from './stream-choice.js'

const types = namespace('types', '#types', { typeOnly: true })

/** Within JSON bytes can only be a string. */
const context: TypeContext = { named: (name) => code`${types}.${name}`, binary: code`string` }
const ofParts: TypeContext = { ...context, binary: code`Blob` }

/**
 * One member for each declared status, range and `default`. No status is in two members, so that it
 * discriminates them. `headers` are the additional headers of a response. Where the input chooses
 * between JSON and items, the type parameter `Stream` does.
 */
export function resultType(
  api: Api,
  operation: Operation,
  headers: (response: Response) => Code | undefined = () => undefined,
): Code {
  const { responses } = operation
  const value = valueType(api)[operation.idempotent ? 'idempotent' : 'once']
  const isChosen = choosesStream(api, operation)
  const members = responses.flatMap((response) => {
    const { contents } = response
    const type =
      isChosen && hasStreamChoice(api, response)
        ? code`Stream extends true ? ${value(contents.filter(isStream))} : ${value(contents.filter((content) => !isStream(content)))}`
        : value(contents)
    const more = headers(response)
    return statusTypes(response, responses).map((status) =>
      more === undefined
        ? member(status, type)
        : code`${member(status, type)} & { readonly headers: ${more} }`,
    )
  })
  return join(members.length === 0 ? [code`  never`] : members, '\n')
}

function isStream({ stream }: Content): boolean {
  return stream !== undefined
}

function member({ type: status, succeeds }: StatusType, type: Code): Code {
  return code`  | ${symbol(succeeds ? 'Success' : 'Failure', './call.js', { typeOnly: true })}<${status}, ${type}>`
}

/** By whether the operation may be repeated: a stream of it can then be resumed. */
const valueType = oncePer((api: Api) => {
  const dataType = (idempotent: boolean) =>
    oncePer((contents: Response['contents']): Code => distinct(api, contents, idempotent))
  return { idempotent: dataType(true), once: dataType(false) }
})

function distinct(api: Api, contents: Response['contents'], idempotent: boolean): Code {
  const all = contents.map((content) => {
    const kind = contentKind(content, api)
    if (content.stream !== undefined)
      return streamType(
        content.stream,
        typeText(content.schema, content.stream.kind === 'parts' ? ofParts : context),
        { idempotent },
      )
    return kind === 'binary'
      ? code`Response`
      : kind === 'text'
        ? code`string`
        : typeText(content.schema, context)
  })
  const seen = new Set<string>()
  const different = all.filter(({ text }) => !seen.has(text) && seen.add(text))
  return different.length === 0 ? code`undefined` : join(different, ' | ')
}
