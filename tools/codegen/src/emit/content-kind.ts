import type { Api, Content } from '../ir/api.js'
import { resolveRef } from './resolve.js'

export type ContentKind = 'json' | 'text' | 'binary'

/**
 * How a body is read: as parsed JSON, a string, or raw bytes. For a wildcard media type the schema
 * decides: a value that is not a string can only be JSON.
 */
export function contentKind({ mediaType, schema }: Content, api?: Api): ContentKind {
  const { kind } = api === undefined ? schema : resolveRef(api, schema)
  if (kind === 'binary') return 'binary'
  return isJson(mediaType) || (mediaType.includes('*') && kind !== 'string') ? 'json' : 'text'
}

/** `application/json` and its kin, structured suffixes included (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(mediaType)
}
