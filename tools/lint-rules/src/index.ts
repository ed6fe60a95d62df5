import { closedObjects, errorSchema, infoVersion, knownExtensions } from './document.js'
import {
  operationExample,
  operationFacts,
  operationId,
  rateLimitHeadersEverywhere,
  unavailable,
} from './operations.js'
import type { Rule } from './rule.js'

/** The rules. `spec/redocly.yaml` enables them by these names, with the prefix `farebox/`. */
export const rules = {
  'closed-objects': closedObjects,
  'error-schema': errorSchema,
  'info-version': infoVersion,
  'known-extensions': knownExtensions,
  'operation-example': operationExample,
  'operation-facts': operationFacts,
  'operation-id': operationId,
  'rate-limit-headers': rateLimitHeadersEverywhere,
  unavailable,
} as const satisfies Readonly<Record<string, Rule>>

/** The Redocly plugin. Redocly requires a default export. */
export default function plugin(): {
  readonly id: string
  readonly rules: { readonly oas3: Readonly<Record<string, Rule>> }
} {
  return { id: 'farebox', rules: { oas3: rules } }
}
