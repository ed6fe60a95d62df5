import type { Api, BodyContent, RequestBody } from '../ir/api.js'
import { contentKind } from './content-kind.js'

export type BodyShape = Pick<BodyContent, 'flatten' | 'fields' | 'nested'>

const whole: BodyShape = { flatten: 'body', fields: [], nested: [] }

/**
 * How a body is part of the flat input: by field if the client can write it so, else whole.
 * Default: for its first media type.
 */
export function bodyShape(
  api: Api,
  { contents: [first] }: RequestBody,
  content: BodyContent | undefined = first,
): BodyShape {
  return content !== undefined &&
    (contentKind(content, api) === 'json' || isForm(content.mediaType))
    ? content
    : whole
}

/** Whether a media type consists of fields. */
export function isForm(mediaType: string): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i.test(mediaType)
}
