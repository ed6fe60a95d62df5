import type { Rule } from './rule.js'

/**
 * Every `x-` field of this contract. What each means stands in `spec/README.md`, and only there.
 */
export const extensions: readonly string[] = [
  'x-abuse-protection',
  'x-billing',
  'x-discovery',
  'x-experimental',
  'x-idempotent',
  'x-max-body-bytes',
  'x-max-file-bytes',
  'x-model-voices',
  'x-no-retention',
  'x-payment-info',
  'x-price-usd',
  'x-prices',
  'x-provisional',
  'x-rate-limit',
  'x-rate-limits',
  'x-requires',
  'x-secret-response',
]

/** Node types whose keys are names from the contract, not fields of OpenAPI. */
const mapOfNames = /Map$|Properties$|^Named/

/** An undescribed `x-` field is a typing error, or a fact that no tool reads. */
export const knownExtensions: Rule = () => ({
  any(node, { location, report, type }) {
    if (mapOfNames.test(type.name)) return
    for (const name of Object.keys(node)) {
      if (!name.startsWith('x-') || extensions.includes(name)) continue
      const message = `${name} is not known: describe it in spec/README.md and add it to tools/lint-rules, or correct the name.`
      report({ message, location: location.child(name).key() })
    }
  },
})
