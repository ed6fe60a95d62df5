import { encodeJson } from './body.js'
import type { BodyFacts, PreparedBody } from './call.js'
import { toJsonType } from './text.js'

/** Encodes JSON where the contract has a range such as `application/*`, which is no type to send. */
export function encodeJsonOfRange(value: unknown, body: BodyFacts): PreparedBody {
  return encodeJson(value, { ...body, contentType: toJsonType(body.contentType) })
}
