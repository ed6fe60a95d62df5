import { isNode } from './rule.js'
import type { Rule } from './rule.js'

/** Every 4xx and 5xx response has content, and all of its content has a schema. */
export const errorSchema: Rule = () => ({
  Response(response, { key, location, report }) {
    if (!/^[45]/.test(String(key))) return
    const content = response['content']
    if (!isNode(content) || Object.keys(content).length === 0) {
      report({
        message: `The response ${key} has no content: give it a body with a schema, such as StandardError.`,
        location: location.key(),
      })
      return
    }
    for (const [type, media] of Object.entries(content)) {
      if (isNode(media) && media['schema'] !== undefined) continue
      const message = `The response ${key} has no schema for ${type}: say what the body is, such as StandardError.`
      report({ message, location: location.child(['content', type]) })
    }
  },
})
