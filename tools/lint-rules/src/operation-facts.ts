import { found, isNode } from './rule.js'
import type { Rule } from './rule.js'

/** Retry and pacing need two facts: whether a repeat does harm, and the limiting class. */
export const operationFacts: Rule = () => {
  let classes: readonly string[] = []
  return {
    Root(root) {
      const limits = root['x-rate-limits']
      const table = isNode(limits) ? limits['classes'] : undefined
      classes = isNode(table) ? Object.keys(table) : []
    },
    Operation(operation, { location, report }) {
      const idempotent = operation['x-idempotent']
      if (typeof idempotent !== 'boolean') {
        const message = `${found('x-idempotent', idempotent)}: expected true when a second send does no harm, else false.`
        report({ message, location: location.key() })
      }
      const limit = operation['x-rate-limit']
      if (typeof limit !== 'string' || !classes.includes(limit)) {
        const message = `${found('x-rate-limit', limit)}: expected a class of the table x-rate-limits (${classes.join(', ')}).`
        report({ message, location: location.key() })
      }
    },
  }
}
