import { isNode, type Rule } from './rule.js'

/** The objects that have no other properties, by the interface specification. */
export const closedSchemas: readonly string[] = ['LedgerEntry', 'TransactionHistoryData']

/**
 * Closed objects stay closed and open ones open: a client that rejects an unknown property breaks when
 * the service adds one, so `additionalProperties: false` is only allowed where the interface
 * specification has it.
 */
export const closedObjects: Rule = () => ({
  Components(components, context) {
    const schemas = components['schemas']
    const named = isNode(schemas) ? schemas : {}
    for (const name of closedSchemas) {
      const place = context.location.child(['schemas', name])
      const schema = context.resolve(named[name]).node
      if (!isNode(schema)) {
        context.report({
          message: `There is no schema ${name}: the interface specification has it, as a closed object.`,
          location: context.location.key(),
        })
      } else if (schema['additionalProperties'] !== false) {
        context.report({
          message: `${name} must stay closed: write additionalProperties: false.`,
          location: place,
        })
      }
    }
    for (const name of Object.keys(named)) {
      if (closedSchemas.includes(name)) continue
      const schema = context.resolve(named[name]).node
      if (isNode(schema) && closes(schema)) {
        const message = `${name} must stay open: the interface specification does not close it, so take the false away.`
        context.report({ message, location: context.location.child(['schemas', name]) })
      }
    }
  },
})

function closes(schema: object): boolean {
  return Object.entries(schema).some(([key, value]: [string, unknown]) => {
    if (key === 'additionalProperties' || key === 'unevaluatedProperties') return value === false
    if (key === 'examples' || key === 'default' || key === 'const' || key === 'enum') return false
    return typeof value === 'object' && value !== null && closes(value)
  })
}

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
