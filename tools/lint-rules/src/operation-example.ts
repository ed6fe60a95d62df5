import { isNode } from './rule.js'
import type { Node, Rule } from './rule.js'

/**
 * JSON and text bodies have examples, so that every operation can be tried on its page. A stream of
 * items needs none.
 */
export const operationExample: Rule = () => {
  let seen = 0
  return {
    Operation: {
      enter() {
        seen = 0
      },
      leave(operation, { location, report }) {
        if (seen > 0) return
        report({
          message: `${String(operation['operationId'])} has no example: add one below spec/examples.`,
          location: location.key(),
        })
      },
      MediaType(media, { key, location, report, resolve }) {
        if (hasExample(media)) {
          seen += 1
          return
        }
        if (media['itemSchema'] !== undefined || isBytes(resolve(media['schema']).node)) return
        report({
          message: `There is no example of ${key} here: add one below spec/examples.`,
          location: location.key(),
        })
      },
    },
  }
}

function hasExample(media: Node): boolean {
  return (
    media['example'] !== undefined ||
    (isNode(media['examples']) && Object.keys(media['examples']).length > 0)
  )
}

function isBytes(schema: unknown): boolean {
  return isNode(schema) && schema['format'] === 'binary'
}
