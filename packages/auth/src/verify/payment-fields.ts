import { PaymentVerificationError } from './payment-verification-error.js'
import type { Fields } from './rail.js'

/** An own field that is a string. Throws a PaymentVerificationError `invalid_payload`. */
export function textField(object: Fields, name: string): string {
  const found = ownField(object, name)
  if (typeof found !== 'string') throw invalidPayload(`"${name}" is not a string`)
  return found
}

export function ownField(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

export function invalidPayload(what: string): PaymentVerificationError {
  return new PaymentVerificationError('invalid_payload', `Payment payload: ${what}`)
}
