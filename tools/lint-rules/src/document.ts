import { describeFound, isNode, type Rule } from './rule.js'

const form = /^(\d{4})(\d\d)(\d\d)\.(\d\d)(\d\d)(\d\d)$/

/** The version is a string YYYYMMDD.HHMMSS. Without quotes, YAML would read a number. */
export const infoVersion: Rule = () => ({
  Info(info, { location, report }) {
    const version = info['version']
    if (typeof version === 'string' && isMoment(version)) return
    const message = `${describeFound('version', version)}: expected a moment as YYYYMMDD.HHMMSS, in quotes.`
    report({ message, location: location.child('version') })
  },
})

function isMoment(version: string): boolean {
  const [, year, month, day, hour, minute, second] = form.exec(version) ?? []
  if (year === undefined) return false
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const moment = new Date(text)
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === text
}

/**
 * Every `x-` field of this contract. `spec/README.md` documents their meaning.
 */
export const extensions: readonly string[] = [
  'x-abuse-protection',
  'x-billing',
  'x-discovery',
  'x-experimental',
  'x-idempotent',
  'x-max-body-bytes',
  'x-max-file-bytes',
  'x-model-voices',
  'x-no-retention',
  'x-payment-info',
  'x-price-usd',
  'x-prices',
  'x-provisional',
  'x-rate-limit',
  'x-rate-limits',
  'x-requires',
  'x-secret-response',
]

/** Node types whose keys are names from the contract, not fields of OpenAPI. */
const mapOfNames = /Map$|Properties$|^Named/

/** An unknown `x-` field is a typo, or a fact that no tool reads. */
export const knownExtensions: Rule = () => ({
  any(node, { location, report, type }) {
    if (mapOfNames.test(type.name)) return
    for (const name of Object.keys(node)) {
      if (!name.startsWith('x-') || extensions.includes(name)) continue
      const message = `${name} is not known: describe it in spec/README.md and add it to tools/lint-rules, or correct the name.`
      report({ message, location: location.child(name).key() })
    }
  },
})

/** The objects that the interface specification closes. */
const closedSchemas: readonly string[] = ['LedgerEntry', 'TransactionHistoryData']

/**
 * Allows `additionalProperties: false` only where the interface specification has it: a client that
 * rejects unknown properties breaks when the service adds one.
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
        const message = `${name} must stay open: the interface specification does not close it. Remove the false.`
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

/** Requires content with a schema for every 4xx and 5xx response. */
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
