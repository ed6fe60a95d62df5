import { found, isNode } from './rule.js'
import type { Node, Rule } from './rule.js'

/** Why a value of a field is wrong: the expected value. */
type Expected = (operation: Node, classes: readonly string[]) => string | undefined

/** The facts of an operation that programs decide by. `spec/README.md` says what each means. */
const facts: Readonly<Record<string, Expected>> = {
  'x-provisional': ({ 'x-provisional': mark }) =>
    typeof mark === 'boolean' || (typeof mark === 'string' && mark.trim() !== '')
      ? undefined
      : 'false when the interface specification describes the operation completely, else a sentence that names the source, or true',
  'x-idempotent': ({ 'x-idempotent': idempotent }) =>
    typeof idempotent === 'boolean'
      ? undefined
      : 'true when a second send does no harm, else false',
  'x-rate-limit': ({ 'x-rate-limit': limit }, classes) =>
    classes.some((name) => name === limit)
      ? undefined
      : `a class of the table x-rate-limits (${classes.join(', ')})`,
  'x-billing': ({ 'x-billing': billing, 'x-price-usd': price }) =>
    billing === undefined ||
    (isAnyOf(billing, 'characters', 'images', 'payment', 'quote', 'seconds', 'tokens') &&
      price === undefined)
      ? undefined
      : 'characters, images, payment, quote, seconds or tokens, and no x-price-usd beside it',
  'x-price-usd': ({ 'x-price-usd': price, description }) => {
    if (price === undefined) return undefined
    if (typeof price !== 'number' || price <= 0) return 'a number of USD above 0'
    return String(description).includes(` ${price} USD`)
      ? undefined
      : `the same amount in the description, as ${price} USD`
  },
  'x-requires': optional('x-requires', 'ADMIN', (type) => type === 'ADMIN'),
  'x-no-retention': optional('x-no-retention', 'true, or no such field', (none) => none === true),
  'x-secret-response': optional(
    'x-secret-response',
    'true, or no such field',
    (secret) => secret === true,
  ),
  'x-discovery': ({ 'x-discovery': status, 'x-billing': billing, responses }) =>
    billing === 'payment'
      ? isNode(responses) && typeof status === 'number' && `${status}` in responses
        ? undefined
        : 'a status that the operation declares, since x-billing is payment'
      : status === undefined
        ? undefined
        : 'no such field, since x-billing is not payment',
}

/**
 * Checks the `x-` facts of each operation. Clients, the service and the command line act on them.
 */
export const operationFacts: Rule = () => {
  let classes: readonly string[] = []
  return {
    Root(root) {
      const limits = root['x-rate-limits']
      const table = isNode(limits) ? limits['classes'] : undefined
      classes = isNode(table) ? Object.keys(table) : []
    },
    Operation(operation, { location, report }) {
      for (const [name, expectedOf] of Object.entries(facts)) {
        const expected = expectedOf(operation, classes)
        if (expected === undefined) continue
        report({
          message: `${found(name, operation[name])}: expected ${expected}.`,
          location: location.key(),
        })
      }
    },
  }
}

function optional(name: string, expected: string, isValid: (value: unknown) => boolean): Expected {
  return ({ [name]: value }) => (value === undefined || isValid(value) ? undefined : expected)
}

function isAnyOf(value: unknown, ...values: readonly string[]): boolean {
  return values.some((one) => one === value)
}
