import type { JsonObject } from '../document/json.js'
import type { Method } from './api.js'
import type { Found } from './build-context.js'

/** An operation and where it stands. */
export type Place = {
  readonly method: Method
  readonly path: string
  readonly item: Found<JsonObject>
  readonly operation: Found<JsonObject>
}
