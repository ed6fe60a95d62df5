import { describeFound, type Rule } from './rule.js'

const form = /^(\d{4})(\d\d)(\d\d)\.(\d\d)(\d\d)(\d\d)$/

/** The version is a quoted text, YYYYMMDD.HHMMSS: unquoted it would be a number. */
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
 * Every `x-` field of this contract. Their meaning is documented in `spec/README.md`, and only there.
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

/** An undescribed `x-` field is a typing error, or a fact that no tool reads. */
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
