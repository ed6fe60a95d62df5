import { describeFound, isNode, type Node, type Rule } from './rule.js'

const form = /^[a-z]+([A-Z][a-z0-9]+)+$/

/** An operationId becomes a method name, so it is a verb and its object in camelCase. */
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

/** Returns the expected value if a field is wrong. */
type FactCheck = (operation: Node, classes: readonly string[]) => string | undefined

/** The facts of an operation that programs act on. `spec/README.md` documents each. */
const facts: Readonly<Record<string, FactCheck>> = {
  'x-provisional': ({ 'x-provisional': mark }) =>
    typeof mark === 'boolean' || (typeof mark === 'string' && mark.trim() !== '')
      ? undefined
      : 'false if the interface specification describes the operation completely, otherwise true or a sentence that names the source',
  'x-idempotent': ({ 'x-idempotent': idempotent }) =>
    typeof idempotent === 'boolean'
      ? undefined
      : 'true if repeating the request does no harm, otherwise false',
  'x-rate-limit': ({ 'x-rate-limit': limit }, classes) =>
    classes.some((name) => name === limit)
      ? undefined
      : `a class of the table x-rate-limits (${classes.join(', ')})`,
  'x-billing': ({ 'x-billing': billing, 'x-price-usd': price }) =>
    billing === undefined ||
    (isAnyOf(billing, 'characters', 'images', 'payment', 'quote', 'seconds', 'tokens') &&
      price === undefined)
      ? undefined
      : 'characters, images, payment, quote, seconds or tokens, without x-price-usd',
  'x-price-usd': ({ 'x-price-usd': price, description }) => {
    if (price === undefined) return undefined
    if (typeof price !== 'number' || price <= 0) return 'a number of USD above 0'
    return String(description).includes(` ${price} USD`)
      ? undefined
      : `the same amount in the description, as ${price} USD`
  },
  'x-requires': allowAbsent('x-requires', 'ADMIN', (type) => type === 'ADMIN'),
  'x-no-retention': allowAbsent('x-no-retention', 'true, or no field', (none) => none === true),
  'x-secret-response': allowAbsent(
    'x-secret-response',
    'true, or no field',
    (secret) => secret === true,
  ),
  'x-discovery': ({ 'x-discovery': status, 'x-billing': billing, responses }) =>
    billing === 'payment'
      ? isNode(responses) && typeof status === 'number' && `${status}` in responses
        ? undefined
        : 'a status that the operation declares, because x-billing is payment'
      : status === undefined
        ? undefined
        : 'no field, because x-billing is not payment',
}

/** Checks the `x-` facts of each operation. */
export const operationFacts: Rule = () => {
  let classes: readonly string[] = []
  return {
    Root(root) {
      const limits = root['x-rate-limits']
      const table = isNode(limits) ? limits['classes'] : undefined
      classes = isNode(table) ? Object.keys(table) : []
    },
    Operation(operation, { location, report }) {
      for (const [name, findExpected] of Object.entries(facts)) {
        const expected = findExpected(operation, classes)
        if (expected === undefined) continue
        report({
          message: `${describeFound(name, operation[name])}: expected ${expected}.`,
          location: location.key(),
        })
      }
    },
  }
}

function allowAbsent(
  name: string,
  expected: string,
  isValid: (value: unknown) => boolean,
): FactCheck {
  return ({ [name]: value }) => (value === undefined || isValid(value) ? undefined : expected)
}

function isAnyOf(value: unknown, ...values: readonly string[]): boolean {
  return values.some((one) => one === value)
}

/**
 * Requires examples of JSON and text bodies, so that every operation can be tried on its page. Streams
 * of items need none.
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
const rateLimitHeaders: readonly string[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]

/** Requires all six rate-limit headers on every response, because clients pace themselves by them. */
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
 * Requires a 503 with `Retry-After` for every operation, because the database or the model may be
 * unavailable. Clients retry it.
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
