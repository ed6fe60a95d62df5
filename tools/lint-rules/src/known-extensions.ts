import type { Rule } from './rule.js'

/** Every `x-` field of this contract. What each means stands in `spec/README.md`, and only there. */
export const extensions: readonly string[] = [
  'x-abuse-protection',
  'x-billing',
  'x-discovery',
  'x-experimental',
  'x-idempotent',
  'x-max-file-bytes',
  'x-model-voices',
  'x-price-usd',
  'x-prices',
  'x-provisional',
  'x-rate-limit',
  'x-rate-limits',
  'x-requires',
  'x-secret-response',
]

/** Types of node whose keys are names that the contract gives, header names among them, and not fields of OpenAPI. */
const mapOfNames = /Map$|Properties$|^Named/

/** An `x-` field that nobody has described is a slip of the pen, or a fact that nothing reads. */
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
