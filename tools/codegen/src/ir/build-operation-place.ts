import type { JsonObject } from '../document/json.js'
import type { Method } from './api.js'
import type { Found } from './build-context.js'

export const methods: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** An operation and where it stands. */
export type Place = {
  readonly method: Method
  readonly path: string
  readonly item: Found<JsonObject>
  readonly operation: Found<JsonObject>
}
