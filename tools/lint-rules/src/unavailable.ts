import { isNode } from './rule.js'
import type { Rule } from './rule.js'

/**
 * A client retries a 503, which any operation may return: the database or the model may be away. So
 * every operation declares it, with the header that says when to retry.
 */
export const unavailable: Rule = () => ({
  Operation({ responses }, { location, report }) {
    if (isNode(responses) && responses['503'] !== undefined) return
    report({
      message: 'The operation does not declare 503: see spec/responses/Unavailable.yaml.',
      location: location.key(),
    })
  },
  Response({ headers }, { key, location, report }) {
    if (`${key}` !== '503' || (isNode(headers) && headers['Retry-After'] !== undefined)) return
    report({
      message: 'The response 503 does not declare Retry-After: see spec/headers/Retry-After.yaml.',
      location: location.key(),
    })
  },
})
