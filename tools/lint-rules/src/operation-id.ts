import { found } from './rule.js'
import type { Rule } from './rule.js'

const form = /^[a-z]+([A-Z][a-z0-9]+)+$/

/** An operationId becomes a method name: a verb and its object in camelCase. */
export const operationId: Rule = () => ({
  Operation(operation, { location, report }) {
    const id = operation['operationId']
    if (typeof id === 'string' && form.test(id)) return
    const place = id === undefined ? location.key() : location.child('operationId')
    report({
      message: `${found('operationId', id)}: expected a verb and its object in camelCase, such as createSpeech.`,
      location: place,
    })
  },
})
