import type { Api, Content } from '../ir/api.js'
import { resolveRef } from './resolve.js'

export type ContentKind = 'json' | 'text' | 'binary' | 'stream'

/** How a body is read: as parsed JSON, a string, raw bytes, or item by item. */
export function contentKind(content: Content, api?: Api): ContentKind {
  return content.stream === undefined ? wholeKind(content, api) : 'stream'
}

/**
 * The same for a body that is not a stream. With a wildcard media type, any value other than a
 * string is JSON.
 */
export function wholeKind(
  { mediaType, schema }: Content,
  api?: Api,
): Exclude<ContentKind, 'stream'> {
  const { kind } = api === undefined ? schema : resolveRef(api, schema)
  if (kind === 'binary') return 'binary'
  return isJson(mediaType) || (mediaType.includes('*') && kind !== 'string') ? 'json' : 'text'
}

/** `application/json` and its kin, structured suffixes included (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(mediaType)
}
