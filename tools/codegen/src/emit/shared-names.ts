import type { Api, Parameter, Response } from '../ir/api.js'
import { contentKind } from './content-kind.js'

// The names of constants that operations share.

export function parameterName({ field }: Parameter): string {
  return `${field} parameter`
}

export function parametersName(parameters: readonly Parameter[]): string {
  return `${parameters.map(({ field }) => field).join(' ')} parameters`
}

/** By how its media types are read. */
export function responseName(api: Api, contents: Response['contents']): string {
  const kinds = new Set(contents.map((content) => contentKind(content, api)))
  return `${[...kinds].join(' or ') || 'empty'} response`
}

/** The name of several kinds of responses is generic. */
export function responsesName(api: Api, responses: readonly Response[]): string {
  const names = new Set(responses.map(({ contents }) => responseName(api, contents)))
  const [name = ''] = names
  return names.size === 1 ? `${name}s` : 'responses'
}
