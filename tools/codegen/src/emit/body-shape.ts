import type { Api, RequestBody } from '../ir/api.js'
import { contentKind } from './content-kind.js'

/** How a body joins the flat input: by field if the client can write it so, else whole. */
export function bodyShape(api: Api, { contents, flatten, fields }: RequestBody): Pick<RequestBody, 'flatten' | 'fields'> {
  const [content] = contents
  const isWritten = content !== undefined && (contentKind(content, api) === 'json' || isForm(content.mediaType))
  return isWritten ? { flatten, fields } : { flatten: 'body', fields: [] }
}

/** A media type of fields. */
export function isForm(mediaType: string): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i.test(mediaType)
}
