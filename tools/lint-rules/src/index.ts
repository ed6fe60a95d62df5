import { closedObjects } from './closed-objects.js'
import { errorSchema } from './error-schema.js'
import { infoVersion } from './info-version.js'
import { knownExtensions } from './known-extensions.js'
import { operationExample } from './operation-example.js'
import { operationFacts } from './operation-facts.js'
import { operationId } from './operation-id.js'
import { rateLimitHeadersEverywhere } from './rate-limit-headers.js'
import type { Rule } from './rule.js'
import { unavailable } from './unavailable.js'

/** The rules by the name that `spec/redocly.yaml` turns them on with, after `farebox/`. */
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

/** The Redocly plugin. Redocly asks for a default export. */
export default function plugin(): {
  readonly id: string
  readonly rules: { readonly oas3: Readonly<Record<string, Rule>> }
} {
  return { id: 'farebox', rules: { oas3: rules } }
}
