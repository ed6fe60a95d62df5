import { nearest } from '@farebox/command-line'
import { paymentRails, type PayeeOptions } from '../domain/payments/payment-rails.js'
import type { ServiceOptions } from './service-options.js'

type Rule = {
  readonly form: string
  readonly isValid: (value: unknown) => boolean
  /** Whether a message may show the value. */
  readonly isPublic?: true
}

const text: Rule = { form: 'a string', isValid: (value) => typeof value === 'string' }
const key: Rule = {
  form: 'a string of printable ASCII without spaces',
  isValid: (value) => typeof value === 'string' && /^[\x21-\x7e]*$/.test(value),
}
const callback: Rule = { form: 'a function', isValid: (value) => typeof value === 'function' }
const object: Rule = {
  form: 'an object',
  isValid: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}
const switches: Rule = { form: 'true or false', isValid: (value) => typeof value === 'boolean' }
/** Options that have a check of their own. */
const any: Rule = { form: 'any value', isValid: () => true }

/** Payees have a check of their own. */
const payees = Object.fromEntries(
  Object.values(paymentRails).map(({ option }) => [option, any]),
) as Readonly<Record<keyof PayeeOptions, Rule>>

/** The rule of each option. It does not compile if it lacks an option or has another. */
const rules: { readonly [Name in keyof ServiceOptions]-?: Rule } = {
  ...payees,
  origin: any,
  data: text,
  databaseUrl: text,
  serviceName: text,
  adminKey: key,
  adminKeyOld: key,
  adminCreditUsd: {
    form: 'USD from 0 to below 1,000,000,000',
    isValid: (value) => typeof value === 'number' && value >= 0 && value < 1e9,
    isPublic: true,
  },
  keyPepper: text,
  keyPepperOld: text,
  allowNonceReuse: switches,
  wallets: switches,
  unsettledPayments: switches,
  payments: object,
  facilitator: object,
  trustedProxies: {
    form: 'an array of addresses and CIDR ranges',
    isValid: (value) => Array.isArray(value),
    isPublic: true,
  },
  catalogue: { form: 'the result of createCatalogue', isValid: hasMember('settings') },
  textParser: object,
  speech: object,
  local: object,
  video: object,
  upstreams: { form: 'the result of createUpstreams', isValid: hasMember('require') },
  nameBackends: switches,
  videosAtOnce: {
    form: 'an integer from 1 to 1,000',
    isValid: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000,
    isPublic: true,
  },
  videoInputs: object,
  storedResponses: object,
  keep: object,
  database: object,
  now: callback,
  id: callback,
  connections: callback,
  onError: callback,
  onTrouble: callback,
  auditAnchor: text,
  chainNodes: object,
  onDifference: callback,
  onLedgerFault: callback,
  onRequest: callback,
  telemetry: object,
  ticks: callback,
  operatorKey: key,
  operatorChanges: switches,
  onOperatorChange: callback,
  metricsKey: key,
}

/**
 * Throws a RangeError for options of `createService` that are unknown or of another type. One that
 * is `undefined` counts as omitted.
 */
export function checkOptions(options: ServiceOptions): void {
  if (!object.isValid(options))
    throw new RangeError(
      `createService: found ${describe(options)}, expected an object such as { origin: 'http://127.0.0.1:4020' }`,
    )
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof ServiceOptions] : undefined
    if (rule === undefined) {
      const meant = nearest(name, Object.keys(rules))
      const remedy = meant === undefined ? 'Remove it' : `Did you mean "${meant}"?`
      throw new RangeError(`createService: there is no option "${name}". ${remedy}`)
    }
    if (value === undefined || rule.isValid(value)) continue
    const isShown = rule.isPublic === true && ['number', 'string'].includes(typeof value)
    const found = isShown ? `${value as number | string}` : describe(value)
    throw new RangeError(`createService: ${name} is ${found}, expected ${rule.form}`)
  }
}

function hasMember(name: string): Rule['isValid'] {
  return (value) => typeof value === 'object' && value !== null && name in value
}

/** The kind of a value, which may be secret. */
function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'another string'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`
}
