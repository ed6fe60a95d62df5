import { describeFound, isNode, type Node, type Rule } from './rule.js'

const form = /^[a-z]+([A-Z][a-z0-9]+)+$/

/** An operationId becomes a method name: a verb and its object in camelCase. */
export const operationId: Rule = () => ({
  Operation(operation, { location, report }) {
    const id = operation['operationId']
    if (typeof id === 'string' && form.test(id)) return
    const place = id === undefined ? location.key() : location.child('operationId')
    report({
      message: `${describeFound('operationId', id)}: expected a verb and its object in camelCase, such as createSpeech.`,
      location: place,
    })
  },
})

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
          message: `${describeFound(name, operation[name])}: expected ${expected}.`,
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
