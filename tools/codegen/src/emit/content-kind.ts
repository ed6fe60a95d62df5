import type { Content } from '../ir/api.js'

export type ContentKind = 'json' | 'text' | 'binary'

/** How a body reads: parsed JSON, a string, or bytes left as they are. */
export function contentKind({ mediaType, schema }: Content): ContentKind {
  if (isJson(mediaType)) return 'json'
  return schema.kind === 'binary' ? 'binary' : 'text'
}

/** `application/json` and its kin, structured suffixes included (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(mediaType)
}
