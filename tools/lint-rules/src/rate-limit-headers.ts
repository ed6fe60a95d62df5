import { isNode } from './rule.js'
import type { Rule } from './rule.js'

/** The headers that every response of the service carries. */
export const rateLimitHeaders: readonly string[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]

/** A client paces itself by the rate-limit headers, so every response declares all six. */
export const rateLimitHeadersEverywhere: Rule = () => ({
  Response(response, { key, location, report }) {
    const headers = isNode(response['headers']) ? response['headers'] : {}
    const missing = rateLimitHeaders.filter((name) => headers[name] === undefined)
    if (missing.length === 0) return
    const message = `The response ${key} does not declare ${missing.join(', ')}: every response carries them, see spec/headers.`
    report({ message, location: location.key() })
  },
})
