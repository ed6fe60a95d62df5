import { isRecord } from '../platform/is-record.js'

export type Json = Readonly<Record<string, unknown>>

/** Follows references within the document. */
export function resolve(document: Json, node: unknown): Json {
  let found: unknown = node
  for (let hop = 0; hop < 20 && isRecord(found) && typeof found['$ref'] === 'string'; hop++) {
    let target: unknown = document
    for (const part of found['$ref'].slice(2).split('/'))
      target = isRecord(target) ? target[decodeURIComponent(part)] : undefined
    found = target
  }
  return isRecord(found) ? found : {}
}
